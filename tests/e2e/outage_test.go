package e2e

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/process"
)

// parts says which processes of a control plane are meant.
type parts struct{ apiServer, etcd bool }

var everything = parts{apiServer: true, etcd: true}

// takeDown ends processes with a signal and returns when it began to.
func (b *bench) takeDown(p parts, signal syscall.Signal) time.Time {
	b.Helper()
	began := time.Now()
	if p.etcd {
		b.end(b.site.Etcd(), signal)
	}
	if p.apiServer {
		b.end(b.site.APIServer(), signal)
	}
	return began
}

func (b *bench) end(p *process.Process, signal syscall.Signal) {
	b.Helper()
	if err := p.Signal(signal); err != nil {
		b.Fatal(err)
	}
	if _, err := p.Wait(30 * time.Second); err != nil {
		b.Fatal(err)
	}
}

// bringUp starts processes again and returns when the API server answers.
func (b *bench) bringUp(p parts) {
	b.Helper()
	if p.etcd {
		if err := b.site.StartEtcd(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	again := b.site.WaitReady
	if p.apiServer {
		again = b.site.StartAPIServer
	}
	if err := again(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func TestOutagesUnderLoadLoseNothing(t *testing.T) {
	t.Parallel()
	// An API server holds watches open while its etcd is away. Only when the
	// exporter replaces its watch can it see that.
	const replaced = 5 * time.Second
	for name, c := range map[string]struct {
		args      []string
		parts     parts
		short     syscall.Signal
		unnoticed time.Duration
	}{
		"kube-apiserver": {parts: parts{apiServer: true}, short: syscall.SIGTERM},
		"etcd": {
			args:  []string{"--watch-interval=" + replaced.String()},
			parts: parts{etcd: true}, short: syscall.SIGKILL, unnoticed: replaced,
		},
		"both": {parts: everything, short: syscall.SIGKILL},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBenchOn(t, newSite(t))
			b.startExporter(append(c.args, "--namespaces="+b.Namespace)...)
			before, health, busy := b.putUnderLoad()

			away := b.takeDown(c.parts, c.short)
			b.bringUp(c.parts)
			b.reopens(before)
			b.staysHealthy(health, away)
			health.WaitFor(t, http.StatusOK, recoverTimeout)

			health.Forget()
			away = b.takeDown(c.parts, syscall.SIGKILL)
			b.turnsUnhealthy(health, away, c.unnoticed)
			b.bringUp(c.parts)
			health.WaitFor(t, http.StatusOK, recoverTimeout)
			b.expectUndisturbed(busy, before)
			health.Check(t, http.StatusOK, http.StatusServiceUnavailable, http.StatusOK)
		})
	}
}
