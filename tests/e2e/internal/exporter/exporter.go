// Package exporter runs the program under test and reads its endpoints.
package exporter

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/poll"
	"kube-events-exporter/tests/e2e/internal/process"
)

const (
	defaultBinary = "../../build/release/bin/kube-events-exporter"
	// ReadyTimeout bounds the time from start to the first 200 of /healthz.
	ReadyTimeout = 20 * time.Second
)

// Binary returns the program under test, as an absolute path.
func Binary() (string, error) {
	path := os.Getenv("KUBE_EVENTS_EXPORTER")
	if path == "" {
		path = defaultBinary
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := exec.LookPath(path); err != nil {
		return "", fmt.Errorf("no exporter to test, build it or set KUBE_EVENTS_EXPORTER: %w", err)
	}
	return path, nil
}

// Exporter is a running exporter. Its log is shown when the test fails.
type Exporter struct {
	// ReadyAt is when /healthz was first seen with 200. The first list, and so
	// the horizon of counting, lies before it.
	ReadyAt time.Time

	url     string
	process *process.Process
	client  *http.Client
}

// Command describes how to start an exporter.
type Command struct {
	Args []string
	// Env is added to an environment without any Kubernetes settings.
	Env []string
	// Wrapper is put before the program and must replace itself by it.
	Wrapper []string
}

// Launch starts an exporter and does not wait until it is healthy.
func Launch(t testing.TB, command Command) *Exporter {
	t.Helper()
	binary, err := Binary()
	if err != nil {
		t.Fatal(err)
	}
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	words := append(append([]string{}, command.Wrapper...), binary)
	words = append(words, "--host=127.0.0.1", "--port="+strconv.Itoa(port))
	words = append(words, command.Args...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, command.Env...)
	e := &Exporter{
		url:    fmt.Sprintf("http://127.0.0.1:%d", port),
		client: &http.Client{Timeout: 5 * time.Second},
	}
	if e.process, err = process.Start(t.TempDir(), "kube-events-exporter", cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.finish(t) })
	return e
}

// Start launches an exporter and waits until it is healthy.
func Start(t testing.TB, command Command) *Exporter {
	t.Helper()
	e := Launch(t, command)
	e.WaitHealthy(t, ReadyTimeout)
	return e
}

// Process is the exporter's process, for tests that stop or end it.
func (e *Exporter) Process() *process.Process { return e.process }

// URL is where its endpoints are.
func (e *Exporter) URL() string { return e.url }

// finish ends the exporter if the test has not, and says when it did not end
// well: a crash must not hide behind counts that were right before.
func (e *Exporter) finish(t testing.TB) {
	_ = e.process.Signal(syscall.SIGCONT)
	if e.process.Exited() == nil {
		if code, err := e.process.Stop(10 * time.Second); err != nil || code != 0 {
			t.Errorf("the exporter ended with code %d, %v", code, err)
		}
	}
	if t.Failed() {
		t.Log(e.process.LogTail(60))
	}
}

// Get returns the status and body of one endpoint.
func (e *Exporter) Get(ctx context.Context, path string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url+path, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := e.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

// WaitHealthy returns at the first 200 of /healthz.
func (e *Exporter) WaitHealthy(t testing.TB, deadline time.Duration) {
	t.Helper()
	err := poll.Until(t.Context(), deadline, func(ctx context.Context) error {
		if err := e.process.Exited(); err != nil {
			return err
		}
		status, body, err := e.Get(ctx, "/healthz")
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("/healthz answers %d: %s", status, body)
		}
		return err
	})
	if err != nil {
		t.Fatal("not healthy ", err)
	}
	if e.ReadyAt.IsZero() {
		e.ReadyAt = time.Now()
	}
}

// Scrape reads /metrics once.
func (e *Exporter) Scrape(ctx context.Context) (Scrape, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url+"/metrics", nil)
	if err != nil {
		return Scrape{}, err
	}
	response, err := e.client.Do(request)
	if err != nil {
		return Scrape{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return Scrape{}, fmt.Errorf("/metrics answers %s", response.Status)
	}
	return ParseScrape(response.Body)
}
