package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
	"kube-events-exporter/tests/e2e/internal/proxy"
)

// startBehindProxy starts an exporter whose connections the test can break.
func (b *bench) startBehindProxy(args ...string) *proxy.Proxy {
	b.Helper()
	link := proxy.Start(b.T, fmt.Sprintf("%s:%d", b.site.Host, b.site.Port))
	args = append(args, "--namespaces="+b.Namespace, "--kubeconfig="+b.site.kubeconfig(b.T, link.URL(), coreAPI))
	b.exporter = exporter.Start(b.T, exporter.Command{Args: args})
	return link
}

func TestRotatedWatchesLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startExporter("--namespaces="+b.Namespace, "--watch-interval=2s")
	b.waitUntilFresh()
	before := b.settle()
	scrape := b.expect(b.load("Load", 10*time.Second))
	if opened := scrape.Own("watch_total") - before.Own("watch_total"); opened < 3 {
		t.Errorf("only %v watches were opened in 10 s", opened)
	}
	if relists := scrape.Own("relists_total"); relists != 0 {
		t.Errorf("a rotation relisted: %v", relists)
	}
	b.expectUncertain(scrape, exporter.Uncertain{})
}

func TestBrokenConnectionsLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	link := b.startBehindProxy()
	b.waitUntilFresh()
	stop := make(chan struct{})
	var breaker sync.WaitGroup
	breaker.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(700 * time.Millisecond):
				link.Cut()
			}
		}
	})
	want := b.load("Load", 8*time.Second)
	close(stop)
	breaker.Wait()
	scrape := b.expect(want)
	b.expectUncertain(scrape, exporter.Uncertain{})
}

func TestUnreachableAPIServerAtTheStart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	link := proxy.Start(t, fmt.Sprintf("%s:%d", cluster.Host, cluster.Port))
	link.Refuse()
	path := cluster.kubeconfig(t, link.URL(), coreAPI)
	b.exporter = exporter.Launch(t, exporter.Command{Args: []string{"--kubeconfig=" + path}})
	health := b.exporter.FollowHealth(t)
	health.WaitFor(t, http.StatusServiceUnavailable, exporter.ReadyTimeout)
	b.answers("/metrics", http.StatusOK)
	link.Allow()
	health.WaitFor(t, http.StatusOK, recoverTimeout)
	b.countsOneEvent()
}

func TestHealthFollowsALongOutage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	link := b.startBehindProxy()
	b.Create(b.Record("event", "Outlived", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Outlived"): 1})
	health := b.exporter.FollowHealth(t)
	away := time.Now()
	link.Refuse()
	b.SetCount("event", 4)
	b.turnsUnhealthy(health, away, 0)
	link.Allow()
	health.WaitFor(t, http.StatusOK, recoverTimeout)
	scrape := b.expect(exporter.Counts{b.pod("Outlived"): 4})
	b.expectUncertain(scrape, exporter.Uncertain{})
	health.Check(t, http.StatusOK, http.StatusServiceUnavailable, http.StatusOK)
}
