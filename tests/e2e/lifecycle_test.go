package e2e

import (
	"context"
	"syscall"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
	"kube-events-exporter/tests/e2e/internal/proxy"
)

const stopTimeout = 2 * time.Second

// endsWithin ends the test's exporter and checks how it went.
func (b *bench) endsWithin(signal syscall.Signal, limit time.Duration) {
	b.Helper()
	if err := b.exporter.Process().Signal(signal); err != nil {
		b.Fatal(err)
	}
	code, err := b.exporter.Process().Wait(limit)
	if err != nil || code != 0 {
		b.Errorf("after %v: exit code %d, want 0: %v", signal, code, err)
	}
}

func TestSignalEndsTheExporterInTime(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.startExporter()
			b.countsOneEvent()
			b.endsWithin(signal, stopTimeout)
		})
	}
}

func TestSignalEndsTheExporterWhileTheAPIServerIsSilent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	hole := proxy.StartSilent(t)
	b.exporter = exporter.Launch(t, exporter.Command{Args: []string{"--kubeconfig=" + cluster.kubeconfig(t, hole, coreAPI)}})
	b.waitFor(exporter.ReadyTimeout, func(ctx context.Context) error {
		_, _, err := b.exporter.Get(ctx, "/healthz")
		return err
	})
	b.endsWithin(syscall.SIGTERM, stopTimeout)
}
