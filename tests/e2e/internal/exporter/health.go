package exporter

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/poll"
)

// Health is one answer of /healthz.
type Health struct {
	// At is when it was first given.
	At time.Time
	// Status is 0 where there was no answer.
	Status int
	Body   string
}

// HealthLog is how /healthz changed over time, and how often /livez failed.
type HealthLog struct {
	mutex    sync.Mutex
	changes  []Health
	notAlive []string
}

// FollowHealth asks /healthz and /livez until the test ends.
func (e *Exporter) FollowHealth(t testing.TB) *HealthLog {
	log := &HealthLog{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(100 * time.Millisecond)
		defer ticks.Stop()
		for ctx.Err() == nil {
			log.ask(ctx, e)
			select {
			case <-ctx.Done():
			case <-ticks.C:
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return log
}

func (l *HealthLog) ask(ctx context.Context, e *Exporter) {
	// What an answer says was true after the question: bounds count from here.
	asked := time.Now()
	status, body, err := e.Get(ctx, "/healthz")
	alive, text, aliveErr := e.Get(ctx, "/livez")
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		status, body = 0, err.Error()
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.changes) == 0 || l.changes[len(l.changes)-1].Status != status {
		l.changes = append(l.changes, Health{At: asked, Status: status, Body: body})
	}
	if aliveErr != nil || alive != http.StatusOK {
		l.notAlive = append(l.notAlive, fmt.Sprintf("%v: %d %v %s", asked.Format(time.TimeOnly), alive, aliveErr, text))
	}
}

// Changes returns the answers that differed from the one before.
func (l *HealthLog) Changes() []Health {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.changes)
}

// Forget begins anew with the next answer.
func (l *HealthLog) Forget() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.changes, l.notAlive = nil, nil
}

// WaitFor returns the last change when its status is the wanted one.
func (l *HealthLog) WaitFor(t testing.TB, status int, deadline time.Duration) Health {
	t.Helper()
	var last Health
	err := poll.Until(t.Context(), deadline, func(context.Context) error {
		changes := l.Changes()
		if len(changes) > 0 {
			last = changes[len(changes)-1]
		}
		if last.Status != status {
			return fmt.Errorf("/healthz answers %d: %s", last.Status, last.Body)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("/healthz does not answer %d: %v", status, err)
	}
	return last
}

// Check fails the test unless /healthz had exactly these statuses in turn and
// /livez was always 200.
func (l *HealthLog) Check(t testing.TB, statuses ...int) {
	t.Helper()
	changes := l.Changes()
	seen, lines := []int{}, []string{}
	for _, change := range changes {
		seen = append(seen, change.Status)
		lines = append(lines, fmt.Sprintf("%s: %d %s", change.At.Format(time.TimeOnly), change.Status, change.Body))
	}
	if !slices.Equal(seen, statuses) {
		t.Errorf("/healthz was %v in turn, want %v:\n%s", seen, statuses, strings.Join(lines, "\n"))
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.notAlive) > 0 {
		t.Errorf("/livez failed %d times:\n%s", len(l.notAlive), strings.Join(l.notAlive, "\n"))
	}
}
