package main

import (
	"context"
	"fmt"
	"math"
)

// row is one line of the table.
type row struct {
	label string
	unit  unit
	// target is the share of the Go program's figure that is to be reached;
	// 0 where none is set.
	target float64
}

type measureFunc func(context.Context, *trial) error

// benchCase is what one trial measures; it may fill several rows.
type benchCase struct {
	name string
	cluster
	trials  int // of each program
	rows    []row
	measure measureFunc
}

// sizes of everything, for a full or a quick run.
type sizes struct {
	trials      int
	starts      int
	listed      int
	kept        int
	singles     int
	changes     int
	scrapes     int
	scrapeSteps []int // about so many series
}

var (
	fullSizes = sizes{trials: 3, starts: 9, listed: 100_000, kept: 300_000, singles: 5_000, changes: 100_000,
		scrapes: 40, scrapeSteps: []int{10_000, 30_000}}
	quickSizes = sizes{trials: 1, starts: 3, listed: 10_000, kept: 30_000, singles: 1_000, changes: 20_000,
		scrapes: 10, scrapeSteps: []int{1_000, 3_000}}
)

// The targets, as shares of what the Go program uses.
const (
	cpuTarget    = 1.0 / 10
	memoryTarget = 1.0 / 8
)

// watchedObjects exist when a watch is measured.
const watchedObjects = 2_000

// singleRate is low enough that nearly every change comes alone.
const singleRate = 500

// batchBytes is the size of a chunk that holds many frames.
const batchBytes = 64 << 10

func plan(s sizes) []benchCase {
	cases := []benchCase{startCase(s)}
	for _, tls := range []bool{false, true} {
		cases = append(cases,
			watchCase(s, "one at a time", tls, 0, s.singles, singleRate),
			watchCase(s, "a chunk each, at once", tls, 0, s.changes, 0),
			watchCase(s, "chunks of 64 KiB, at once", tls, batchBytes, s.changes, 0))
	}
	for _, series := range s.scrapeSteps {
		cases = append(cases, scrapeCase(s, series))
	}
	return append(cases, listCase(s, s.listed, false), listCase(s, s.listed, true), keepCase(s))
}

func startCase(s sizes) benchCase {
	const label = "start to /healthz 200"
	return benchCase{name: "start", cluster: cluster{objects: watchedObjects, namespaces: 12, changes: 100},
		trials: s.starts, rows: []row{{label: label, unit: milliseconds}}, measure: measureStart(label)}
}

func watchCase(s sizes, how string, tls bool, chunkBytes, changes, rate int) benchCase {
	label := fmt.Sprintf("CPU per watch event, %s, %s", how, protocol(tls))
	return benchCase{name: label,
		cluster: cluster{objects: watchedObjects, namespaces: 12, changes: changes, chunkBytes: chunkBytes, tls: tls},
		trials:  s.trials, rows: []row{{label: label, unit: microseconds, target: cpuTarget}},
		measure: measureWatch(label, rate)}
}

func listCase(s sizes, objects int, tls bool) benchCase {
	of := fmt.Sprintf("first list of %d objects, %s", objects, protocol(tls))
	cpu, peak, resident := row{"CPU, " + of, seconds, cpuTarget}, row{"peak RSS, " + of, mebibytes, memoryTarget},
		row{"RSS after the " + of, mebibytes, memoryTarget}
	return benchCase{name: of, cluster: cluster{objects: objects, namespaces: 12, changes: 1_000, tls: tls},
		trials: s.trials, rows: []row{cpu, peak, resident}, measure: measureList(cpu.label, peak.label, resident.label)}
}

func keepCase(s sizes) benchCase {
	of := fmt.Sprintf("%d objects", s.kept)
	cpu, peak, resident := row{"CPU, first list of " + of, seconds, cpuTarget},
		row{"peak RSS, first list of " + of, mebibytes, memoryTarget}, row{"RSS after " + of, mebibytes, memoryTarget}
	return benchCase{name: of, cluster: cluster{objects: s.kept, namespaces: 12, changes: 1_000},
		trials: s.trials, rows: []row{cpu, peak, resident}, measure: measureList(cpu.label, peak.label, resident.label)}
}

// scrapeCase has enough Events in enough namespaces that there are about so
// many series; both programs must have the same ones.
func scrapeCase(s sizes, series int) benchCase {
	plain := fmt.Sprintf("CPU per scrape of %d series, plain", series)
	gzip := fmt.Sprintf("CPU per scrape of %d series, gzip", series)
	const seriesPerNamespace = 20
	return benchCase{name: fmt.Sprintf("scrapes of %d series", series),
		cluster: cluster{objects: series * 5, namespaces: int(math.Round(float64(series) / seriesPerNamespace)),
			changes: series},
		trials:  s.trials,
		rows:    []row{{plain, milliseconds, cpuTarget}, {gzip, milliseconds, cpuTarget}},
		measure: measureScrapes(plain, gzip, s.scrapes)}
}

func protocol(tls bool) string {
	if tls {
		return "TLS"
	}
	return "plain"
}
