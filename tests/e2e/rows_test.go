package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

// history is what happens to one Event and what each step adds, after the
// tables of docs/counting.md.
type history struct {
	name string
	// before happens before the exporter starts: it is the baseline.
	before func(*bench, object)
	steps  []step
}

type step struct {
	do func(*bench, object)
	// adds goes to kube_events_total, counted and notCounted to
	// kube_events_exporter_uncertain_occurrences_total.
	adds, counted, notCounted float64
}

// object is the Event of one history. Its first occurrence is now.
type object struct {
	name, reason string
	now          time.Time
}

// The steps of a history. A first occurrence is given relative to now: 0 is
// fresh, before is longer ago than the exporter runs, later is a new run.
const (
	before = -time.Hour
	later  = 2 * time.Second
)

func create(count int32, first time.Duration) func(*bench, object) {
	return func(b *bench, o object) { b.Create(b.Record(o.name, o.reason, count, o.now.Add(first))) }
}

func createWithoutTime(count int32) func(*bench, object) {
	return func(b *bench, o object) { b.Create(b.Record(o.name, o.reason, count, time.Time{})) }
}

func createSeries(count int32, first time.Duration) func(*bench, object) {
	return func(b *bench, o object) { b.Create(b.Series(o.name, o.reason, count, o.now.Add(first))) }
}

func setCount(count int32) func(*bench, object) {
	return func(b *bench, o object) { b.SetCount(o.name, count) }
}

func setSeries(count int32) func(*bench, object) {
	return func(b *bench, o object) { b.SetSeries(o.name, count) }
}

func restart(count int32, first time.Duration) func(*bench, object) {
	return func(b *bench, o object) { b.Restart(o.name, count, o.now.Add(first)) }
}

func patch(fields map[string]any) func(*bench, object) {
	return func(b *bench, o object) { b.Patch(o.name, fields) }
}

func remove(b *bench, o object) { b.Delete(o.name) }

func inTurn(all ...func(*bench, object)) func(*bench, object) {
	return func(b *bench, o object) {
		for _, do := range all {
			do(b, o)
		}
	}
}

// play runs histories through each Event API: the same objects look different
// there, and must count the same.
func play(t *testing.T, histories []history, args ...string) {
	for _, api := range []string{coreAPI, eventsAPI} {
		t.Run(strings.ReplaceAll(api, "/", "-"), func(t *testing.T) {
			t.Parallel()
			playThrough(t, api, histories, args)
		})
	}
}

// playThrough runs histories one after the other against one exporter of their
// own namespace, so that the uncertainty of each step can be told apart.
func playThrough(t *testing.T, api string, histories []history, args []string) {
	b := newBench(t)
	want := exporter.Counts{}
	objects := make([]object, len(histories))
	for i, h := range histories {
		objects[i] = object{name: fmt.Sprintf("history-%d", i), reason: h.name, now: time.Now()}
		if h.before != nil {
			h.before(b, objects[i])
			want[b.pod(h.name)] = 0
		}
	}
	b.exporter = exporter.Start(t, exporter.Command{Args: append([]string{
		"--namespaces=" + b.Namespace, "--event-api=" + api, "--kubeconfig=" + cluster.kubeconfig(t, cluster.URL, api),
	}, args...)})
	b.waitUntilFresh()
	state := b.expect(want)
	for i, h := range histories {
		t.Run(strings.ReplaceAll(h.name, " ", "-"), func(t *testing.T) {
			state = b.playOne(t, h, objects[i], state)
		})
	}
}

// playOne returns the last scrape: one wrong step must not fail the histories
// that follow.
func (b *bench) playOne(t *testing.T, h history, o object, state exporter.Scrape) exporter.Scrape {
	outerT, outerWriterT := b.T, b.Writer.T
	b.T, b.Writer.T = t, t
	defer func() { b.T, b.Writer.T = outerT, outerWriterT }()
	if h.before == nil {
		o.now = time.Now()
	}
	for n, s := range h.steps {
		want, uncertain := b.counts(state), state.Uncertain()
		want[b.pod(h.name)] += s.adds
		uncertain.Counted += s.counted
		uncertain.NotCounted += s.notCounted
		s.do(b, o)
		state = b.settle()
		if diff := b.counts(state).Diff(want); diff != "" {
			t.Errorf("after step %d:\n%s", n+1, diff)
		}
		if got := state.Uncertain(); got != uncertain {
			t.Errorf("after step %d: uncertain %+v, want %+v", n+1, got, uncertain)
		}
	}
	return state
}

func TestFirstSightOfAnEvent(t *testing.T) {
	t.Parallel()
	play(t, []history{
		{name: "happens once", steps: []step{{do: create(1, 0), adds: 1}}},
		{name: "has no count", steps: []step{{do: create(0, 0), adds: 1}}},
		{name: "has a negative count", steps: []step{{do: create(-5, 0), adds: 1}}},
		{name: "comes with a count", steps: []step{{do: create(7, 0), adds: 7}}},
		{name: "comes with a series", steps: []step{{do: createSeries(7, 0), adds: 7}}},
		{name: "has a count and a series", steps: []step{
			{do: func(b *bench, o object) {
				event := b.Record(o.name, o.reason, 3, o.now)
				event.Series = &corev1.EventSeries{Count: 5}
				b.Create(event)
			}, adds: 5},
			{do: setCount(6), adds: 1},
		}},
		{name: "began before the exporter", steps: []step{{do: create(7, before), adds: 1, notCounted: 6}}},
		{name: "is a series begun before the exporter", steps: []step{
			{do: createSeries(7, before), adds: 1, counted: 1, notCounted: 6},
		}},
		{name: "has no timestamps", steps: []step{{do: createWithoutTime(7), adds: 1, notCounted: 6}}},
		{name: "is dated in the future", steps: []step{{do: create(7, time.Hour), adds: 1, notCounted: 6}}},
	})
}

func TestUpdatesOfAKnownEvent(t *testing.T) {
	t.Parallel()
	play(t, []history{
		{name: "rises", steps: []step{
			{do: create(1, 0), adds: 1}, {do: setCount(2), adds: 1}, {do: setCount(40), adds: 38},
		}},
		{name: "series absent then 2 then 40", steps: []step{
			{do: createSeries(0, 0), adds: 1}, {do: setSeries(2), adds: 1}, {do: setSeries(40), adds: 38},
		}},
		{name: "changes a label", steps: []step{
			{do: create(3, 0), adds: 3},
			{do: func(b *bench, o object) { b.SetLabel(o.name, "team", "blue") }},
			{do: patch(map[string]any{"metadata": map[string]any{"annotations": map[string]any{"note": "seen"}}})},
		}},
		{name: "changes its message", steps: []step{
			{do: create(3, 0), adds: 3}, {do: patch(map[string]any{"message": "other words"})},
		}},
		{name: "falls then exceeds its highest", steps: []step{
			{do: create(40, 0), adds: 40}, {do: setCount(2), notCounted: 2}, {do: setCount(45), adds: 5, notCounted: 38},
		}},
		{name: "falls then stays below its highest", steps: []step{
			{do: create(40, 0), adds: 40}, {do: setCount(2), notCounted: 2}, {do: setCount(7), notCounted: 5},
		}},
		{name: "resets with a later timestamp", steps: []step{
			{do: create(40, 0), adds: 40}, {do: restart(3, later), adds: 3}, {do: setCount(4), adds: 1},
		}},
		{name: "renews its timestamp at an update", steps: []step{
			{do: create(1, 0), adds: 1}, {do: restart(2, later), adds: 2, counted: 1},
		}},
		{name: "gets its first timestamp late", steps: []step{
			{do: createWithoutTime(5), adds: 1, notCounted: 4}, {do: restart(6, 0), adds: 6, counted: 5},
		}},
		{name: "is overwritten by the run before", steps: []step{
			{do: create(3, 0), adds: 3}, {do: restart(2, later), adds: 2},
			{do: restart(4, 0), notCounted: 4}, {do: restart(3, later), adds: 1},
		}},
	})
}

func TestDeletedAndRecreatedEvents(t *testing.T) {
	t.Parallel()
	recreate := func(count int32, first time.Duration) func(*bench, object) {
		return inTurn(remove, create(count, first))
	}
	play(t, []history{
		{name: "is deleted", steps: []step{{do: create(3, 0), adds: 3}, {do: remove}}},
		{name: "continues with its full count", steps: []step{
			{do: create(1, 0), adds: 1}, {do: setCount(40), adds: 39}, {do: remove}, {do: create(60, 0), adds: 20},
		}},
		{name: "continues at once", steps: []step{{do: create(40, 0), adds: 40}, {do: recreate(41, 0), adds: 1}}},
		{name: "is restored as it was", steps: []step{{do: create(40, 0), adds: 40}, {do: recreate(40, 0)}}},
		{name: "continues as a series", steps: []step{
			{do: createSeries(2, 0), adds: 2}, {do: inTurn(remove, createSeries(9, 0)), adds: 7},
		}},
		{name: "begins anew with 1", steps: []step{{do: create(5, 0), adds: 5}, {do: recreate(1, 0), adds: 1}}},
		{name: "begins anew with 1 later", steps: []step{
			{do: create(5, 0), adds: 5}, {do: recreate(1, later), adds: 1},
		}},
		{name: "begins anew with a lower count later", steps: []step{
			{do: create(5, 0), adds: 5}, {do: recreate(4, later), adds: 4},
		}},
		{name: "begins anew with a higher count later", steps: []step{
			{do: create(2, 0), adds: 2}, {do: recreate(5, later), adds: 5, counted: 2},
		}},
		// It may be a late write of a run that was counted long ago.
		{name: "comes back with an earlier timestamp", steps: []step{
			{do: create(5, 0), adds: 5}, {do: recreate(4, before), adds: 1, counted: 1, notCounted: 3},
		}},
		{name: "comes back without a timestamp", steps: []step{
			{do: create(5, 0), adds: 5}, {do: inTurn(remove, createWithoutTime(4)), adds: 1, notCounted: 3},
		}},
	})
}

func TestEventsThatWereThereBefore(t *testing.T) {
	t.Parallel()
	play(t, []history{
		{name: "do not count", before: create(7, before)},
		{name: "do not count when deleted", before: create(7, before), steps: []step{{do: remove}}},
		{name: "do not count when labelled", before: create(7, before), steps: []step{
			{do: func(b *bench, o object) { b.SetLabel(o.name, "team", "blue") }},
		}},
		{name: "rise by one", before: create(7, before), steps: []step{
			{do: setCount(8), adds: 1}, {do: setCount(10), adds: 2},
		}},
		{name: "rise by more", before: create(7, before), steps: []step{
			{do: setCount(10), adds: 3, counted: 2}, {do: setCount(12), adds: 2},
		}},
		{name: "publish a series anew", before: createSeries(5, before), steps: []step{
			{do: setSeries(9), adds: 4, counted: 4}, {do: setSeries(12), adds: 3},
		}},
		{name: "become a series", before: createSeries(0, before), steps: []step{
			{do: setSeries(2), adds: 1}, {do: setSeries(40), adds: 38},
		}},
		{name: "continue after a deletion", before: create(7, before), steps: []step{
			{do: remove}, {do: create(10, before), adds: 3, counted: 2},
		}},
		{name: "begin a new run", before: create(7, before), steps: []step{
			{do: restart(3, 8*time.Second), adds: 3, counted: 2}, {do: setCount(5), adds: 2},
		}},
		{name: "renew their timestamp", before: create(7, before), steps: []step{
			{do: restart(9, 8*time.Second), adds: 9, counted: 8},
		}},
	})
}

func TestFirstSeriesRiseWithinTheSyncPeriodJoinsTheBaseline(t *testing.T) {
	t.Parallel()
	play(t, []history{
		{name: "series", before: createSeries(5, before), steps: []step{
			{do: setSeries(9), notCounted: 4}, {do: setSeries(12), adds: 3},
		}},
		{name: "record", before: create(5, before), steps: []step{{do: setCount(7), adds: 2, counted: 1}}},
	}, "--sync-period=1h")
}

func TestFirstSightsSoonAfterTheStartAreUncertain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter("--namespaces=" + b.Namespace)
	b.Create(b.Record("young", "young", 7, b.exporter.ReadyAt))
	scrape := b.expect(exporter.Counts{b.pod("young"): 7})
	b.expectUncertain(scrape, exporter.Uncertain{Counted: 6})
}
