// Package events writes Events: by hand, in every shape the API server takes,
// and with the recorders that Kubernetes components use.
package events

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Writer writes into one namespace. A write that the API server refuses ends
// the test.
type Writer struct {
	T         testing.TB
	Client    kubernetes.Interface
	Namespace string
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
	ctx, cancel := w.context()
	defer cancel()
	var err error
	switch e := event.(type) {
	case *corev1.Event:
		_, err = w.Client.CoreV1().Events(e.Namespace).Create(ctx, e, metav1.CreateOptions{})
	case *eventsv1.Event:
		_, err = w.Client.EventsV1().Events(e.Namespace).Create(ctx, e, metav1.CreateOptions{})
	default:
		w.T.Fatalf("%T is no Event", event)
	}
	w.check("create", err)
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
	ctx, cancel := w.context()
	defer cancel()
	patch, err := json.Marshal(fields)
	if err == nil {
		_, err = w.Client.CoreV1().Events(w.Namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	w.check("patch", err)
}

// Delete removes an Event as its TTL or an administrator does.
func (w Writer) Delete(name string) {
	w.T.Helper()
	ctx, cancel := w.context()
	defer cancel()
	w.check("delete", w.Client.CoreV1().Events(w.Namespace).Delete(ctx, name, metav1.DeleteOptions{}))
}

// Recreate deletes an Event and posts another one under its name.
func (w Writer) Recreate(event *corev1.Event) {
	w.T.Helper()
	w.Delete(event.Name)
	w.Create(event)
}

func (w Writer) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.T.Context(), 20*time.Second)
}

func (w Writer) check(what string, err error) {
	w.T.Helper()
	if err == nil {
		return
	}
	if status, isStatus := err.(apierrors.APIStatus); isStatus {
		w.T.Fatalf("%s: the API server refused: %s", what, status.Status().Message)
	}
	w.T.Fatalf("%s: %v", what, err)
}
