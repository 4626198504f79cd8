package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

// phaseLimit bounds each phase of a trial; a failed program shows long before.
const phaseLimit = 5 * time.Minute

// figures are what one trial measured, by the key of their row.
type figures map[string]float64

// trial is one program beside a simulated API server of its own.
type trial struct {
	sim     *simulator
	subject *subject
	figures figures
}

// runTrial starts both, lets measure work with them, and proves that the
// program has counted all of the tape right. It returns the series too.
func (b *bench) runTrial(ctx context.Context, p program, c benchCase) (measured figures, series exporter.Counts, err error) {
	dir, err := os.MkdirTemp(b.dir, "trial-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	t := trial{figures: figures{}}
	if t.sim, err = startSimulator(ctx, b.simulator, dir, c.cluster, b.seed); err != nil {
		return nil, nil, err
	}
	defer t.sim.stop()
	if t.subject, err = startSubject(p, t.sim.kubeconfig, dir); err != nil {
		return nil, nil, err
	}
	defer func() {
		if stopped := t.subject.stop(); err == nil {
			err = stopped
		}
	}()
	if err := c.measure(ctx, &t); err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", err, t.subject.process.LogTail(10))
	}
	truth, err := t.sim.truth(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(truth) == 0 && c.changes > 0 {
		return nil, nil, errors.New("nothing happened in the simulated cluster")
	}
	series, err = t.subject.check(ctx, truth)
	return t.figures, series, err
}

// sync waits until the program has its first list and watches.
func (t *trial) sync(ctx context.Context) error {
	if _, err := t.subject.waitHealthy(ctx, 50*time.Millisecond); err != nil {
		return err
	}
	return t.sim.waitForWatch(ctx)
}

// measureList: everything from the start of the process to the rest after its
// first list. Then the tape shows that the list was understood.
func measureList(cpuKey, peakKey, residentKey string) measureFunc {
	return func(ctx context.Context, t *trial) error {
		if err := t.sync(ctx); err != nil {
			return err
		}
		used, err := waitIdle(ctx, t.subject.process)
		if err != nil {
			return err
		}
		now, peak, err := memory(t.subject.process.Pid())
		if err != nil {
			return err
		}
		t.figures[cpuKey], t.figures[peakKey], t.figures[residentKey] = used.Seconds(), peak, now
		return t.sim.play(ctx, 0)
	}
}

// measureWatch: the CPU time per change of the tape, played at a rate.
func measureWatch(key string, rate int) measureFunc {
	return func(ctx context.Context, t *trial) error {
		if err := t.sync(ctx); err != nil {
			return err
		}
		before, err := waitIdle(ctx, t.subject.process)
		if err != nil {
			return err
		}
		if err := t.sim.play(ctx, rate); err != nil {
			return err
		}
		after, err := waitIdle(ctx, t.subject.process)
		if err != nil {
			return err
		}
		t.figures[key] = (after - before).Seconds() / float64(t.sim.changes)
		return nil
	}
}

// measureScrapes: the CPU time of the program per scrape of its page.
func measureScrapes(plainKey, gzipKey string, scrapes int) measureFunc {
	return func(ctx context.Context, t *trial) error {
		if err := t.sync(ctx); err != nil {
			return err
		}
		if err := t.sim.play(ctx, 0); err != nil {
			return err
		}
		for key, encoding := range map[string]string{plainKey: "", gzipKey: "gzip"} {
			used, err := t.scrape(ctx, encoding, scrapes)
			if err != nil {
				return err
			}
			t.figures[key] = used.Seconds() / float64(scrapes)
		}
		return nil
	}
}

func (t *trial) scrape(ctx context.Context, encoding string, scrapes int) (time.Duration, error) {
	// The first one may grow buffers.
	if _, _, err := t.subject.get(ctx, "/metrics", encoding); err != nil {
		return 0, err
	}
	before, err := waitIdle(ctx, t.subject.process)
	if err != nil {
		return 0, err
	}
	for range scrapes {
		status, size, err := t.subject.get(ctx, "/metrics", encoding)
		if err != nil || status != 200 || size == 0 {
			return 0, fmt.Errorf("scrape: status %d, %d bytes, %v", status, size, err)
		}
	}
	after, err := waitIdle(ctx, t.subject.process)
	return after - before, err
}

// measureStart: the time until the program says that it counts.
func measureStart(key string) measureFunc {
	return func(ctx context.Context, t *trial) error {
		took, err := t.subject.waitHealthy(ctx, time.Millisecond)
		if err != nil {
			return err
		}
		t.figures[key] = took.Seconds()
		if err := t.sim.waitForWatch(ctx); err != nil {
			return err
		}
		return t.sim.play(ctx, 0)
	}
}
