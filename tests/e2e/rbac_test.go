package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/events"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// grantTimeout is the longest pause between two tries of a refused request,
// 60 s, and some more.
const grantTimeout = 80 * time.Second

// stranger is a service account without rights.
func (b *bench) stranger() *access.Account {
	b.Helper()
	account, err := access.NewServiceAccount(b.Context(), b.Client, b.Namespace, "stranger")
	if err != nil {
		b.Fatal(err)
	}
	return account
}

func (b *bench) kubeconfigOf(account *access.Account) string {
	b.Helper()
	return "--kubeconfig=" + writeKubeconfig(b.T, access.TokenKubeconfig(cluster.URL, cluster.CA, account.Token))
}

func TestEitherEventAPICountsBothKindsOfEvents(t *testing.T) {
	t.Parallel()
	for api, group := range map[string]string{coreAPI: access.CoreGroup, eventsAPI: access.EventsGroup} {
		t.Run(strings.ReplaceAll(api, "/", "-"), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			account := b.stranger()
			if err := account.GrantCluster(t.Context(), group); err != nil {
				t.Fatal(err)
			}
			b.exporter = exporter.Start(t, exporter.Command{Args: []string{b.kubeconfigOf(account), "--event-api=" + api}})
			old := events.NewRecordRecorder(t, b.Client, "kubelet", unlimited)
			for range 4 {
				old.Event(podNamed(b.Namespace, "web"), "Normal", "Pulling", "pulling image")
			}
			b.written(old.Sink, 1, 3)
			b.Create(b.Series("series", "Scheduled", 0, time.Now()))
			b.SetSeries("series", 2)
			b.SetSeries("series", 40)
			b.expect(exporter.Counts{b.pod("Pulling"): 4, b.pod("Scheduled"): 40})
		})
	}
}

func TestNamespacedRolesSuffice(t *testing.T) {
	t.Parallel()
	b, other, third := newBench(t), newBench(t), newBench(t)
	account := b.stranger()
	for _, namespace := range []string{b.Namespace, other.Namespace} {
		if err := account.GrantNamespace(t.Context(), namespace, access.CoreGroup); err != nil {
			t.Fatal(err)
		}
	}
	b.exporter = exporter.Start(t, exporter.Command{Args: []string{
		b.kubeconfigOf(account), "--namespaces=" + b.Namespace + "," + other.Namespace,
	}})
	// Nothing else may be counted, whatever happens in other namespaces.
	b.owns = func(exporter.Series) bool { return true }
	third.Create(third.Record("unseen", "Unseen", 1, time.Now()))
	b.Create(b.Record("a", "Seen", 1, time.Now()))
	b.SetCount("a", 3)
	other.Create(other.Record("a", "Seen", 1, time.Now()))
	other.SetCount("a", 5)
	b.expect(exporter.Counts{b.pod("Seen"): 3, other.pod("Seen"): 5})
}

func TestRefusedAccessIsNamedAndRetried(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		before func(*bench, *access.Account) error
		grant  func(*bench, *access.Account) error
		// says is what /healthz names, in lower case.
		says []string
	}{
		"core group": {
			grant: func(b *bench, a *access.Account) error { return a.GrantCluster(b.Context(), access.CoreGroup) },
			says:  []string{"list", "events", "group"},
		},
		"events group": {
			args:  []string{"--event-api=" + eventsAPI},
			grant: func(b *bench, a *access.Account) error { return a.GrantCluster(b.Context(), access.EventsGroup) },
			says:  []string{"list", "events", "events.k8s.io"},
		},
		"watch only refused": {
			before: (*bench).allowListing,
			grant:  func(b *bench, a *access.Account) error { return a.GrantCluster(b.Context(), access.CoreGroup) },
			says:   []string{"watch", "events", "group"},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			account := b.stranger()
			if c.before != nil {
				if err := c.before(b, account); err != nil {
					t.Fatal(err)
				}
			}
			b.exporter = exporter.Launch(t, exporter.Command{Args: append(c.args, b.kubeconfigOf(account))})
			b.waitForRefusal(c.says)
			b.answers("/livez", http.StatusOK)
			b.answers("/metrics", http.StatusOK)
			if err := c.grant(b, account); err != nil {
				t.Fatal(err)
			}
			b.exporter.WaitHealthy(t, grantTimeout)
			b.countsOneEvent()
		})
	}
}

func TestOneRefusedNamespaceDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	b, other := newBench(t), newBench(t)
	b.owns = func(exporter.Series) bool { return true }
	account := b.stranger()
	if err := account.GrantNamespace(t.Context(), b.Namespace, access.CoreGroup); err != nil {
		t.Fatal(err)
	}
	b.exporter = exporter.Launch(t, exporter.Command{Args: []string{
		b.kubeconfigOf(account), "--namespaces=" + b.Namespace + "," + other.Namespace,
	}})
	b.waitForRefusal([]string{"list", "events", other.Namespace})
	b.waitFor(exporter.ReadyTimeout, func(ctx context.Context) error {
		scrape, err := b.scrape(ctx)
		if open := scrape.Own("watch_open", "scope", b.Namespace); err == nil && open != 1 {
			err = fmt.Errorf("watch_open{scope=%q} is %v", b.Namespace, open)
		}
		return err
	})
	b.Create(b.Record("event", "Seen", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Seen"): 1})

	if err := account.GrantNamespace(t.Context(), other.Namespace, access.CoreGroup); err != nil {
		t.Fatal(err)
	}
	b.exporter.WaitHealthy(t, grantTimeout)
	other.Create(other.Record("event", "Seen", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Seen"): 1, other.pod("Seen"): 1})
}

func TestUnusableCredentialsAreNamed(t *testing.T) {
	t.Parallel()
	pair, err := cluster.ClientCertificate("foreign")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config access.Kubeconfig
		says   []string
	}{
		"wrong token": {
			config: access.TokenKubeconfig(cluster.URL, cluster.CA, "wrong"),
			says:   []string{"401", "list", "events"},
		},
		// Any certificate but the one that signed the server's.
		"foreign CA": {
			config: access.TokenKubeconfig(cluster.URL, pair.Certificate, cluster.readers[coreAPI].Token),
			says:   []string{"certificate"},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			b := newBench(t)
			b.exporter = exporter.Launch(t, exporter.Command{Args: []string{"--kubeconfig=" + writeKubeconfig(t, c.config)}})
			b.waitForRefusal(c.says)
			b.answers("/livez", http.StatusOK)
			b.answers("/metrics", http.StatusOK)
		})
	}
}

// waitForRefusal waits until /healthz says which right is missing.
func (b *bench) waitForRefusal(says []string) {
	b.Helper()
	b.waitFor(exporter.ReadyTimeout, func(ctx context.Context) error {
		status, body, err := b.exporter.Get(ctx, "/healthz")
		if err != nil {
			return err
		}
		if status != http.StatusServiceUnavailable {
			return fmt.Errorf("/healthz answers %d: %s", status, body)
		}
		for _, word := range says {
			if !strings.Contains(strings.ToLower(body), word) {
				return fmt.Errorf("/healthz does not name %q: %s", word, body)
			}
		}
		return nil
	})
}

func (b *bench) answers(path string, want int) {
	b.Helper()
	status, body, err := b.exporter.Get(b.Context(), path)
	if err != nil || status != want {
		b.Errorf("%s answers %d, want %d: %v %s", path, status, want, err, body)
	}
}

// allowListing grants list without watch.
func (b *bench) allowListing(account *access.Account) error {
	name := b.Namespace + "-list"
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"list"}}},
	}
	if _, err := b.Client.RbacV1().ClusterRoles().Create(b.Context(), role, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Subjects:   []rbacv1.Subject{account.Subject},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
	}
	_, err := b.Client.RbacV1().ClusterRoleBindings().Create(b.Context(), binding, metav1.CreateOptions{})
	return err
}
