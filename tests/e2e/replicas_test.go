package e2e

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// leaseName is the one that the shipped Role names.
const leaseName = "kube-events-exporter"

// takeoverTimeout is more than the lease duration that the tests set.
const takeoverTimeout = 30 * time.Second

// asIfIn moves shipped Roles, bindings and their subjects to a namespace.
func asIfIn(t *testing.T, namespace string, objects ...*unstructured.Unstructured) []*unstructured.Unstructured {
	t.Helper()
	for _, object := range objects {
		object.SetNamespace(namespace)
		subjects, found, err := unstructured.NestedSlice(object.Object, "subjects")
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			continue
		}
		for _, subject := range subjects {
			subject.(map[string]any)["namespace"] = namespace
		}
		if err := unstructured.SetNestedSlice(object.Object, subjects, "subjects"); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}

// kubeconfigWith is that of a service account which has the Roles of these
// shipped manifests in the namespace of the bench, and no other rights.
func (b *bench) kubeconfigWith(files ...string) string {
	b.Helper()
	account, err := access.NewServiceAccount(b.Context(), cluster.Client, b.Namespace, "kube-events-exporter")
	if err != nil {
		b.Fatal(err)
	}
	b.grantShipped(files...)
	return b.kubeconfigOf(account)
}

func (b *bench) grantShipped(files ...string) {
	b.Helper()
	for _, file := range files {
		newApplier(b).apply(asIfIn(b.T, b.Namespace, objectsIn(b.T, manifests+"/"+file)...)...)
	}
}

// replicas are exporters of one service account that has the shipped Roles.
type replicas struct {
	*bench
	args []string
}

func newReplicas(t *testing.T, more ...string) replicas {
	t.Helper()
	b := newBench(t)
	files := append([]string{"namespaced/role.yaml", "high-availability/lease.yaml"}, more...)
	return replicas{bench: b, args: []string{
		b.kubeconfigWith(files...),
		"--namespaces=" + b.Namespace,
		"--leader-elect",
		"--leader-elect-lease=" + b.Namespace + "/" + leaseName,
		"--leader-elect-lease-duration=6s",
		"--leader-elect-renew-deadline=4s",
		"--leader-elect-retry-period=500ms",
	}}
}

func (r replicas) launch() *exporter.Exporter {
	r.Helper()
	return exporter.Launch(r.T, exporter.Command{Args: r.args})
}

// await returns when the replica is healthy and leads, or follows.
func (r replicas) await(replica *exporter.Exporter, leader float64) {
	r.Helper()
	r.waitFor(takeoverTimeout, func(ctx context.Context) error {
		scrape, err := replica.Scrape(ctx)
		if err == nil && scrape.Own("leader") != leader {
			err = fmt.Errorf("leader is %v, want %v", scrape.Own("leader"), leader)
		}
		return err
	})
	replica.WaitHealthy(r.T, grantTimeout)
}

// onlyCounts shows that the replica counts, and that the other one shows nothing.
func (r replicas) onlyCounts(replica, other *exporter.Exporter, name string) {
	r.Helper()
	r.Create(r.Record(name, name, 1, time.Now()))
	r.waitFor(countTimeout, func(ctx context.Context) error {
		scrape, err := replica.Scrape(ctx)
		if err == nil && scrape.Counts[r.pod(name)] != 1 {
			err = fmt.Errorf("%v is not counted: %v", r.pod(name), scrape.Counts)
		}
		return err
	})
	if other == nil {
		return
	}
	_, page, err := other.Get(r.Context(), "/metrics")
	if err != nil {
		r.Fatal(err)
	}
	if strings.Contains(page, "# TYPE kube_events_total ") {
		r.Error("a replica that waits shows counts")
	}
}

func (r replicas) lease() coordinationv1.LeaseSpec {
	r.Helper()
	lease, err := cluster.Client.CoordinationV1().Leases(r.Namespace).Get(r.Context(), leaseName, metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	return lease.Spec
}

func TestReplicasShareALeaseWithTheShippedRoles(t *testing.T) {
	t.Parallel()
	r := newReplicas(t)
	first := r.launch()
	r.await(first, 1)
	second := r.launch()
	r.await(second, 0)
	r.onlyCounts(first, second, "first")
	if spec := r.lease(); spec.HolderIdentity == nil || *spec.HolderIdentity == "" || *spec.LeaseDurationSeconds != 6 ||
		*spec.LeaseTransitions != 0 || spec.RenewTime.Before(spec.AcquireTime) {
		t.Errorf("the Lease is %v", spec)
	}

	// A graceful end: the Lease is released.
	if err := first.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, err := first.Process().Wait(stopTimeout); err != nil || code != 0 {
		t.Errorf("after SIGTERM: exit code %d, want 0: %v", code, err)
	}
	r.await(second, 1)
	third := r.launch()
	r.await(third, 0)
	r.onlyCounts(second, third, "second")
	if spec := r.lease(); *spec.LeaseTransitions != 1 {
		t.Errorf("the Lease is %v", spec)
	}

	// A crash: the Lease expires.
	if err := second.Process().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.await(third, 1)
	r.onlyCounts(third, nil, "third")
}

func TestLeaseThatIsReleasedNamesNobody(t *testing.T) {
	t.Parallel()
	r := newReplicas(t)
	only := r.launch()
	r.await(only, 1)
	if err := only.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, err := only.Process().Wait(stopTimeout); err != nil || code != 0 {
		t.Errorf("after SIGTERM: exit code %d, want 0: %v", code, err)
	}
	if spec := r.lease(); spec.HolderIdentity != nil && *spec.HolderIdentity != "" {
		t.Errorf("the Lease is %v", spec)
	}
}
