package e2e

import (
	"context"
	"maps"
	"net/http"
	"syscall"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

// whileSuspended does something while the exporter stands still. Nobody takes
// an exporter for healthy that does not answer.
func (b *bench) whileSuspended(do func()) {
	b.Helper()
	if err := b.exporter.Process().Suspend(); err != nil {
		b.Fatal(err)
	}
	do()
	ctx, cancel := context.WithTimeout(b.Context(), 500*time.Millisecond)
	defer cancel()
	if status, body, err := b.exporter.Get(ctx, "/healthz"); err == nil {
		b.Errorf("a suspended exporter answers /healthz with %d: %s", status, body)
	}
	if err := b.exporter.Process().Signal(syscall.SIGCONT); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) compact() {
	b.Helper()
	if err := b.site.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func TestCompactedHistory(t *testing.T) {
	t.Parallel()
	// They share a control plane but not their time: the compaction of one
	// would be another gap for the other.
	s := newSite(t)
	t.Run("does not matter to a watch that holds", func(t *testing.T) { compactUnderAHeldWatch(newBenchOn(t, s)) })
	t.Run("is listed again without double counts", func(t *testing.T) { compactUnderABrokenWatch(newBenchOn(t, s)) })
}

func compactUnderAHeldWatch(b *bench) {
	b.startExporter("--namespaces=" + b.Namespace)
	b.waitUntilFresh()
	want := b.load("Seen", time.Second)
	before := b.expect(want)
	b.whileSuspended(func() {
		maps.Copy(want, b.load("Unseen", 2*time.Second))
		b.compact()
	})
	b.exporter.WaitHealthy(b.T, recoverTimeout)
	maps.Copy(want, b.load("Afterwards", time.Second))
	scrape := b.expect(want)
	b.expectUncertain(scrape, exporter.Uncertain{})
	b.expectGaps(scrape, before, 0)
}

func compactUnderABrokenWatch(b *bench) {
	link := b.startBehindProxy()
	b.waitUntilFresh()
	b.Create(b.Record("unchanged", "Unchanged", 5, time.Now()))
	b.Create(b.Record("risen", "Risen", 3, time.Now()))
	b.Create(b.Record("deleted", "Deleted", 3, time.Now()))
	begin := time.Now()
	b.Create(b.Record("recreated", "Recreated", 3, begin))
	want := exporter.Counts{b.pod("Unchanged"): 5, b.pod("Risen"): 3, b.pod("Deleted"): 3, b.pod("Recreated"): 3}
	maps.Copy(want, b.load("Seen", time.Second))
	before := b.expect(want)
	b.whileSuspended(func() {
		// What is on its way to the suspended exporter must not reach it.
		link.Cut()
		b.SetCount("risen", 10)
		b.Delete("deleted")
		b.Recreate(b.Record("recreated", "Recreated", 7, begin))
		b.Create(b.Record("new", "New", 4, time.Now()))
		b.Create(b.Record("missed", "Missed", 1, time.Now()))
		b.Delete("missed")
		b.compact()
	})
	want[b.pod("Risen")], want[b.pod("Recreated")], want[b.pod("New")] = 10, 7, 4
	scrape := b.expect(want)
	b.expectUncertain(scrape, exporter.Uncertain{})
	b.expectGaps(scrape, before, 1)
	b.exporter.WaitHealthy(b.T, recoverTimeout)
	maps.Copy(want, b.load("Afterwards", time.Second))
	b.expectGaps(b.expect(want), before, 1)
}

func TestRestoredEtcdCostsAGapAndNothingElse(t *testing.T) {
	t.Parallel()
	b := newBenchOn(t, newSite(t))
	b.startExporter("--namespaces=" + b.Namespace)
	b.waitUntilFresh()
	known, survivor, vanished := b.pod("Known"), b.pod("Survivor"), b.pod("Vanished")
	b.Create(b.Record("known", known.Reason, 3, time.Now()))
	busy := b.startLoad("Lost")
	b.settle()
	if err := b.site.Backup(); err != nil {
		t.Fatal(err)
	}
	b.SetCount("known", 8)
	// Far enough ahead that a watch from there would stay silent for long.
	want := b.load("Ahead", 3*time.Second)
	maps.Copy(want, busy.stop())
	want[known] = 8
	before := b.expect(want)
	health := b.exporter.FollowHealth(t)

	away := b.takeDown(everything, syscall.SIGKILL)
	b.turnsUnhealthy(health, away, 0)
	if err := b.site.Restore(); err != nil {
		t.Fatal(err)
	}
	back := time.Now() // not before: what comes next is done at the pace of the machine
	b.bringUp(everything)
	b.Create(b.Record("survivor", survivor.Reason, 1, time.Now()))
	b.Create(b.Record("vanished", vanished.Reason, 1, time.Now()))
	b.Delete("vanished")
	health.WaitFor(t, http.StatusOK, recoverTimeout)

	b.owns = func(s exporter.Series) bool { return s.Namespace == b.Namespace && s != vanished }
	b.SetCount("known", 10)
	maps.Copy(want, b.load("Afterwards", 2*time.Second))
	want[known], want[survivor] = 10, 1
	scrape := b.expect(want)
	if got := scrape.Counts[vanished]; got > 1 {
		t.Errorf("what happened once is counted %v times", got)
	}
	b.expectGaps(scrape, before, 1)
	if got := scrape.Own("relists_total", "reason", "restored"); got != 1 {
		t.Errorf("the reason of %v relists is that etcd was restored, want 1", got)
	}
	gap := scrape.Own("gap_seconds_total") - before.Own("gap_seconds_total")
	if least := back.Sub(away).Seconds() - 1; gap < least {
		t.Errorf("the gap is said to have lasted %v s, but it did at least %v s", gap, least)
	}
	health.Check(t, http.StatusOK, http.StatusServiceUnavailable, http.StatusOK)
}
