package contract

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/controlplane"
	"kube-events-exporter/tests/e2e/internal/poll"
	"kube-events-exporter/tests/e2e/internal/process"
)

// adminToken is that of the control plane, so that one request serves both.
const adminToken = "e2e-admin-token"

// server is an API server under contract. What can only be provoked in a way
// of its own is behind these functions; all else goes over HTTP.
type server struct {
	name string
	url  string
	// roots holds the CA that signed the server's certificate.
	roots *x509.CertPool
	// certificate returns a client certificate for a user.
	certificate func(user string) (tls.Certificate, error)
	// compact forgets all history up to now.
	compact func(ctx context.Context) error
	// allow grants a user a verb on a resource of one namespace.
	allow func(ctx context.Context, user, namespace, verb, group, resource string) error

	admin *http.Client
}

// clientAs proves itself with a certificate of user, or by nothing but what a
// request carries if user is empty. HTTP/1.1, and no decompression behind our
// back.
func (s *server) clientAs(user string) (*http.Client, error) {
	config := &tls.Config{RootCAs: s.roots}
	if user != "" {
		certificate, err := s.certificate(user)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableCompression: true}}, nil
}

// startBoth returns the simulated and the real API server, with one CA.
func startBoth(t *testing.T) []*server {
	t.Helper()
	binaries, err := controlplane.FindBinaries(t.Context(), "../apiserver")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plane, err := controlplane.Start(t.Context(), binaries, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(plane.CA)
	certificate := func(user string) (tls.Certificate, error) {
		pair, err := plane.ClientCertificate(user)
		if err != nil {
			return tls.Certificate{}, err
		}
		return tls.X509KeyPair(pair.Certificate, pair.Key)
	}
	real := &server{name: "real", url: plane.URL, compact: plane.Compact, allow: grantRole(plane)}
	servers := []*server{startSim(t, dir), real}
	for _, s := range servers {
		s.roots, s.certificate = roots, certificate
		if s.admin, err = s.clientAs(""); err != nil {
			t.Fatal(err)
		}
	}
	if err := servers[0].allowAdmin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return servers
}

// grantRole writes an RBAC role and returns when the API server honours it.
func grantRole(plane *controlplane.ControlPlane) func(context.Context, string, string, string, string, string) error {
	return func(ctx context.Context, user, namespace, verb, group, resource string) error {
		meta := metav1.ObjectMeta{Namespace: namespace, Name: user + "-" + verb + "-" + resource}
		rule := rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}}
		role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{rule}}
		if _, err := plane.Client.RbacV1().Roles(namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
			return err
		}
		binding := &rbacv1.RoleBinding{
			ObjectMeta: meta,
			Subjects:   []rbacv1.Subject{access.NewUser(plane.Client, user).Subject},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		}
		_, err := plane.Client.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{})
		return err
	}
}

// startSim starts the simulated API server with the certificate of the real
// one, which is in dir.
func startSim(t *testing.T, dir string) *server {
	t.Helper()
	binary, err := simBinary()
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	command := exec.Command(binary, "--port=0", "--objects=0", "--start-paused", "--strict-namespaces",
		"--tls-cert="+file("server.crt"), "--tls-key="+file("server.key"), "--client-ca="+file("ca.crt"))
	sim, err := process.Start(dir, "sim-apiserver", command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Kill)
	s := &server{name: "sim"}
	err = poll.Until(t.Context(), 20*time.Second, func(context.Context) error {
		found := regexp.MustCompile(`listening on (https://\S+)`).FindStringSubmatch(sim.LogTail(5))
		if found == nil {
			if err := sim.Exited(); err != nil {
				return err
			}
			return fmt.Errorf("sim-apiserver does not listen yet: %s", sim.LogTail(5))
		}
		s.url = found[1]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.compact = func(ctx context.Context) error { return s.control(ctx, "compact", map[string]any{}) }
	return s
}

// simBinary lies beside the exporter under test.
func simBinary() (string, error) {
	path := os.Getenv("KUBE_EVENTS_EXPORTER")
	if path == "" {
		path = "../../../build/release/bin/kube-events-exporter"
	}
	path, err := filepath.Abs(filepath.Join(filepath.Dir(path), "sim-apiserver"))
	if err != nil {
		return "", err
	}
	if _, err := exec.LookPath(path); err != nil {
		return "", fmt.Errorf("no simulated API server to test, build it or set KUBE_EVENTS_EXPORTER: %w", err)
	}
	return path, nil
}

// control sends a control request to the simulated API server.
func (s *server) control(ctx context.Context, what string, body map[string]any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/sim/v1/"+what, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := s.admin.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("sim-apiserver refuses %s: %s", what, answer)
	}
	return err
}

// allowAdmin gives the simulated API server the token and the rights of the
// real one's administrator, and the table to which allow adds. As on a real
// cluster, everybody may review nothing and read nothing else.
func (s *server) allowAdmin(ctx context.Context) error {
	rules := []map[string]string{{"user": "admin"}, {"user": "admin", "path": "*"}}
	tokens := map[string]string{adminToken: "admin"}
	s.allow = func(ctx context.Context, user, namespace, verb, group, resource string) error {
		rules = append(rules, map[string]string{
			"user": user, "namespace": namespace, "verb": verb, "group": group, "resource": resource,
		})
		return s.control(ctx, "access", map[string]any{"allowed": rules})
	}
	return s.control(ctx, "access", map[string]any{"tokens": tokens, "allowed": rules})
}
