package exporter

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Series is a label set of kube_events_total.
type Series struct {
	Type, Namespace, Kind, Reason string
}

func (s Series) String() string {
	return fmt.Sprintf("{%s ns=%q %s %s}", s.Type, s.Namespace, s.Kind, s.Reason)
}

// Counts is kube_events_total, or the part of it that a test is about.
type Counts map[Series]float64

// Only returns the part of the counts whose series pass.
func (c Counts) Only(pass func(Series) bool) Counts {
	part := maps.Clone(c)
	maps.DeleteFunc(part, func(s Series, _ float64) bool { return !pass(s) })
	return part
}

// Diff returns one line for each series that is not as wanted, "" if all are.
func (c Counts) Diff(want Counts) string {
	var lines []string
	for series, value := range c {
		if wanted, known := want[series]; !known {
			lines = append(lines, fmt.Sprintf("  %v = %v, want no such series", series, value))
		} else if wanted != value {
			lines = append(lines, fmt.Sprintf("  %v = %v, want %v", series, value, wanted))
		}
	}
	for series, wanted := range want {
		if _, present := c[series]; !present {
			lines = append(lines, fmt.Sprintf("  %v is absent, want %v", series, wanted))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Scrape is one answer of /metrics.
type Scrape struct {
	Counts   Counts
	families map[string]*dto.MetricFamily
}

// ParseScrape reads a page in the Prometheus text format.
func ParseScrape(body io.Reader) (Scrape, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(body)
	if err != nil {
		return Scrape{}, fmt.Errorf("/metrics is no valid exposition: %w", err)
	}
	counts := Counts{}
	for _, metric := range families["kube_events_total"].GetMetric() {
		series, err := seriesOf(metric)
		if err != nil {
			return Scrape{}, err
		}
		counts[series] = metric.GetCounter().GetValue()
	}
	return Scrape{Counts: counts, families: families}, nil
}

func seriesOf(metric *dto.Metric) (Series, error) {
	labels := labelsOf(metric)
	series := Series{
		Type:      labels["type"],
		Namespace: labels["involved_object_namespace"],
		Kind:      labels["involved_object_kind"],
		Reason:    labels["reason"],
	}
	// Prometheus takes an absent label for an empty one, and so do we.
	for _, known := range []string{"type", "involved_object_namespace", "involved_object_kind", "reason"} {
		delete(labels, known)
	}
	if len(labels) > 0 {
		return Series{}, fmt.Errorf("kube_events_total has unknown labels %v", labels)
	}
	return series, nil
}

// Own returns the value of a metric about the exporter itself, summed over its
// label sets that contain the given pairs. An absent one is 0.
func (s Scrape) Own(name string, pairs ...string) float64 {
	sum := 0.0
	for _, metric := range s.families["kube_events_exporter_"+name].GetMetric() {
		labels := labelsOf(metric)
		matches := true
		for i := 0; i < len(pairs); i += 2 {
			matches = matches && labels[pairs[i]] == pairs[i+1]
		}
		if matches {
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + metric.GetUntyped().GetValue()
		}
	}
	return sum
}

// Uncertain is kube_events_exporter_uncertain_occurrences_total.
type Uncertain struct {
	Counted, NotCounted float64
}

// Uncertain reads what the exporter could not know.
func (s Scrape) Uncertain() Uncertain {
	const name = "uncertain_occurrences_total"
	return Uncertain{Counted: s.Own(name, "kind", "counted"), NotCounted: s.Own(name, "kind", "not_counted")}
}

func labelsOf(metric *dto.Metric) map[string]string {
	labels := map[string]string{}
	for _, pair := range metric.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels
}
