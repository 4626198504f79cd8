package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	"k8s.io/client-go/kubernetes"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/controlplane"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// cluster is the control plane that most tests share; each has a namespace of
// its own. A test that disturbs its control plane has one of its own: newSite.
var cluster *site

// site is a control plane with accounts for exporters.
type site struct {
	*controlplane.ControlPlane
	// readers may list and watch Events everywhere, each in the one API its
	// exporter uses (the value of --event-api), and nothing else.
	readers map[string]*access.Account
}

const (
	coreAPI   = "v1"
	eventsAPI = "events.k8s.io/v1"
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

// run is apart from TestMain because os.Exit would skip what it defers.
func run(m *testing.M) (int, error) {
	ctx := context.Background()
	if _, err := exporter.Binary(); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "kube-events-exporter-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if cluster, err = startSite(ctx, dir); err != nil {
		return 1, err
	}
	defer cluster.Stop()
	code := m.Run()
	if code != 0 {
		fmt.Fprintln(os.Stderr, cluster.Logs())
	}
	return code, nil
}

// newSite is a control plane that the test may disturb.
func newSite(t *testing.T) *site {
	t.Helper()
	s, err := startSite(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			t.Log(s.Logs())
		}
	})
	return s
}

func startSite(ctx context.Context, dir string) (*site, error) {
	binaries, err := controlplane.FindBinaries(ctx, "apiserver")
	if err != nil {
		return nil, err
	}
	plane, err := controlplane.Start(ctx, binaries, dir)
	if err != nil {
		return nil, err
	}
	s := &site{ControlPlane: plane, readers: map[string]*access.Account{}}
	for _, api := range []string{coreAPI, eventsAPI} {
		if s.readers[api], err = newReader(ctx, plane.Client, api); err != nil {
			plane.Stop()
			return nil, err
		}
	}
	return s, nil
}

func newReader(ctx context.Context, client kubernetes.Interface, api string) (*access.Account, error) {
	name, group := "reader-core", access.CoreGroup
	if api == eventsAPI {
		name, group = "reader-events", access.EventsGroup
	}
	account, err := access.NewServiceAccount(ctx, client, "default", name)
	if err != nil {
		return nil, err
	}
	return account, account.GrantCluster(ctx, group)
}
