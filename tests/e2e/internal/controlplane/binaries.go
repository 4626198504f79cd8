package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Version is the Kubernetes release under test; apiserver/go.mod pins the same.
const Version = "v1.36.1"

const apiServerPackage = "k8s.io/kubernetes/cmd/kube-apiserver"

// Binaries are the two programs a control plane consists of.
type Binaries struct {
	APIServer string
	Etcd      string
}

// FindBinaries takes both programs from KUBEBUILDER_ASSETS where it is set.
// Otherwise etcd comes from PATH, and kube-apiserver is built from the Go
// module in moduleDir, once: the user's cache keeps it.
func FindBinaries(ctx context.Context, moduleDir string) (Binaries, error) {
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		found := Binaries{APIServer: filepath.Join(assets, "kube-apiserver"), Etcd: filepath.Join(assets, "etcd")}
		for _, path := range []string{found.APIServer, found.Etcd} {
			if _, err := exec.LookPath(path); err != nil {
				return Binaries{}, fmt.Errorf("KUBEBUILDER_ASSETS must hold kube-apiserver and etcd: %w", err)
			}
		}
		return found, nil
	}
	etcd, err := exec.LookPath("etcd")
	if err != nil {
		return Binaries{}, fmt.Errorf("install Debian's etcd-server or set KUBEBUILDER_ASSETS: %w", err)
	}
	apiServer, err := cachedAPIServer(ctx, moduleDir)
	return Binaries{APIServer: apiServer, Etcd: etcd}, err
}

func cachedAPIServer(ctx context.Context, moduleDir string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "kube-events-exporter", Version+"-"+runtime.GOOS+"-"+runtime.GOARCH)
	path := filepath.Join(dir, "kube-apiserver")
	if _, err := exec.LookPath(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return path, build(ctx, moduleDir, path)
}

// build writes to a name of its own first: a build that was interrupted, or
// that runs twice at once, must not leave half a program under the final name.
func build(ctx context.Context, moduleDir, path string) error {
	fmt.Fprintf(os.Stderr, "building kube-apiserver %s (several minutes, once)\n", Version)
	begin := time.Now()
	unfinished := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(unfinished)
	flags := "-s -w -X k8s.io/component-base/version.gitVersion=" + Version
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", flags, "-o", unfinished, apiServerPackage)
	command.Dir = moduleDir
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("build kube-apiserver: %w", err)
	}
	fmt.Fprintf(os.Stderr, "built in %v: %s\n", time.Since(begin).Round(time.Second), path)
	return os.Rename(unfinished, path)
}
