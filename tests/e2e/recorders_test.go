package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	"kube-events-exporter/tests/e2e/internal/events"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// unlimited turns the spam filter of tools/record off.
var unlimited = record.CorrelatorOptions{BurstSize: 10000, QPS: 10000}

func podNamed(namespace, name string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "1"},
	}
}

// written waits until a recorder, which writes in the background, has made the
// wanted numbers of successful POST and PATCH requests.
func (b *bench) written(sink interface {
	Writes() (created, patched int64)
}, created, patched int64) {
	b.Helper()
	b.waitFor(30*time.Second, func(context.Context) error {
		if c, p := sink.Writes(); c != created || p != patched {
			return fmt.Errorf("the recorder made %d POST and %d PATCH requests, want %d and %d", c, p, created, patched)
		}
		return nil
	})
}

func TestRecordRecorderCountsEachRepeat(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter()
	recorder := events.NewRecordRecorder(t, b.Client, "kubelet", unlimited)
	for range 30 {
		recorder.Event(podNamed(b.Namespace, "web"), "Warning", "BackOff", "restarting failed container")
	}
	recorder.Event(podNamed(b.Namespace, "web"), "Normal", "Pulled", "image is here")
	recorder.Event(podNamed(b.Namespace, "db"), "Normal", "Pulled", "image is here")
	b.written(recorder.Sink, 3, 29)
	scrape := b.expect(exporter.Counts{
		{Type: "Warning", Namespace: b.Namespace, Kind: "Pod", Reason: "BackOff"}: 30,
		b.pod("Pulled"): 2,
	})
	if scrape.Own("watch_events_total") == 0 {
		t.Error("watch_events_total stands still")
	}
}

func TestRecordRecorderContinuesADeletedEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter("--namespaces=" + b.Namespace)
	recorder := events.NewRecordRecorder(t, b.Client, "kubelet", unlimited)
	emit := func(times int) {
		for range times {
			recorder.Event(podNamed(b.Namespace, "web"), "Normal", "Unhealthy", "probe failed")
		}
	}
	emit(5)
	b.written(recorder.Sink, 1, 4)
	b.deleteAll()
	// The next PATCH is answered 404, so it posts the Event with count 6.
	emit(3)
	b.written(recorder.Sink, 2, 6)
	scrape := b.expect(exporter.Counts{b.pod("Unhealthy"): 8})
	b.expectUncertain(scrape, exporter.Uncertain{})
}

func TestRecordRecorderAggregatesSimilarMessages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter()
	recorder := events.NewRecordRecorder(t, b.Client, "kubelet", unlimited)
	for i := range 25 {
		recorder.Eventf(podNamed(b.Namespace, "web"), "Normal", "FailedMount", "volume %d is missing", i)
	}
	// Nine messages have an Event each, the other 16 share one more.
	b.written(recorder.Sink, 10, 15)
	b.expect(exporter.Counts{b.pod("FailedMount"): 25})
}

func TestRecordRecorderJumpsOverWhatItsSpamFilterDropped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter()
	recorder := events.NewRecordRecorder(t, b.Client, "kubelet", record.CorrelatorOptions{BurstSize: 5, QPS: 1})
	// The filter decides when the recorder comes to it, so how many pass depends
	// on the machine. A jump is a count that is above the number of writes; one
	// more, because the sink notes the count before the write.
	var published int64
	b.waitFor(30*time.Second, func(context.Context) error {
		published = recorder.Sink.LastCount.Load()
		created, patched := recorder.Sink.Writes()
		if published > created+patched+1 {
			return nil
		}
		for range 20 {
			recorder.Event(podNamed(b.Namespace, "web"), "Normal", "BackOff", "restarting failed container")
		}
		return fmt.Errorf("the recorder published count %d in %d writes: no jump", published, created+patched)
	})
	b.expect(exporter.Counts{b.pod("BackOff"): float64(published)})
}

func TestSeriesRecorderCountsWhatItPublishes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter("--namespaces=" + b.Namespace)
	recorder := events.NewSeriesRecorder(t, b.Client, "example.com/scheduler")
	emit := func(times int) {
		recorder.Emit(times, podNamed(b.Namespace, "web"), "Normal", "FailedScheduling", "Scheduling", "no node fits")
	}
	published := func(count float64) exporter.Scrape {
		return b.expect(exporter.Counts{b.pod("FailedScheduling"): count})
	}

	emit(1)
	published(1)
	emit(1)
	published(2)
	emit(30)
	published(2)
	// Something every few minutes keeps the series going until the heartbeat.
	for range 8 {
		recorder.Pass(4 * time.Minute)
		emit(1)
	}
	// The last one came after the heartbeat.
	published(39)

	b.deleteAll()
	emit(5)
	// The end of the series is published by a PATCH that is answered 404, so
	// the recorder posts the Event anew with its whole count.
	recorder.Pass(13 * time.Minute)
	published(45)
	// The recorder has forgotten the series: a new Event begins.
	emit(1)
	scrape := published(46)
	b.expectUncertain(scrape, exporter.Uncertain{})
	b.written(recorder.Sink, 3, 2)
}

func TestNodeEventsHaveNoNamespaceLabel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// Unique reasons, as Node Events of all tests lie in namespace default.
	rebooted, tainted := "Rebooted-"+b.Namespace, "Tainted-"+b.Namespace
	b.owns = func(s exporter.Series) bool { return s.Reason == rebooted || s.Reason == tainted }
	b.startExporter()
	node := &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: b.Namespace},
	}

	old := events.NewRecordRecorder(t, b.Client, "kubelet", unlimited)
	for range 3 {
		old.Event(node, "Warning", rebooted, "boot id changed")
	}
	b.written(old.Sink, 1, 2)
	recent := events.NewSeriesRecorder(t, b.Client, "example.com/node-controller")
	recent.Emit(1, node, "Normal", tainted, "Tainting", "not ready")
	b.written(recent.Sink, 1, 0)

	b.expect(exporter.Counts{
		{Type: "Warning", Kind: "Node", Reason: rebooted}: 3,
		{Type: "Normal", Kind: "Node", Reason: tainted}:   1,
	})
}

// deleteAll removes the Events of the namespace, as their TTL does.
func (b *bench) deleteAll() {
	b.Helper()
	api := b.Client.CoreV1().Events(b.Namespace)
	if err := api.DeleteCollection(b.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		b.Fatal(err)
	}
}
