package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/controlplane"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// certificateUser has the rights of a reader and proves itself with a
// client certificate.
func certificateUser(t *testing.T) controlplane.KeyPair {
	t.Helper()
	name := newNamespace(t) + "-user"
	if err := access.NewUser(cluster.Client, name).GrantCluster(t.Context(), access.CoreGroup); err != nil {
		t.Fatal(err)
	}
	pair, err := cluster.ClientCertificate(name)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// countsOneEvent shows that an exporter has access.
func (b *bench) countsOneEvent() {
	b.Helper()
	b.Create(b.Record("one", "Granted", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Granted"): 1})
}

func TestKubeconfigCredentials(t *testing.T) {
	t.Parallel()
	pair := certificateUser(t)
	for name, prepare := range map[string]func(t *testing.T, dir string, config *access.Kubeconfig){
		"token and CA as data": func(*testing.T, string, *access.Kubeconfig) {},
		"CA as a file": func(t *testing.T, dir string, config *access.Kubeconfig) {
			config.Cluster.CertificateAuthorityData = nil
			config.Cluster.CertificateAuthority = filepath.Join(dir, "ca.crt")
			writeFile(t, config.Cluster.CertificateAuthority, cluster.CA)
		},
		"token file with a relative path": func(t *testing.T, dir string, config *access.Kubeconfig) {
			config.User.Token, config.User.TokenFile = "", "token"
			writeFile(t, filepath.Join(dir, "token"), []byte(readers[coreAPI].Token+"\n"))
		},
		"client certificate as data": func(_ *testing.T, _ string, config *access.Kubeconfig) {
			config.User.Token = ""
			config.User.ClientCertificateData, config.User.ClientKeyData = pair.Certificate, pair.Key
		},
		"client certificate as files": func(t *testing.T, dir string, config *access.Kubeconfig) {
			config.User.Token = ""
			config.User.ClientCertificate, config.User.ClientKey = "client.crt", "client.key"
			writeFile(t, filepath.Join(dir, "client.crt"), pair.Certificate)
			writeFile(t, filepath.Join(dir, "client.key"), pair.Key)
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			b := newBench(t)
			dir := t.TempDir()
			config := access.TokenKubeconfig(cluster.URL, cluster.CA, readers[coreAPI].Token)
			prepare(t, dir, &config)
			path, err := config.Write(dir)
			if err != nil {
				t.Fatal(err)
			}
			b.exporter = exporter.Start(t, exporter.Command{Args: []string{"--kubeconfig=" + path}})
			b.countsOneEvent()
		})
	}
}

func TestKubeconfigFromTheEnvironment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := readerKubeconfig(t, cluster.URL, coreAPI)
	list := filepath.Join(t.TempDir(), "missing") + ":" + path
	b.exporter = exporter.Start(t, exporter.Command{Env: []string{"KUBECONFIG=" + list}})
	b.countsOneEvent()
}

func TestAPIServerFlagOverridesTheKubeconfig(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := readerKubeconfig(t, "https://127.0.0.1:1", coreAPI)
	b.exporter = exporter.Start(t, exporter.Command{Args: []string{"--kubeconfig=" + path, "--apiserver=" + cluster.URL}})
	b.countsOneEvent()
}

// inCluster gives the exporter a view of the file system with the files that
// the kubelet mounts into a pod, without touching the machine's.
const inCluster = `mount -t tmpfs tmpfs /run && mkdir -p /run/secrets/kubernetes.io &&
cp -r "$MOUNTED" /run/secrets/kubernetes.io/serviceaccount && exec "$@"`

func TestInClusterDiscovery(t *testing.T) {
	t.Parallel()
	isolate := []string{"unshare", "--user", "--map-root-user", "--mount"}
	if out, err := exec.Command(isolate[0], append(isolate[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no user namespaces here: %v: %s", err, out)
	}
	b := newBench(t)
	mounted := t.TempDir()
	writeFile(t, filepath.Join(mounted, "ca.crt"), cluster.CA)
	writeFile(t, filepath.Join(mounted, "token"), []byte(readers[coreAPI].Token))
	writeFile(t, filepath.Join(mounted, "namespace"), []byte("default"))
	b.exporter = exporter.Start(t, exporter.Command{
		Wrapper: append(isolate, "sh", "-ec", inCluster, "sh"),
		Env: []string{
			"MOUNTED=" + mounted,
			"KUBERNETES_SERVICE_HOST=" + cluster.Host,
			"KUBERNETES_SERVICE_PORT=" + strconv.Itoa(cluster.Port),
		},
	})
	b.countsOneEvent()
}

func TestRotatedTokenIsReadAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, second := b.account("first"), b.account("second")
	dir := t.TempDir()
	tokenFile := filepath.Join(dir, "token")
	writeFile(t, tokenFile, []byte(first.Token))
	config := access.TokenKubeconfig(cluster.URL, cluster.CA, "")
	config.User.TokenFile = tokenFile
	path, err := config.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	b.exporter = exporter.Start(t, exporter.Command{Args: []string{"--kubeconfig=" + path, "--watch-interval=2s"}})
	b.Create(b.Record("rotated", "Rotated", 1, time.Now()))
	b.expect(exporter.Counts{b.pod("Rotated"): 1})

	if err := access.ReplaceFile(tokenFile, []byte(second.Token)); err != nil {
		t.Fatal(err)
	}
	b.revoke(first)
	b.SetCount("rotated", 5)
	b.expect(exporter.Counts{b.pod("Rotated"): 5})
	watches := b.settle().Own("watch_total")
	// A watch opened after the revocation used the second token.
	b.waitFor(30*time.Second, func(ctx context.Context) error {
		scrape, err := b.scrape(ctx)
		if now := scrape.Own("watch_total"); err == nil && now <= watches {
			err = fmt.Errorf("watch_total is still %v", now)
		}
		return err
	})
	b.SetCount("rotated", 9)
	b.expect(exporter.Counts{b.pod("Rotated"): 9})
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
	config := cluster.AdminConfig()
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
