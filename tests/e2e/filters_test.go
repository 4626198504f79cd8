package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

// The Events of writeMixed, by reason.
const (
	pulled       = "Pulled"       // Normal, Pod, reporting controller kubelet
	backOff      = "BackOff"      // Warning, Pod, source component kubelet
	failedCreate = "FailedCreate" // Warning, Deployment, deployment-controller
)

func (b *bench) writeMixed() {
	now := time.Now()
	first := b.Record("pulled", pulled, 1, now)
	first.Source = corev1.EventSource{}
	first.ReportingController = "kubelet"
	b.Create(first)

	second := b.Record("back-off", backOff, 1, now)
	second.Type, second.Source.Component = "Warning", "kubelet"
	b.Create(second)
	b.SetCount(second.Name, 3)

	third := b.Record("failed-create", failedCreate, 1, now)
	third.Type = "Warning"
	third.InvolvedObject.APIVersion, third.InvolvedObject.Kind = "apps/v1", "Deployment"
	third.ReportingController = "deployment-controller"
	b.Create(third)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	warnings := func(e *corev1.Event) { e.Type = "Warning" }
	byKubelet := func(e *corev1.Event) { e.ReportingController = "kubelet" }
	byOther := func(e *corev1.Event) { e.ReportingController = "other" }
	deployments := func(e *corev1.Event) {
		e.InvolvedObject.APIVersion, e.InvolvedObject.Kind = "apps/v1", "Deployment"
	}
	asIs := func(*corev1.Event) {}
	for _, c := range []struct {
		args     []string
		sentinel func(*corev1.Event)
		counts   []string
	}{
		{args: []string{"--event-types=Warning"}, sentinel: warnings, counts: []string{backOff, failedCreate}},
		{args: []string{"--event-types=!Normal"}, sentinel: warnings, counts: []string{backOff, failedCreate}},
		{args: []string{"--involved-object-kinds=Pod"}, sentinel: asIs, counts: []string{pulled, backOff}},
		{args: []string{"--involved-object-kinds=!Pod"}, sentinel: deployments, counts: []string{failedCreate}},
		{args: []string{"--involved-object-api-groups=core"}, sentinel: asIs, counts: []string{pulled, backOff}},
		{args: []string{"--involved-object-api-groups=apps"}, sentinel: deployments, counts: []string{failedCreate}},
		{args: []string{"--reasons=BackOff,Sentinel"}, sentinel: asIs, counts: []string{backOff}},
		{args: []string{"--reasons=BackOff", "--reasons=!Pulled", "--reasons=Sentinel"}, sentinel: asIs,
			counts: []string{backOff}},
		{args: []string{"--reporting-controllers=kubelet"}, sentinel: byKubelet, counts: []string{pulled, backOff}},
		{args: []string{"--reporting-controllers=!kubelet"}, sentinel: byOther, counts: []string{failedCreate}},
		{args: []string{"--event-types=Warning", "--involved-object-kinds=Pod"}, sentinel: warnings,
			counts: []string{backOff}},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			b := newBench(t)
			b.shapeSentinel = c.sentinel
			b.startExporter(append(c.args, "--namespaces="+b.Namespace)...)
			b.writeMixed()
			b.expect(b.mixed(c.counts))
		})
	}
}

// mixed is the part of what writeMixed wrote that has one of the reasons.
func (b *bench) mixed(reasons []string) exporter.Counts {
	all := map[string]exporter.Counts{
		pulled:       {b.pod(pulled): 1},
		backOff:      {{Type: "Warning", Namespace: b.Namespace, Kind: "Pod", Reason: backOff}: 3},
		failedCreate: {{Type: "Warning", Namespace: b.Namespace, Kind: "Deployment", Reason: failedCreate}: 1},
	}
	want := exporter.Counts{}
	for _, reason := range reasons {
		want = merged(want, all[reason])
	}
	return want
}

func TestInvolvedObjectNamespaceFilter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		allow func(namespace string) string
		nodes bool
	}{
		"one namespace":                   {allow: func(namespace string) string { return namespace }},
		"one namespace and cluster scope": {allow: func(namespace string) string { return "," + namespace }, nodes: true},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			b := newBench(t)
			rebooted := "Rebooted-" + b.Namespace
			// All namespaces must be absent, not only those of other tests.
			b.owns = func(s exporter.Series) bool { return s.Namespace != "" || s.Reason == rebooted }
			b.startExporter("--involved-object-namespaces=" + c.allow(b.Namespace))
			b.createForNode(rebooted)
			other := newBench(t)
			other.Create(other.Record("other", pulled, 1, time.Now()))
			b.Create(b.Record("mine", pulled, 1, time.Now()))
			want := exporter.Counts{b.pod(pulled): 1}
			if c.nodes {
				want[exporter.Series{Type: "Normal", Kind: "Node", Reason: rebooted}] = 1
			}
			b.expect(want)
		})
	}
}

// createForNode writes an Event of a cluster-scoped object: it lies in
// namespace default.
func (b *bench) createForNode(reason string) {
	b.Helper()
	event := b.Record("node-"+b.Namespace, reason, 1, time.Now())
	event.Namespace = "default"
	event.InvolvedObject = corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: "node-1"}
	b.Create(event)
}

func TestFilteredEventsAreStillKnown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.shapeSentinel = func(e *corev1.Event) { e.Type = "Warning" }
	b.startExporter("--namespaces="+b.Namespace, "--event-types=!Normal")
	b.Create(b.Record("escalates", pulled, 3, time.Now()))
	b.expect(exporter.Counts{})
	b.Patch("escalates", map[string]any{"type": "Warning", "count": 5})
	b.expect(exporter.Counts{{Type: "Warning", Namespace: b.Namespace, Kind: "Pod", Reason: pulled}: 2})
}

func TestLabelSelectorSeesAnEventStartAndStopMatching(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.shapeSentinel = func(e *corev1.Event) { e.Labels = map[string]string{"watched": "yes"} }
	b.startExporter("--namespaces="+b.Namespace, "--label-selector=watched=yes")
	b.waitUntilFresh()
	b.Create(b.Record("event", pulled, 3, time.Now()))
	b.expect(exporter.Counts{})
	b.SetLabel("event", "watched", "yes")
	b.expect(exporter.Counts{b.pod(pulled): 3})
	b.SetLabel("event", "watched", "")
	b.SetCount("event", 5)
	b.expect(exporter.Counts{b.pod(pulled): 3})
	b.SetLabel("event", "watched", "yes")
	b.expect(exporter.Counts{b.pod(pulled): 5})
}

func TestFieldSelectorIsLeftToTheServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.shapeSentinel = func(e *corev1.Event) { e.Type = "Warning" }
	b.startExporter("--field-selector=metadata.namespace=" + b.Namespace + ",type=Warning")
	b.owns = func(exporter.Series) bool { return true }
	b.writeMixed()
	b.expect(b.mixed([]string{backOff, failedCreate}))
}
