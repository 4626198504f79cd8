// Package events writes Events: by hand, in every shape the API server takes,
// and with the recorders that Kubernetes components use.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"kube-events-exporter/tests/e2e/internal/poll"
)

// Writer writes into one namespace. A write that the API server refuses ends
// the test.
type Writer struct {
	T         testing.TB
	Client    kubernetes.Interface
	Namespace string
	// Patience is how long a write that fails is repeated, so that an outage
	// of the control plane leaves no doubt about what was written. 0: never.
	Patience time.Duration
}

// Record is an Event as client-go's tools/record writes it: the count and the
// time of the first occurrence are fields of core/v1. A zero first leaves the
// timestamps unset, count 0 leaves the count out.
func (w Writer) Record(name, reason string, count int32, first time.Time) *corev1.Event {
	event := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: w.Namespace, Name: "pod-1"},
		Reason:         reason,
		Message:        "written by hand",
		Type:           corev1.EventTypeNormal,
		Source:         corev1.EventSource{Component: "by-hand"},
		Count:          count,
	}
	if !first.IsZero() {
		event.FirstTimestamp, event.LastTimestamp = metav1.NewTime(first), metav1.Now()
	}
	return event
}

// Series is an Event as client-go's tools/events writes it. Count 0 means no
// series: it happened once.
func (w Writer) Series(name, reason string, count int32, first time.Time) *eventsv1.Event {
	event := &eventsv1.Event{
		ObjectMeta:          metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		EventTime:           metav1.NewMicroTime(first),
		ReportingController: "example.com/by-hand",
		ReportingInstance:   "by-hand-1",
		Action:              "Testing",
		Reason:              reason,
		Regarding:           corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: w.Namespace, Name: "pod-1"},
		Note:                "written by hand",
		Type:                corev1.EventTypeNormal,
	}
	if count > 0 {
		event.Series = &eventsv1.EventSeries{Count: count, LastObservedTime: metav1.NowMicro()}
	}
	return event
}

// Create posts an Event of either API.
func (w Writer) Create(event any) {
	w.T.Helper()
	w.write("create", apierrors.IsAlreadyExists, func(ctx context.Context) error {
		var err error
		switch e := event.(type) {
		case *corev1.Event:
			_, err = w.Client.CoreV1().Events(e.Namespace).Create(ctx, e, metav1.CreateOptions{})
		case *eventsv1.Event:
			_, err = w.Client.EventsV1().Events(e.Namespace).Create(ctx, e, metav1.CreateOptions{})
		default:
			err = poll.Final{Err: fmt.Errorf("%T is no Event", event)}
		}
		return err
	})
}

// SetCount publishes further occurrences as tools/record does.
func (w Writer) SetCount(name string, count int32) {
	w.T.Helper()
	w.Patch(name, map[string]any{"count": count, "lastTimestamp": metav1.Now()})
}

// Restart publishes a count together with a new first occurrence.
func (w Writer) Restart(name string, count int32, first time.Time) {
	w.T.Helper()
	w.Patch(name, map[string]any{"count": count, "firstTimestamp": metav1.NewTime(first), "lastTimestamp": metav1.Now()})
}

// SetSeries publishes further occurrences as tools/events does.
func (w Writer) SetSeries(name string, count int32) {
	w.T.Helper()
	w.Patch(name, map[string]any{"series": map[string]any{"count": count, "lastObservedTime": metav1.NowMicro()}})
}

// SetLabel changes nothing but a label; an empty value removes it.
func (w Writer) SetLabel(name, key, value string) {
	w.T.Helper()
	labels := map[string]any{key: value}
	if value == "" {
		labels[key] = nil
	}
	w.Patch(name, map[string]any{"metadata": map[string]any{"labels": labels}})
}

// Patch merges fields of core/v1 into the Event.
func (w Writer) Patch(name string, fields map[string]any) {
	w.T.Helper()
	patch, err := json.Marshal(fields)
	if err != nil {
		w.T.Fatal(err)
	}
	w.write("patch", nil, func(ctx context.Context) error {
		_, err := w.Client.CoreV1().Events(w.Namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// Delete removes an Event as its TTL or an administrator does.
func (w Writer) Delete(name string) {
	w.T.Helper()
	w.write("delete", apierrors.IsNotFound, func(ctx context.Context) error {
		return w.Client.CoreV1().Events(w.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
	})
}

// Recreate deletes an Event and posts another one under its name.
func (w Writer) Recreate(event *corev1.Event) {
	w.T.Helper()
	w.Delete(event.Name)
	w.Create(event)
}

// write makes one request, or as many as it takes within Patience. One that
// failed may have been carried out nevertheless: done tells so by the error of
// the next.
func (w Writer) write(what string, done func(error) bool, request func(context.Context) error) {
	w.T.Helper()
	limit := requestTimeout
	if w.Patience > 0 {
		limit = impatientTimeout
	}
	repeated := false
	err := poll.Until(w.T.Context(), max(w.Patience, requestTimeout), func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err := request(ctx)
		if repeated && done != nil && done(err) {
			return nil
		}
		repeated = true
		if err != nil && w.Patience == 0 {
			return poll.Final{Err: err}
		}
		return err
	})
	if w.T.Context().Err() != nil {
		// The test is over, and has its verdict.
		runtime.Goexit()
	}
	if err != nil {
		w.T.Fatalf("%s: %v", what, err)
	}
}

// impatientTimeout bounds one of several tries: an API server without its etcd
// does not answer.
const impatientTimeout = 5 * time.Second
