package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// replacedEach is how often an exporter replaces its watch where a test waits
// for a new connection.
const replacedEach = 2 * time.Second

// startWithFiles starts an exporter that reads its token and its CA from
// files, and returns their paths.
func (b *bench) startWithFiles(token string) (tokenFile, caFile string) {
	b.Helper()
	dir := b.TempDir()
	tokenFile, caFile = filepath.Join(dir, "token"), filepath.Join(dir, "ca.crt")
	writeFile(b.T, tokenFile, []byte(token))
	writeFile(b.T, caFile, b.site.CA)
	config := access.TokenKubeconfig(b.site.URL, nil, "")
	config.User.TokenFile, config.Cluster.CertificateAuthority = tokenFile, caFile
	b.exporter = exporter.Start(b.T, exporter.Command{Args: []string{
		"--kubeconfig=" + writeKubeconfig(b.T, config), "--namespaces=" + b.Namespace,
		"--watch-interval=" + replacedEach.String(),
	}})
	return tokenFile, caFile
}

func (b *bench) replaceFile(path string, content []byte) {
	b.Helper()
	if err := access.ReplaceFile(path, content); err != nil {
		b.Fatal(err)
	}
}

func TestRotatedTokenIsReadAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, second := b.account("first"), b.account("second")
	tokenFile, _ := b.startWithFiles(first.Token)
	before, health, busy := b.putUnderLoad()
	b.replaceFile(tokenFile, []byte(second.Token))
	b.revoke(first)
	revoked := b.settle()
	// A watch opened after the revocation used the second token.
	b.reopens(revoked)
	b.expectUndisturbed(busy, before)
	health.Check(t, http.StatusOK)
}

func TestRevokedTokenStopsTheCountingUntilItIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, second := b.account("first"), b.account("second")
	tokenFile, _ := b.startWithFiles(first.Token)
	before, health, busy := b.putUnderLoad()
	revoked := time.Now()
	b.revoke(first)
	b.turnsUnhealthy(health, revoked, time.Since(revoked)+replacedEach)
	b.replaceFile(tokenFile, []byte(second.Token))
	health.WaitFor(t, http.StatusOK, recoverTimeout)
	b.expectUndisturbed(busy, before)
	health.Check(t, http.StatusOK, http.StatusServiceUnavailable, http.StatusOK)
}

func TestReplacedServingCAIsTrustedOnceItIsInTheFile(t *testing.T) {
	t.Parallel()
	b := newBenchOn(t, newSite(t))
	_, caFile := b.startWithFiles(b.site.readers[coreAPI].Token)
	before, health, busy := b.putUnderLoad()
	if err := b.site.ReplaceServingCA(); err != nil {
		t.Fatal(err)
	}
	away := b.takeDown(parts{apiServer: true}, syscall.SIGTERM)
	b.bringUp(parts{apiServer: true})
	// Whoever has the old CA must not trust the new server, however long.
	b.turnsUnhealthy(health, away, replacedEach)
	b.replaceFile(caFile, b.site.CA)
	health.WaitFor(t, http.StatusOK, recoverTimeout)
	b.expectUndisturbed(busy, before)
	health.Check(t, http.StatusOK, http.StatusServiceUnavailable, http.StatusOK)
}

// expectUndisturbed ends a load and checks that each occurrence was counted,
// from the same watch position all along.
func (b *bench) expectUndisturbed(busy *load, before exporter.Scrape) {
	b.Helper()
	scrape := b.expect(busy.stop())
	b.expectUncertain(scrape, exporter.Uncertain{})
	b.expectGaps(scrape, before, 0)
}

// account is a service account of the bench with the rights of a reader.
func (b *bench) account(name string) *access.Account {
	b.Helper()
	account, err := access.NewServiceAccount(b.Context(), b.Client, b.Namespace, name)
	if err == nil {
		err = account.GrantCluster(b.Context(), access.CoreGroup)
	}
	if err != nil {
		b.Fatal(err)
	}
	return account
}

// revoke deletes an account and waits until its token is refused: the API
// server remembers for ten seconds that it was good.
func (b *bench) revoke(account *access.Account) {
	b.Helper()
	accounts := b.Client.CoreV1().ServiceAccounts(account.Subject.Namespace)
	if err := accounts.Delete(b.Context(), account.Subject.Name, metav1.DeleteOptions{}); err != nil {
		b.Fatal(err)
	}
	config := b.site.AdminConfig()
	config.BearerToken = account.Token
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		b.Fatal(err)
	}
	b.waitFor(30*time.Second, func(ctx context.Context) error {
		var status int
		client.CoreV1().RESTClient().Get().AbsPath("/api/v1/events").Do(ctx).StatusCode(&status)
		if status != http.StatusUnauthorized {
			return fmt.Errorf("the revoked token is still answered %d", status)
		}
		return nil
	})
}
