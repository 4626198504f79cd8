package e2e

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

const (
	loadWriters = 4
	// loadPace is the time between two Events of one writer.
	loadPace = 40 * time.Millisecond
	// outagePatience is how long a writer repeats itself while the control
	// plane is away.
	outagePatience = 3 * time.Minute
)

// load is several busy components that write Events. They repeat what fails,
// so that it is known how often everything happened, whatever goes on
// meanwhile.
type load struct {
	bench   *bench
	phase   string
	counts  [loadWriters]int
	stopped chan struct{}
	writers sync.WaitGroup
}

// startLoad begins to write; phase is part of the reasons, so that what
// happened at different times can be told apart.
func (b *bench) startLoad(phase string) *load {
	busy := &bench{T: b.T, Writer: b.Writer}
	busy.Patience = outagePatience
	l := &load{bench: busy, phase: phase, stopped: make(chan struct{})}
	for w := range loadWriters {
		l.writers.Go(func() { l.write(w) })
	}
	b.Cleanup(l.writers.Wait)
	return l
}

// putUnderLoad begins a load once the exporter is ready and has counted what
// was there before, and follows its health from then on.
func (b *bench) putUnderLoad() (before exporter.Scrape, health *exporter.HealthLog, busy *load) {
	b.Helper()
	b.waitUntilFresh()
	before = b.settle()
	health = b.exporter.FollowHealth(b.T)
	return before, health, b.startLoad("Load")
}

// load writes for a while and returns how often everything happened.
func (b *bench) load(phase string, duration time.Duration) exporter.Counts {
	b.Helper()
	l := b.startLoad(phase)
	select {
	case <-time.After(duration):
	case <-b.Context().Done():
	}
	return l.stop()
}

// stop returns how often everything happened, when the last is written.
func (l *load) stop() exporter.Counts {
	close(l.stopped)
	l.writers.Wait()
	counts := exporter.Counts{}
	for w, count := range l.counts {
		if count == 0 {
			l.bench.Fatalf("writer %d of the load has written nothing", w)
		}
		counts[l.bench.pod(l.reason(w))] = float64(count)
	}
	return counts
}

func (l *load) reason(writer int) string { return fmt.Sprintf("%s%d", l.phase, writer) }

func (l *load) write(writer int) {
	pace := time.NewTicker(loadPace)
	defer pace.Stop()
	for i := 0; ; i++ {
		select {
		case <-l.stopped:
			return
		case <-l.bench.Context().Done():
			return
		case <-pace.C:
		}
		name := fmt.Sprintf("load-%s-%d-%d", strings.ToLower(l.phase), writer, i)
		l.counts[writer] += l.bench.oneLife(name, l.reason(writer), i)
	}
}

// oneLife writes one Event of a kind that depends on i, and returns how often
// it happened.
func (b *bench) oneLife(name, reason string, i int) int {
	b.Create(b.Record(name, reason, 1, time.Now()))
	switch i % 4 {
	case 1:
		b.SetCount(name, 2)
		b.SetCount(name, 3)
		return 3
	case 2:
		b.SetCount(name, 9)
		b.Delete(name)
		return 9
	case 3:
		b.SetLabel(name, "seen", "yes")
	}
	return 1
}
