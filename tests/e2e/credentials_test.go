package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/controlplane"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

// certificateUser has the rights of a reader and proves itself with a
// client certificate.
func certificateUser(t *testing.T) controlplane.KeyPair {
	t.Helper()
	name := newNamespace(t, cluster) + "-user"
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
			writeFile(t, filepath.Join(dir, "token"), []byte(cluster.readers[coreAPI].Token+"\n"))
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
			config := access.TokenKubeconfig(cluster.URL, cluster.CA, cluster.readers[coreAPI].Token)
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
	path := cluster.kubeconfig(t, cluster.URL, coreAPI)
	list := filepath.Join(t.TempDir(), "missing") + ":" + path
	b.exporter = exporter.Start(t, exporter.Command{Env: []string{"KUBECONFIG=" + list}})
	b.countsOneEvent()
}

func TestAPIServerFlagOverridesTheKubeconfig(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := cluster.kubeconfig(t, "https://127.0.0.1:1", coreAPI)
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
	writeFile(t, filepath.Join(mounted, "token"), []byte(cluster.readers[coreAPI].Token))
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
