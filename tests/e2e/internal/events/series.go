package events

import (
	"context"
	"sync/atomic"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	toolsevents "k8s.io/client-go/tools/events"
)

// SeriesRecorder is client-go's tools/events recorder, which the scheduler and
// newer controllers use. It publishes the second occurrence of an Event and
// then only the state of the series every 30 minutes.
type SeriesRecorder struct {
	toolsevents.EventRecorder
	Sink *SeriesSink

	t           testing.TB
	broadcaster toolsevents.EventBroadcaster
	stop        context.CancelFunc
}

// NewSeriesRecorder starts a recorder that writes until the test ends.
func NewSeriesRecorder(t testing.TB, client kubernetes.Interface, controller string) *SeriesRecorder {
	sink := &SeriesSink{EventSink: &toolsevents.EventSinkImpl{Interface: client.EventsV1()}}
	broadcaster := toolsevents.NewBroadcaster(sink)
	r := &SeriesRecorder{
		EventRecorder: broadcaster.NewRecorder(scheme.Scheme, controller),
		Sink:          sink,
		t:             t,
		broadcaster:   broadcaster,
		stop:          func() {},
	}
	t.Cleanup(broadcaster.Shutdown)
	r.Heartbeat()
	return r
}

// Heartbeat makes the recorder publish its series now instead of up to half an
// hour later: the loop that refreshes them begins with a round whenever
// recording is started, and the series outlive a stop.
func (r *SeriesRecorder) Heartbeat() {
	r.t.Helper()
	r.stop()
	ctx, cancel := context.WithCancel(r.t.Context())
	if err := r.broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		r.t.Fatal(err)
	}
	r.stop = cancel
}

// SeriesSink counts the writes that succeeded.
type SeriesSink struct {
	toolsevents.EventSink
	created, patched atomic.Int64

	// LastCount is the series count of the Event written last.
	LastCount atomic.Int64
}

// Writes returns how many POST and PATCH requests succeeded.
func (s *SeriesSink) Writes() (created, patched int64) { return s.created.Load(), s.patched.Load() }

// Create implements events.EventSink.
func (s *SeriesSink) Create(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	created, err := s.EventSink.Create(ctx, event)
	if err == nil {
		s.remember(created)
		s.created.Add(1)
	}
	return created, err
}

// Patch implements events.EventSink.
func (s *SeriesSink) Patch(ctx context.Context, event *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	patched, err := s.EventSink.Patch(ctx, event, data)
	if err == nil {
		s.remember(patched)
		s.patched.Add(1)
	}
	return patched, err
}

func (s *SeriesSink) remember(event *eventsv1.Event) {
	if event.Series != nil {
		s.LastCount.Store(int64(event.Series.Count))
	}
}
