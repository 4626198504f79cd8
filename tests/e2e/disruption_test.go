package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
	"kube-events-exporter/tests/e2e/internal/proxy"
)

// startBehindProxy starts an exporter whose connections the test can break.
func (b *bench) startBehindProxy(args ...string) *proxy.Proxy {
	b.Helper()
	link := proxy.Start(b.T, fmt.Sprintf("%s:%d", cluster.Host, cluster.Port))
	args = append(args, "--namespaces="+b.Namespace, "--kubeconfig="+readerKubeconfig(b.T, link.URL(), coreAPI))
	b.exporter = exporter.Start(b.T, exporter.Command{Args: args})
	return link
}

// load writes Events for a while, as several busy components do, and returns
// how many occurrences that were, by series.
func (b *bench) load(duration time.Duration) exporter.Counts {
	b.Helper()
	const writers = 4
	counts := make([]int, writers)
	end := time.Now().Add(duration)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := 0; time.Now().Before(end) && b.Context().Err() == nil; i++ {
				counts[w] += b.oneLife(fmt.Sprintf("load-%d-%d", w, i), fmt.Sprintf("Load%d", w), i)
			}
		})
	}
	group.Wait()
	want := exporter.Counts{}
	for w, count := range counts {
		want[b.pod(fmt.Sprintf("Load%d", w))] = float64(count)
	}
	return want
}

// oneLife writes one Event of a kind that depends on i, and returns how often
// it happened.
func (b *bench) oneLife(name, reason string, i int) int {
	b.Create(b.Record(name, reason, 1, time.Now()))
	switch i % 4 {
	case 1:
		b.SetCount(name, 2)
		b.SetCount(name, 3)
		return 3
	case 2:
		b.SetCount(name, 9)
		b.Delete(name)
		return 9
	case 3:
		b.SetLabel(name, "seen", "yes")
	}
	return 1
}

func TestRotatedWatchesLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter("--namespaces="+b.Namespace, "--watch-interval=2s")
	b.waitUntilFresh()
	before := b.settle()
	scrape := b.expect(b.load(10 * time.Second))
	if opened := scrape.Own("watch_total") - before.Own("watch_total"); opened < 3 {
		t.Errorf("only %v watches were opened in 10 s", opened)
	}
	if relists := scrape.Own("relists_total"); relists != 0 {
		t.Errorf("a rotation relisted: %v", relists)
	}
	b.expectUncertain(scrape, exporter.Uncertain{})
}

func TestBrokenConnectionsLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	link := b.startBehindProxy()
	b.waitUntilFresh()
	stop := make(chan struct{})
	var breaker sync.WaitGroup
	breaker.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(700 * time.Millisecond):
				link.Cut()
			}
		}
	})
	want := b.load(8 * time.Second)
	close(stop)
	breaker.Wait()
	scrape := b.expect(want)
	b.expectUncertain(scrape, exporter.Uncertain{})
}

func TestUnreachableAPIServerAtTheStart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	link := proxy.Start(t, fmt.Sprintf("%s:%d", cluster.Host, cluster.Port))
	link.Refuse()
	path := readerKubeconfig(t, link.URL(), coreAPI)
	b.exporter = exporter.Launch(t, exporter.Command{Args: []string{"--kubeconfig=" + path}})
	b.waitUntilUnhealthy(exporter.ReadyTimeout)
	b.answers("/livez", http.StatusOK)
	b.answers("/metrics", http.StatusOK)
	link.Allow()
	b.exporter.WaitHealthy(t, grantTimeout)
	b.countsOneEvent()
}

func TestHealthFollowsALongOutage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	link := b.startBehindProxy()
	b.Create(b.Record("event", "Outlived", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Outlived"): 1})
	link.Refuse()
	b.answers("/healthz", http.StatusOK)
	b.SetCount("event", 4)
	b.waitUntilUnhealthy(outageTolerance + exporter.ReadyTimeout)
	b.answers("/livez", http.StatusOK)
	link.Allow()
	b.exporter.WaitHealthy(t, grantTimeout)
	scrape := b.expect(exporter.Counts{b.pod("Outlived"): 4})
	b.expectUncertain(scrape, exporter.Uncertain{})
}

// outageTolerance is how long /healthz stays 200 without an open watch.
const outageTolerance = 30 * time.Second

func (b *bench) waitUntilUnhealthy(deadline time.Duration) {
	b.Helper()
	b.waitFor(deadline, func(ctx context.Context) error {
		status, body, err := b.exporter.Get(ctx, "/healthz")
		if err == nil && status != http.StatusServiceUnavailable {
			err = fmt.Errorf("/healthz answers %d: %s", status, body)
		}
		return err
	})
}

// The following tests disturb the control plane, so they run alone.

func TestRestartedAPIServerLosesNothing(t *testing.T) {
	b := newBench(t)
	b.startExporter("--namespaces=" + b.Namespace)
	b.waitUntilFresh()
	known, added := b.pod("Known"), b.pod("Added")
	b.Create(b.Record("known", known.Reason, 3, time.Now()))
	want := exporter.Counts{known: 3}
	b.expect(want)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		b.restartAPIServer(signal)
		want[known] += 5
		b.SetCount("known", int32(want[known]))
		b.Create(b.Record("added", added.Reason, 4, time.Now()))
		b.Delete("added")
		want[added] += 4
		scrape := b.expect(want)
		b.expectUncertain(scrape, exporter.Uncertain{})
		b.exporter.WaitHealthy(t, exporter.ReadyTimeout)
	}
}

// restartAPIServer ends the API server with a signal and starts it again.
func (b *bench) restartAPIServer(signal syscall.Signal) {
	b.Helper()
	if err := cluster.APIServer().Signal(signal); err != nil {
		b.Fatal(err)
	}
	if _, err := cluster.APIServer().Wait(30 * time.Second); err != nil {
		b.Fatal(err)
	}
	b.answers("/livez", http.StatusOK)
	if err := cluster.StartAPIServer(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func TestCompactedHistoryIsListedAgainWithoutDoubleCounts(t *testing.T) {
	b := newBench(t)
	link := b.startBehindProxy()
	b.waitUntilFresh()
	b.Create(b.Record("unchanged", "Unchanged", 5, time.Now()))
	b.Create(b.Record("risen", "Risen", 3, time.Now()))
	b.Create(b.Record("deleted", "Deleted", 3, time.Now()))
	begin := time.Now()
	b.Create(b.Record("recreated", "Recreated", 3, begin))
	known := exporter.Counts{b.pod("Unchanged"): 5, b.pod("Risen"): 3, b.pod("Deleted"): 3, b.pod("Recreated"): 3}
	before := b.expect(known)

	paused := b.exporter.Process()
	if err := paused.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// What is on its way to the paused exporter must not reach it.
	link.Cut()
	b.SetCount("risen", 10)
	b.Delete("deleted")
	b.Recreate(b.Record("recreated", "Recreated", 7, begin))
	b.Create(b.Record("new", "New", 4, time.Now()))
	b.Create(b.Record("missed", "Missed", 1, time.Now()))
	b.Delete("missed")
	if err := cluster.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := paused.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	scrape := b.expect(merged(known, exporter.Counts{b.pod("Risen"): 10, b.pod("Recreated"): 7, b.pod("New"): 4}))
	b.expectUncertain(scrape, exporter.Uncertain{})
	for _, metric := range []string{"relists_total", "gaps_total"} {
		if scrape.Own(metric) != before.Own(metric)+1 {
			t.Errorf("%s went from %v to %v, want one more", metric, before.Own(metric), scrape.Own(metric))
		}
	}
}

func TestRestoredEtcdIsNoticed(t *testing.T) {
	b := newBench(t)
	b.startExporter("--namespaces=" + b.Namespace)
	b.waitUntilFresh()
	known, lost, added := b.pod("Known"), b.pod("Lost"), b.pod("Added")
	b.Create(b.Record("known", known.Reason, 3, time.Now()))
	b.expect(exporter.Counts{known: 3})
	if err := cluster.Backup(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.SetCount("known", 8)
	b.Create(b.Record("lost", lost.Reason, 1, time.Now()))
	// Far enough ahead that a watch from there would stay silent for long.
	want := b.load(2 * time.Second)
	want[known], want[lost] = 8, 1
	before := b.expect(want)

	if err := cluster.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.exporter.WaitHealthy(t, grantTimeout)
	b.SetCount("known", 10)
	b.Create(b.Record("added", added.Reason, 1, time.Now()))
	want[known], want[added] = 10, 1
	scrape := b.expect(want)
	if gaps := scrape.Own("gaps_total"); gaps <= before.Own("gaps_total") {
		t.Errorf("gaps_total is still %v: what happened until the restore is lost", gaps)
	}
}
