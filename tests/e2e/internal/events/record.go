package events

import (
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// RecordRecorder is client-go's tools/record recorder, which the kubelet and
// most controllers use, with a view of what it wrote.
type RecordRecorder struct {
	record.EventRecorder
	Sink *RecordSink
}

// NewRecordRecorder starts a recorder that writes until the test ends.
func NewRecordRecorder(
	t testing.TB, client kubernetes.Interface, component string, options record.CorrelatorOptions,
) RecordRecorder {
	broadcaster := record.NewBroadcaster(record.WithContext(t.Context()), record.WithCorrelatorOptions(options))
	t.Cleanup(broadcaster.Shutdown)
	sink := &RecordSink{EventSink: &typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")}}
	broadcaster.StartRecordingToSink(sink)
	source := corev1.EventSource{Component: component, Host: "node-1"}
	return RecordRecorder{EventRecorder: broadcaster.NewRecorder(scheme.Scheme, source), Sink: sink}
}

// RecordSink counts the writes that succeeded. A recorder writes in the
// background: tests wait for these numbers.
type RecordSink struct {
	record.EventSink
	created, patched atomic.Int64

	// LastCount is the count of the Event written last.
	LastCount atomic.Int64
}

// Writes returns how many POST and PATCH requests succeeded.
func (s *RecordSink) Writes() (created, patched int64) { return s.created.Load(), s.patched.Load() }

// Create implements record.EventSink.
func (s *RecordSink) Create(event *corev1.Event) (*corev1.Event, error) {
	created, err := s.EventSink.Create(event)
	if err == nil {
		s.LastCount.Store(int64(created.Count))
		s.created.Add(1)
	}
	return created, err
}

// Patch implements record.EventSink.
func (s *RecordSink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	patched, err := s.EventSink.Patch(event, data)
	if err == nil {
		s.LastCount.Store(int64(patched.Count))
		s.patched.Add(1)
	}
	return patched, err
}
