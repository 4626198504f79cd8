package events

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	toolsevents "k8s.io/client-go/tools/events"
)

// SeriesRecorder is client-go's tools/events recorder, which the scheduler and
// newer controllers use. It publishes the first two occurrences at once, then
// the state of the series every 30 minutes and 6 to 12 minutes after its end.
//
// It runs in a bubble of fake time, so that half an hour passes at once. Time
// in the bubble stands still except in Pass.
type SeriesRecorder struct {
	Sink *SeriesSink

	commands chan func(toolsevents.EventRecorder)
	done     chan struct{}
}

// NewSeriesRecorder starts a recorder that writes until the test ends.
func NewSeriesRecorder(t *testing.T, client kubernetes.Interface, controller string) *SeriesRecorder {
	r := &SeriesRecorder{
		Sink:     newSeriesSink(client),
		commands: make(chan func(toolsevents.EventRecorder)),
		done:     make(chan struct{}),
	}
	ended := make(chan struct{})
	started := time.Now()
	go func() {
		defer close(ended)
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(started))
			r.run(t, controller)
		})
	}()
	t.Cleanup(func() {
		close(r.commands)
		<-ended
		r.Sink.stop()
	})
	return r
}

// Emit records an Event some times and returns when all that this writes to
// the API server is written.
func (r *SeriesRecorder) Emit(times int, regarding runtime.Object, eventType, reason, action, note string) {
	r.do(func(recorder toolsevents.EventRecorder) {
		for range times {
			recorder.Eventf(regarding, nil, eventType, reason, action, note)
			synctest.Wait()
		}
	})
}

// Pass lets time pass for the recorder.
func (r *SeriesRecorder) Pass(duration time.Duration) {
	r.do(func(toolsevents.EventRecorder) { time.Sleep(duration) })
}

func (r *SeriesRecorder) do(command func(toolsevents.EventRecorder)) {
	r.commands <- command
	<-r.done
}

func (r *SeriesRecorder) run(t *testing.T, controller string) {
	broadcaster := toolsevents.NewBroadcaster(r.Sink)
	ctx, cancel := context.WithCancel(context.Background())
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		t.Error(err)
	}
	recorder := broadcaster.NewRecorder(scheme.Scheme, controller)
	for command := range r.commands {
		command(recorder)
		synctest.Wait()
		r.done <- struct{}{}
	}
	cancel()
	broadcaster.Shutdown()
}
