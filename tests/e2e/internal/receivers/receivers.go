// Package receivers runs the program of the module tests/e2e/receivers:
// third-party receivers of what the exporter hands on.
package receivers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"kube-events-exporter/tests/e2e/internal/poll"
	"kube-events-exporter/tests/e2e/internal/process"
)

const (
	moduleDir = "receivers"
	// SharedKey is what Secured wants its clients to know.
	SharedKey = "the shared key of the tests"
)

// Received is one record that a receiver took.
type Received struct {
	// Receiver is "forward", also for Secured, or "http".
	Receiver string         `json:"receiver"`
	Tag      string         `json:"tag"`
	Time     time.Time      `json:"time"`
	Record   map[string]any `json:"record"`
}

// ID is the record's name, by which duplicates show.
func (r Received) ID() string {
	id, _ := r.Record["id"].(string)
	return id
}

// Receivers are the running programs.
type Receivers struct {
	// Forward, Secured and HTTP are addresses, HOST:PORT. Secured leads to the
	// same receiver as Forward, for those who know the SharedKey.
	Forward, Secured, HTTP string

	output    string
	processes []*process.Process
}

// Start builds the programs, which the caches of Go make quick, and runs them.
// Each receiver refuses so many batches before it takes one.
func Start(t testing.TB, refuse int) *Receivers {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", dir, "./...")
	build.Dir = moduleDir
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the receivers: %v\n%s", err, output)
	}
	r := &Receivers{Forward: address(t), Secured: address(t), HTTP: address(t)}
	r.output = r.run(t, dir, "receivers", "-forward="+r.Forward, "-http="+r.HTTP, "-refuse="+strconv.Itoa(refuse))
	r.run(t, dir, "secured", "-listen="+r.Secured, "-behind="+r.Forward, "-shared-key="+SharedKey)
	for _, listener := range []string{r.Forward, r.Secured, r.HTTP} {
		r.await(t, listener)
	}
	return r
}

// run starts one of the programs and returns the file that it prints to.
func (r *Receivers) run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	started, err := process.Start(dir, name, exec.Command(filepath.Join(dir, name), args...))
	if err != nil {
		t.Fatal(err)
	}
	r.processes = append(r.processes, started)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(started.LogTail(20))
		}
		started.Kill()
	})
	return filepath.Join(dir, name+".log")
}

// exited says whether one of the programs has ended.
func (r *Receivers) exited() error {
	for _, one := range r.processes {
		if err := one.Exited(); err != nil {
			return err
		}
	}
	return nil
}

func address(t testing.TB) string {
	t.Helper()
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

func (r *Receivers) await(t testing.TB, address string) {
	t.Helper()
	err := poll.Until(t.Context(), 20*time.Second, func(context.Context) error {
		if err := r.exited(); err != nil {
			return err
		}
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return connection.Close()
	})
	if err != nil {
		t.Fatal("no receiver: ", err)
	}
}

// Records are all that were taken so far.
func (r *Receivers) Records() ([]Received, error) {
	if err := r.exited(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(r.output)
	if err != nil {
		return nil, err
	}
	var all []Received
	lines := bufio.NewScanner(bytes.NewReader(data[:bytes.LastIndexByte(data, '\n')+1]))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var one Received
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("the receivers printed %q: %w", lines.Text(), err)
		}
		all = append(all, one)
	}
	return all, lines.Err()
}
