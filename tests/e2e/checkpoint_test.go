package e2e

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

// checkpointName is the one that the shipped Role names.
const checkpointName = "kube-events-exporter-checkpoint"

func (b *bench) checkpointArgs() []string {
	return []string{"--checkpoint=configmap:" + b.Namespace + "/" + checkpointName, "--checkpoint-interval=1s"}
}

// endExporter stops it with a signal and checks its exit code, -1 after
// SIGKILL.
func (b *bench) endExporter(e *exporter.Exporter, signal syscall.Signal, want int) {
	b.Helper()
	if err := e.Process().Signal(signal); err != nil {
		b.Fatal(err)
	}
	if code, err := e.Process().Wait(stopTimeout); err != nil || code != want {
		b.Fatalf("after %v: exit code %d, want %d: %v", signal, code, want, err)
	}
}

// nonzero is the part of the counts the test answers for that is above 0: what
// a process finds in its first list has a series with 0.
func (b *bench) nonzero(scrape exporter.Scrape) exporter.Counts {
	counts := b.counts(scrape)
	maps.DeleteFunc(counts, func(_ exporter.Series, value float64) bool { return value == 0 })
	return counts
}

// expectOf ends the test unless the exporter comes to count exactly this.
func (b *bench) expectOf(e *exporter.Exporter, want func() exporter.Counts) exporter.Scrape {
	b.Helper()
	var last exporter.Scrape
	b.waitFor(countTimeout, func(ctx context.Context) error {
		scrape, err := e.Scrape(ctx)
		if err != nil {
			return err
		}
		last = scrape
		if diff := b.nonzero(scrape).Diff(want()); diff != "" {
			return fmt.Errorf("kube_events_total is not as it should be:\n%s", diff)
		}
		return nil
	})
	return last
}

// waitForWrites returns when so many writes of the checkpoint ended like this.
func (b *bench) waitForWrites(e *exporter.Exporter, result string, deadline time.Duration) {
	b.Helper()
	b.waitFor(deadline, func(ctx context.Context) error {
		scrape, err := e.Scrape(ctx)
		if err == nil && scrape.Own("checkpoint_writes_total", "result", result) < 1 {
			err = fmt.Errorf("no write of the checkpoint ended with %q", result)
		}
		return err
	})
}

// takesOver ends the leader, the nth that has saved, under load and shows that
// the other replica counts exactly what the leader had not saved: what that one
// had is not repeated.
func (r replicas) takesOver(told *chronicle, n int, leader, next *exporter.Exporter, signal syscall.Signal, code int) {
	r.Helper()
	phase := fmt.Sprintf("Signal%d-", int(signal))
	busy := r.startLoad(phase)
	r.waitFor(countTimeout, func(ctx context.Context) error {
		scrape, err := leader.Scrape(ctx)
		if err == nil && scrape.Counts[r.pod(phase+"0")] < 20 {
			err = fmt.Errorf("the leader does not count: %v", scrape.Counts)
		}
		return err
	})
	r.waitForWrites(leader, "ok", countTimeout)
	seen, err := leader.Scrape(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	r.endExporter(leader, signal, code)
	r.await(next, 1)
	written := busy.stop()
	told.waitFor(r.bench, written)
	r.Create(r.Record("last-of-"+strings.ToLower(phase)+"0", "Last", 1, time.Now()))

	scrape := r.expectOf(next, func() exporter.Counts { return told.since(r.bench, told.position(n)) })
	r.expectUncertain(scrape, exporter.Uncertain{})
	if gaps := scrape.Own("gaps_total"); gaps != 0 {
		r.Errorf("%v gaps were reported", gaps)
	}
	if signal == syscall.SIGKILL {
		return
	}
	saved := told.until(r.bench, told.position(n))
	for series, value := range r.counts(seen) {
		if strings.HasPrefix(series.Reason, phase) && value > saved[series] {
			r.Errorf("%v: %v were counted, and %v of them saved at the end", series, value, saved[series])
		}
	}
}

func TestReplicasShareACheckpointWithTheShippedRoles(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, "checkpoint/configmap.yaml")
	r.args = append(r.args, r.checkpointArgs()...)
	told := r.record()
	first := r.launch()
	r.await(first, 1)
	second := r.launch()
	r.await(second, 0)
	r.takesOver(told, 0, first, second, syscall.SIGTERM, 0)
	third := r.launch()
	r.await(third, 0)
	r.takesOver(told, 1, second, third, syscall.SIGKILL, -1)
	r.waitForWrites(third, "ok", countTimeout)
	told.checkOrder(t)
}

func TestDowntimeIsCountedAfterwards(t *testing.T) {
	t.Parallel()
	b := newBenchOn(t, newSite(t))
	args := []string{
		"--namespaces=" + b.Namespace,
		"--checkpoint=file:" + filepath.Join(t.TempDir(), "checkpoint.json"), "--checkpoint-interval=1s",
	}
	b.startExporter(args...)
	b.Create(b.Record("known", "Known", 1, time.Now()))
	b.SetCount("known", 3)
	b.expect(exporter.Counts{b.pod("Known"): 3})
	b.endExporter(b.exporter, syscall.SIGTERM, 0)

	want := b.load("During", 2*time.Second)
	b.SetCount("known", 7)
	want[b.pod("Known")] = 4
	b.startExporter(args...)
	scrape := b.expectOf(b.exporter, func() exporter.Counts { return want })
	b.expectUncertain(scrape, exporter.Uncertain{})
	if gaps := scrape.Own("gaps_total"); gaps != 0 {
		t.Errorf("%v gaps were reported", gaps)
	}
	b.endExporter(b.exporter, syscall.SIGTERM, 0)

	b.SetCount("known", 9)
	b.Create(b.Record("kept", "Kept", 5, time.Now()))
	b.Create(b.Record("missed", "Missed", 1, time.Now()))
	b.Delete("missed")
	b.compact()
	b.startExporter(args...)
	want = exporter.Counts{b.pod("Known"): 2, b.pod("Kept"): 5}
	scrape = b.expectOf(b.exporter, func() exporter.Counts { return want })
	if gaps := scrape.Own("gaps_total"); gaps != 1 {
		t.Errorf("%v gaps were reported, want 1", gaps)
	}
}

func TestForbiddenCheckpointIsToldAndBlocksNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	args := append(b.checkpointArgs(), "--namespaces="+b.Namespace, b.kubeconfigWith("namespaced/role.yaml"))
	b.exporter = exporter.Launch(t, exporter.Command{Args: args})
	b.exporter.WaitHealthy(t, grantTimeout)
	b.Create(b.Record("event", "Seen", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Seen"): 1})
	b.waitForWrites(b.exporter, "forbidden", countTimeout)
	if log := b.exporter.Process().LogTail(100); !strings.Contains(log, "configmaps") || !strings.Contains(log, "403") {
		t.Errorf("the log does not say what is missing: %s", log)
	}
	b.grantShipped("checkpoint/configmap.yaml")
	b.waitForWrites(b.exporter, "ok", grantTimeout)
}

func TestConfigMapOfSomebodyElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	configMaps := b.Client.CoreV1().ConfigMaps(b.Namespace)
	theirs := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: checkpointName}, Data: map[string]string{"app.conf": "x"},
	}
	before, err := configMaps.Create(t.Context(), theirs, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	args := append(b.checkpointArgs(), "--namespaces="+b.Namespace,
		b.kubeconfigWith("namespaced/role.yaml", "checkpoint/configmap.yaml"))
	b.exporter = exporter.Launch(t, exporter.Command{Args: args})
	b.exporter.WaitHealthy(t, grantTimeout)
	b.Create(b.Record("event", "Seen", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Seen"): 1})
	b.waitForWrites(b.exporter, "error", countTimeout)
	// A moment later the new rules are honoured.
	b.waitFor(grantTimeout, func(context.Context) error {
		if log := b.exporter.Process().LogTail(100); !strings.Contains(log, "holds other data") {
			return fmt.Errorf("the log does not say whose it is: %s", log)
		}
		return nil
	})
	after, err := configMaps.Get(t.Context(), checkpointName, metav1.GetOptions{})
	if err != nil || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("it was changed: %v %v", after, err)
	}
}
