// Command bench measures the exporter beside the Go program go-exporter, each
// in turn with a simulated API server that gives both the same stream, and
// proves with every trial that it has counted right. scripts/bench.sh builds
// and runs it; docs/performance.md tells what the figures mean.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

type bench struct {
	exporter  program
	goProgram program
	simulator string
	dir       string
	seed      int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	exporterPath := flag.String("exporter", "", "the exporter")
	goPath := flag.String("go-exporter", "", "the Go program")
	simulator := flag.String("sim", "", "sim-apiserver")
	files := flag.String("files", "", "files whose sizes are compared: LABEL=EXPORTER:GO,…")
	quick := flag.Bool("quick", false, "smaller sizes, one trial each")
	only := flag.String("only", "", "only cases whose name matches this expression")
	trials := flag.Int("trials", 0, "trials of each program and case instead of 3")
	seed := flag.Int("seed", 7, "of the simulated cluster")
	realModule := flag.String("real", "", "measure beside a real kube-apiserver too; the folder of its Go module")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	b := bench{exporter: theExporter(*exporterPath), goProgram: theGoProgram(*goPath), simulator: *simulator, seed: *seed}
	sizeLines, err := compareFiles(*files)
	if err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "kube-events-exporter-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	s := fullSizes
	if *quick {
		s = quickSizes
	}
	if *trials > 0 {
		s.trials, s.starts = *trials, *trials
	}
	if *quick {
		fmt.Println("quick: so small that what each program needs by itself hides part of the difference")
	}
	fmt.Println(describeMachine())
	fmt.Printf("seed %d, medians of %d trials, which alternate\n\n", b.seed, s.trials)
	var lines []line
	for _, c := range plan(s) {
		if !wanted.MatchString(c.name) {
			continue
		}
		measured, err := b.runCase(ctx, c, b.runTrial)
		if err != nil {
			return err
		}
		lines = append(lines, measured...)
	}
	if *realModule != "" {
		measured, err := b.runReal(ctx, *realModule, s)
		if err != nil {
			return err
		}
		lines = append(lines, measured...)
	}
	printTable(os.Stdout, append(lines, sizeLines...))
	return nil
}

func (b *bench) runReal(ctx context.Context, moduleDir string, s sizes) ([]line, error) {
	dir, err := os.MkdirTemp(b.dir, "real-")
	if err != nil {
		return nil, err
	}
	server, err := startRealServer(ctx, moduleDir, dir)
	if err != nil {
		return nil, err
	}
	defer server.plane.Stop()
	return b.runCase(ctx, realCase(s), server.try)
}

// tryFunc measures one program once; the series are what it counted.
type tryFunc func(context.Context, program, benchCase) (figures, exporter.Counts, error)

// runCase lets both programs take turns. All trials, of both, must show the
// same series with the same values.
func (b *bench) runCase(ctx context.Context, c benchCase, try tryFunc) ([]line, error) {
	programs := []program{b.exporter, b.goProgram}
	values := map[string]map[string][]float64{} // by label and program
	var first exporter.Counts
	for i := range c.trials {
		for _, p := range programs {
			measured, series, err := try(ctx, p, c)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", c.name, p.name, err)
			}
			if first == nil {
				first = series
			}
			if diff := series.Diff(first); diff != "" {
				return nil, fmt.Errorf("%s: %s: the trials do not show the same:\n%s", c.name, p.name, firstLines(diff))
			}
			for _, r := range c.rows {
				if values[r.label] == nil {
					values[r.label] = map[string][]float64{}
				}
				values[r.label][p.name] = append(values[r.label][p.name], measured[r.label])
				fmt.Fprintf(os.Stderr, "trial %d: %s: %s: %s\n", i+1, r.label, p.name, r.unit.format(measured[r.label]))
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d series, all counts right\n", c.name, len(first))
	var lines []line
	for _, r := range c.rows {
		lines = append(lines, line{r, median(values[r.label][b.exporter.name]), median(values[r.label][b.goProgram.name])})
	}
	return lines, nil
}

// compareFiles makes lines of "LABEL=EXPORTER:GO,…", where EXPORTER may be
// several files joined by ";".
func compareFiles(list string) ([]line, error) {
	var lines []line
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		label, files, _ := strings.Cut(part, "=")
		exporterFiles, goFiles, _ := strings.Cut(files, ":")
		exporterSize, err := totalSize(exporterFiles)
		if err != nil {
			return nil, err
		}
		goSize, err := totalSize(goFiles)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line{row{label: label, unit: mebibytes}, exporterSize, goSize})
	}
	return lines, nil
}

func totalSize(files string) (float64, error) {
	total := 0.0
	for _, file := range strings.Split(files, ";") {
		info, err := os.Stat(file)
		if err != nil {
			return 0, err
		}
		total += float64(info.Size())
	}
	return total, nil
}
