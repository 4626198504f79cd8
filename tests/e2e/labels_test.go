package e2e

import (
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

func TestLabelsSurviveTheExposition(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter()
	want := exporter.Counts{}
	for name, labels := range map[string]exporter.Series{
		"quoted":  {Type: "Normal", Kind: "Pod", Reason: `said "no" to C:\temp`},
		"lines":   {Type: "Normal", Kind: "Pod", Reason: "first\nsecond\ttab"},
		"unicode": {Type: "Normal", Kind: "Pod", Reason: "schließen – 終了 🙂"},
		"free":    {Type: "Info", Kind: "Pod", Reason: "FreeType"},
		"empty":   {},
	} {
		labels.Namespace = b.Namespace
		event := b.Record(name, labels.Reason, 1, time.Now())
		event.Type, event.InvolvedObject.Kind = labels.Type, labels.Kind
		b.Create(event)
		want[labels] = 1
	}
	b.expect(want)
}

func TestLabelsAreTakenFromTheEventAsItIsNow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter()
	b.Create(b.Record("event", "Probing", 1, time.Now()))
	b.SetCount("event", 2)
	b.Patch("event", map[string]any{"type": "Warning", "count": 5})
	b.expect(exporter.Counts{
		b.pod("Probing"): 2,
		{Type: "Warning", Namespace: b.Namespace, Kind: "Pod", Reason: "Probing"}: 3,
	})
}

func TestTheMessageIsNoPartOfIdentity(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter()
	b.Create(b.Record("event", "Combined", 1, time.Now()))
	for i, message := range []string{"(combined from similar events): a", "(combined from similar events): b"} {
		b.Patch("event", map[string]any{"message": message, "count": i + 2})
	}
	b.expect(exporter.Counts{b.pod("Combined"): 3})
}

func TestALongMessageIsNoObstacle(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter()
	event := b.Record("long", "Long", 1, time.Now())
	text := make([]byte, 1<<20)
	for i := range text {
		text[i] = 'x'
	}
	event.Message = string(text)
	b.Create(event)
	b.SetCount("long", 4)
	b.expect(exporter.Counts{b.pod("Long"): 4})
}

func TestInitialListOfManyPagesIsTheBaseline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const eventsBefore = 95
	names := make([]string, eventsBefore)
	for i := range names {
		names[i] = "page-" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		b.Create(b.Record(names[i], "Paged", 1, time.Now().Add(before)))
	}
	b.startExporter("--namespaces="+b.Namespace, "--list-page-size=10")
	scrape := b.expect(exporter.Counts{b.pod("Paged"): 0})
	if cached := scrape.Own("cached_events"); cached != eventsBefore+1 {
		t.Errorf("cached_events = %v, want %d and the sentinel", cached, eventsBefore)
	}
	for _, name := range names {
		b.SetCount(name, 2)
	}
	scrape = b.expect(exporter.Counts{b.pod("Paged"): eventsBefore})
	// An Event on a page that got lost would have been a first sight.
	b.expectUncertain(scrape, exporter.Uncertain{})
}
