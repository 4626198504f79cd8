package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

const (
	// outageTolerance is how long /healthz stays 200 without an open watch.
	outageTolerance = 30 * time.Second
	// healthSlack is for what takes place between the exporter and us.
	healthSlack = 10 * time.Second
	// recoverTimeout bounds the time from a control plane that is back to the
	// first 200: a probe without an answer, 30 s, and the longest pause, 60 s.
	recoverTimeout = 90*time.Second + healthSlack
)

// turnsUnhealthy waits for a 503 that names the scope, and checks that it comes
// neither before the watch has been away for long nor late. unnoticed is how
// long an exporter may have to find out that its watch is of no use.
func (b *bench) turnsUnhealthy(health *exporter.HealthLog, away time.Time, unnoticed time.Duration) {
	b.Helper()
	bound := unnoticed + outageTolerance + healthSlack
	refusal := health.WaitFor(b.T, http.StatusServiceUnavailable, bound)
	// Another part of the slack is for a watch that was being replaced.
	if after := refusal.At.Sub(away); after < outageTolerance-healthSlack/2 || after > bound {
		b.Errorf("/healthz turned 503 after %v, want %v or at most %v", after, outageTolerance, bound)
	}
	if !strings.Contains(refusal.Body, b.Namespace) {
		b.Errorf("/healthz does not name the scope %s: %s", b.Namespace, refusal.Body)
	}
}

// staysHealthy checks that a watch that was soon back has not shown.
func (b *bench) staysHealthy(health *exporter.HealthLog, away time.Time) {
	b.Helper()
	if took := time.Since(away); took > outageTolerance-healthSlack/2 {
		b.Logf("what was to be short took %v, so /healthz may have been 503 meanwhile", took)
		return
	}
	health.Check(b.T, http.StatusOK)
}

// reopens waits for an open watch that was opened after before was scraped.
func (b *bench) reopens(before exporter.Scrape) {
	b.Helper()
	b.waitFor(recoverTimeout, func(ctx context.Context) error {
		scrape, err := b.scrape(ctx)
		if err == nil && (scrape.Own("watch_total") <= before.Own("watch_total") || scrape.Own("watch_open") != 1) {
			err = fmt.Errorf("no watch was opened since the %vth", before.Own("watch_total"))
		}
		return err
	})
}

// expectGaps checks how often the exporter has listed again, and that it
// reported a gap each time.
func (b *bench) expectGaps(scrape, before exporter.Scrape, want float64) {
	b.Helper()
	for _, metric := range []string{"relists_total", "gaps_total"} {
		if got := scrape.Own(metric) - before.Own(metric); got != want {
			b.Errorf("%s rose by %v, want %v", metric, got, want)
		}
	}
}
