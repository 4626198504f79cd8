// Package controlplane runs a real kube-apiserver with its etcd on loopback.
package controlplane

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kube-events-exporter/tests/e2e/internal/poll"
	"kube-events-exporter/tests/e2e/internal/process"
)

const (
	adminToken   = "e2e-admin-token"
	readyTimeout = 90 * time.Second
)

// ControlPlane is one API server and its etcd. It has no controllers: nothing
// writes Events except the tests.
type ControlPlane struct {
	// URL, Host and Port say where the API server listens.
	URL  string
	Host string
	Port int
	// CA is the certificate that signed the server's, in PEM. ReplaceServingCA
	// changes it.
	CA []byte
	// Client may do everything, without a rate limit.
	Client kubernetes.Interface

	dir       string
	binaries  Binaries
	authority *authority
	// nextAuthority signs the server's certificate after ReplaceServingCA.
	nextAuthority *authority
	etcd          *etcd
	apiServer     *process.Process
}

// Start returns a control plane that answers, or an error that shows the logs.
// Its files go to dir.
func Start(ctx context.Context, binaries Binaries, dir string) (*ControlPlane, error) {
	c := &ControlPlane{dir: dir, binaries: binaries, Host: "127.0.0.1"}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context) error {
	ports := make([]int, 3)
	for i := range ports {
		var err error
		if ports[i], err = process.FreePort(); err != nil {
			return err
		}
	}
	c.Port = ports[0]
	c.URL = fmt.Sprintf("https://%s:%d", c.Host, c.Port)
	if err := c.writeSecrets(); err != nil {
		return err
	}
	var err error
	c.etcd = newEtcd(c.binaries.Etcd, c.dir, ports[1], ports[2])
	if err = c.etcd.start(ctx); err != nil {
		return err
	}
	if c.Client, err = kubernetes.NewForConfig(c.AdminConfig()); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// AdminConfig gives the rights of system:masters. It outlives ReplaceServingCA.
func (c *ControlPlane) AdminConfig() *rest.Config {
	return &rest.Config{
		Host:            c.URL,
		BearerToken:     adminToken,
		TLSClientConfig: rest.TLSClientConfig{CAData: slices.Concat(c.authority.pem, c.nextAuthority.pem)},
		QPS:             -1,
	}
}

// ClientCertificate returns a certificate the API server takes as user.
func (c *ControlPlane) ClientCertificate(user string) (KeyPair, error) {
	return c.authority.client(user)
}

// Compact makes etcd forget all history: older resourceVersions are answered
// with 410 Expired from now on.
func (c *ControlPlane) Compact(ctx context.Context) error { return c.etcd.compact(ctx) }

// APIServer is the process, for tests that kill or stop it.
func (c *ControlPlane) APIServer() *process.Process { return c.apiServer }

// Etcd is the process, for tests that kill or stop it.
func (c *ControlPlane) Etcd() *process.Process { return c.etcd.process }

// StartEtcd starts etcd on its address and its files, again after a stop.
func (c *ControlPlane) StartEtcd(ctx context.Context) error { return c.etcd.start(ctx) }

// StartAPIServer starts the API server on its address, again after a stop.
func (c *ControlPlane) StartAPIServer(ctx context.Context) error {
	var err error
	command := exec.Command(c.binaries.APIServer, c.apiServerFlags()...)
	if c.apiServer, err = process.Start(c.dir, "kube-apiserver", command); err != nil {
		return err
	}
	return c.WaitReady(ctx)
}

// WaitReady returns when the API server answers everything, which it does not
// before it has found etcd.
func (c *ControlPlane) WaitReady(ctx context.Context) error {
	transport, err := rest.TransportFor(c.AdminConfig())
	if err != nil {
		return err
	}
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	return poll.Until(ctx, readyTimeout, func(ctx context.Context) error {
		if err := c.apiServer.Exited(); err != nil {
			return err
		}
		if err := httpGet(ctx, client, c.URL+"/readyz?verbose"); err != nil {
			return err
		}
		// Node Events live there; the server creates it after it is ready.
		return httpGet(ctx, client, c.URL+"/api/v1/namespaces/default")
	})
}

// Stop ends both processes.
func (c *ControlPlane) Stop() {
	if c.apiServer != nil {
		c.apiServer.Kill()
	}
	if c.etcd != nil && c.etcd.process != nil {
		c.etcd.process.Kill()
	}
}

// Logs shows the end of what both processes wrote.
func (c *ControlPlane) Logs() string {
	return c.etcd.process.LogTail(10) + "\n" + c.apiServer.LogTail(40)
}

func (c *ControlPlane) apiServerFlags() []string {
	file := func(name string) string { return filepath.Join(c.dir, name) }
	return []string{
		"--etcd-servers=" + c.etcd.url,
		"--bind-address=" + c.Host,
		fmt.Sprintf("--secure-port=%d", c.Port),
		"--tls-cert-file=" + file("server.crt"),
		"--tls-private-key-file=" + file("server.key"),
		"--client-ca-file=" + file("ca.crt"),
		"--token-auth-file=" + file("tokens.csv"),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + file("service-account.key"),
		"--service-account-signing-key-file=" + file("service-account.key"),
		"--service-cluster-ip-range=10.96.0.0/24",
		// Without its controllers no namespace has the account pods need.
		"--disable-admission-plugins=ServiceAccount",
		// Without it a terminated server waits a minute for open watches.
		"--shutdown-watch-termination-grace-period=2s",
		"--v=1",
	}
}

func (c *ControlPlane) writeSecrets() error {
	var err error
	if c.authority, err = newAuthority(); err != nil {
		return err
	}
	if c.nextAuthority, err = newAuthority(); err != nil {
		return err
	}
	c.CA = c.authority.pem
	if err := c.writeServerCertificate(c.authority); err != nil {
		return err
	}
	accountKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	accountPEM, err := privateKeyPEM(accountKey)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"ca.crt":              c.CA,
		"service-account.key": accountPEM,
		"tokens.csv":          []byte(adminToken + ",admin,admin,system:masters\n"),
	} {
		if err := c.writeFile(name, content); err != nil {
			return err
		}
	}
	return nil
}

func (c *ControlPlane) writeFile(name string, content []byte) error {
	return os.WriteFile(filepath.Join(c.dir, name), content, 0o600)
}

// httpGet returns nil for status 200, otherwise an error that holds the body.
func httpGet(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", url, response.Status, body)
	}
	return nil
}
