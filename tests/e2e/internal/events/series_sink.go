package events

import (
	"context"
	"sync/atomic"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/kubernetes"
	toolsevents "k8s.io/client-go/tools/events"
)

const requestTimeout = 20 * time.Second

// SeriesSink is where a SeriesRecorder writes to. It counts the writes that
// succeeded.
//
// A request is made by a goroutine outside of the recorder's bubble: the
// connections of an HTTP client would keep fake time from passing. The channels
// come from outside too, so that time waits for the answer.
type SeriesSink struct {
	created, patched atomic.Int64

	api    toolsevents.EventSinkImpl
	calls  chan func()
	called chan struct{}
	turn   chan struct{}
}

func newSeriesSink(client kubernetes.Interface) *SeriesSink {
	s := &SeriesSink{
		api:    toolsevents.EventSinkImpl{Interface: client.EventsV1()},
		calls:  make(chan func()),
		called: make(chan struct{}),
		turn:   make(chan struct{}, 1),
	}
	go func() {
		for call := range s.calls {
			call()
			s.called <- struct{}{}
		}
	}()
	return s
}

func (s *SeriesSink) stop() { close(s.calls) }

// outside runs call in real time, one at a time.
func (s *SeriesSink) outside(call func(context.Context)) {
	s.turn <- struct{}{}
	s.calls <- func() {
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		defer cancel()
		call(ctx)
	}
	<-s.called
	<-s.turn
}

// Writes returns how many POST and PATCH requests succeeded.
func (s *SeriesSink) Writes() (created, patched int64) { return s.created.Load(), s.patched.Load() }

// Create implements events.EventSink.
func (s *SeriesSink) Create(_ context.Context, event *eventsv1.Event) (created *eventsv1.Event, err error) {
	s.outside(func(ctx context.Context) { created, err = s.api.Create(ctx, event) })
	if err == nil {
		s.created.Add(1)
	}
	return created, err
}

// Update implements events.EventSink; the recorder does not use it.
func (s *SeriesSink) Update(_ context.Context, event *eventsv1.Event) (updated *eventsv1.Event, err error) {
	s.outside(func(ctx context.Context) { updated, err = s.api.Update(ctx, event) })
	return updated, err
}

// Patch implements events.EventSink.
func (s *SeriesSink) Patch(_ context.Context, event *eventsv1.Event, data []byte) (patched *eventsv1.Event, err error) {
	s.outside(func(ctx context.Context) { patched, err = s.api.Patch(ctx, event, data) })
	if err == nil {
		s.patched.Add(1)
	}
	return patched, err
}
