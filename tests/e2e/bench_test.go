package e2e

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/events"
	"kube-events-exporter/tests/e2e/internal/exporter"
	"kube-events-exporter/tests/e2e/internal/poll"
)

// countTimeout bounds the time from the last write to the right counts.
const countTimeout = 30 * time.Second

// freshAfter is how long after its start an exporter believes that a first
// sight with a count above 1 is a new Event (docs/counting.md: horizon + 6 s).
const freshAfter = 7 * time.Second

// sentinelReason marks the Events that prove that all before them are counted.
const sentinelReason = "Sentinel"

// bench is a namespace with an exporter that counts it.
type bench struct {
	*testing.T
	events.Writer
	site     *site
	exporter *exporter.Exporter
	// owns tells which series the test answers for. By default those of its
	// namespace: an exporter of the whole cluster sees other tests too.
	owns func(exporter.Series) bool
	// shapeSentinel lets a sentinel pass the filters of the exporter.
	shapeSentinel func(*corev1.Event)
	sentinels     int
}

// newBench creates a namespace; the exporter is not started yet.
func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchOn(t, cluster)
}

func newBenchOn(t *testing.T, s *site) *bench {
	t.Helper()
	namespace := newNamespace(t, s)
	return &bench{
		T:             t,
		Writer:        events.Writer{T: t, Client: s.Client, Namespace: namespace},
		site:          s,
		owns:          func(s exporter.Series) bool { return s.Namespace == namespace },
		shapeSentinel: func(*corev1.Event) {},
	}
}

func newNamespace(t *testing.T, s *site) string {
	t.Helper()
	name := "e2e-" + rand.String(8)
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := s.Client.CoreV1().Namespaces().Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return name
}

// startExporter starts an exporter that may read the Events of the core API.
func (b *bench) startExporter(args ...string) {
	b.Helper()
	args = append(args, "--kubeconfig="+b.site.kubeconfig(b.T, b.site.URL, coreAPI))
	b.exporter = exporter.Start(b.T, exporter.Command{Args: args})
}

// kubeconfig has the rights for one Event API.
func (s *site) kubeconfig(t *testing.T, server, api string) string {
	t.Helper()
	return writeKubeconfig(t, access.TokenKubeconfig(server, s.CA, s.readers[api].Token))
}

func writeKubeconfig(t *testing.T, config access.Kubeconfig) string {
	t.Helper()
	path, err := config.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// waitUntilFresh returns when new Events with a count above 1 are certain.
func (b *bench) waitUntilFresh() {
	b.Helper()
	b.waitFor(2*freshAfter, func(context.Context) error {
		if missing := freshAfter - time.Since(b.exporter.ReadyAt); missing > 0 {
			return fmt.Errorf("the exporter is too young by %v", missing)
		}
		return nil
	})
}

// waitFor ends the test unless check returns nil within the deadline.
func (b *bench) waitFor(deadline time.Duration, check func(context.Context) error) {
	b.Helper()
	if err := poll.Until(b.Context(), deadline, check); err != nil {
		b.Fatal(err)
	}
}

// pod is a series of this bench with the labels of the Events made by hand.
func (b *bench) pod(reason string) exporter.Series {
	return exporter.Series{Type: "Normal", Namespace: b.Namespace, Kind: "Pod", Reason: reason}
}

// expect ends the test unless kube_events_total becomes exactly what is wanted
// and, when all that was written is counted, still is.
func (b *bench) expect(want exporter.Counts) exporter.Scrape {
	b.Helper()
	b.waitFor(countTimeout, func(ctx context.Context) error {
		scrape, err := b.scrape(ctx)
		if err != nil {
			return err
		}
		if diff := b.counts(scrape).Diff(want); diff != "" {
			return fmt.Errorf("kube_events_total is not as it should be:\n%s", diff)
		}
		return nil
	})
	last := b.settle()
	if diff := b.counts(last).Diff(want); diff != "" {
		b.Fatalf("kube_events_total changed after it was right:\n%s", diff)
	}
	return last
}

// settle returns a scrape in which everything written so far is counted: a
// watch delivers in the order of writing, so an Event written last is enough.
func (b *bench) settle() exporter.Scrape {
	b.Helper()
	b.sentinels++
	sentinel := b.Record(fmt.Sprintf("sentinel-%d", b.sentinels), sentinelReason, 1, time.Now())
	b.shapeSentinel(sentinel)
	b.Create(sentinel)
	var last exporter.Scrape
	b.waitFor(countTimeout, func(ctx context.Context) error {
		scrape, err := b.scrape(ctx)
		if err != nil {
			return err
		}
		last = scrape
		if seen := b.seenSentinels(scrape); seen < float64(b.sentinels) {
			return fmt.Errorf("%v of %d sentinels are counted, so what was written last is not:\n%v",
				seen, b.sentinels, scrape.Counts)
		}
		return nil
	})
	return last
}

func (b *bench) seenSentinels(scrape exporter.Scrape) float64 {
	seen := 0.0
	for series, value := range scrape.Counts {
		if series.Namespace == b.Namespace && series.Reason == sentinelReason {
			seen += value
		}
	}
	return seen
}

// counts is the part of a scrape the test answers for, without sentinels.
func (b *bench) counts(scrape exporter.Scrape) exporter.Counts {
	return scrape.Counts.Only(func(s exporter.Series) bool { return b.owns(s) && s.Reason != sentinelReason })
}

func (b *bench) scrape(ctx context.Context) (exporter.Scrape, error) {
	if err := b.exporter.Process().Exited(); err != nil {
		return exporter.Scrape{}, err
	}
	return b.exporter.Scrape(ctx)
}

// expectUncertain checks what the exporter says it could not know.
func (b *bench) expectUncertain(scrape exporter.Scrape, want exporter.Uncertain) {
	b.Helper()
	if got := scrape.Uncertain(); got != want {
		b.Errorf("uncertain occurrences: %+v, want %+v", got, want)
	}
}

// merged is both maps in one.
func merged(parts ...exporter.Counts) exporter.Counts {
	all := exporter.Counts{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}
