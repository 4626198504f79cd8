package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sys/unix"
)

// unit says how a figure in seconds or bytes is written.
type unit struct {
	name  string
	scale float64
}

var (
	microseconds = unit{"µs", 1e6}
	milliseconds = unit{"ms", 1e3}
	seconds      = unit{"s", 1}
	mebibytes    = unit{"MiB", 1.0 / (1 << 20)}
)

func (u unit) format(value float64) string {
	value *= u.scale
	switch {
	case value < 10:
		return fmt.Sprintf("%.2f %s", value, u.name)
	case value < 100:
		return fmt.Sprintf("%.1f %s", value, u.name)
	default:
		return fmt.Sprintf("%.0f %s", value, u.name)
	}
}

// line is a row with the medians of both programs.
type line struct {
	row
	exporter, goProgram float64
}

func printTable(out io.Writer, lines []line) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "measured\texporter\tclient-go\tratio\ttarget\t")
	for _, l := range lines {
		target, verdict := "–", ""
		if l.target > 0 {
			target, verdict = fmt.Sprintf("1/%.0f", 1/l.target), "not reached"
			if l.exporter <= l.target*l.goProgram {
				verdict = "reached"
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t1/%.1f\t%s\t%s\n", l.label, l.unit.format(l.exporter),
			l.unit.format(l.goProgram), l.goProgram/l.exporter, target, verdict)
	}
	table.Flush()
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// describeMachine is what a reader needs to compare the figures with others.
func describeMachine() string {
	model := "unknown CPU"
	info, _ := os.ReadFile("/proc/cpuinfo")
	for _, text := range strings.Split(string(info), "\n") {
		if name, found := strings.CutPrefix(text, "model name"); found {
			model = strings.TrimLeft(name, "\t :")
			break
		}
	}
	var system unix.Utsname
	_ = unix.Uname(&system)
	load, _ := os.ReadFile("/proc/loadavg")
	average, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("%s, %d cores, Linux %s, %s, load %s", model, runtime.NumCPU(),
		unix.ByteSliceToString(system.Release[:]), runtime.Version(), average)
}
