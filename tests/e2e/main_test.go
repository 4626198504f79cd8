package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/controlplane"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// cluster is the control plane that all tests share; each has a namespace of
// its own. Tests that disturb it do not run in parallel with others.
var cluster *controlplane.ControlPlane

// readers may list and watch Events everywhere, each in the one API its
// exporter uses (the value of --event-api), and nothing else.
var readers = map[string]*access.Account{coreAPI: nil, eventsAPI: nil}

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
	binaries, err := controlplane.FindBinaries(ctx, "apiserver")
	if err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "kube-events-exporter-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if cluster, err = controlplane.Start(ctx, binaries, dir); err != nil {
		return 1, err
	}
	defer cluster.Stop()
	for api := range readers {
		if readers[api], err = newReader(ctx, api); err != nil {
			return 1, err
		}
	}
	code := m.Run()
	if code != 0 {
		fmt.Fprintln(os.Stderr, cluster.Logs())
	}
	return code, nil
}

func newReader(ctx context.Context, api string) (*access.Account, error) {
	name, group := "reader-core", access.CoreGroup
	if api == eventsAPI {
		name, group = "reader-events", access.EventsGroup
	}
	account, err := access.NewServiceAccount(ctx, cluster.Client, "default", name)
	if err != nil {
		return nil, err
	}
	return account, account.GrantCluster(ctx, group)
}
