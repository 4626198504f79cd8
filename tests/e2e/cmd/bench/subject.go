package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"kube-events-exporter/tests/e2e/internal/exporter"
	"kube-events-exporter/tests/e2e/internal/poll"
	"kube-events-exporter/tests/e2e/internal/process"
)

// program is one of the two that are compared.
type program struct {
	name string
	path string
	args func(kubeconfig string, port int) []string
}

func theExporter(path string) program {
	return program{name: "exporter", path: path, args: func(kubeconfig string, port int) []string {
		return []string{"--kubeconfig=" + kubeconfig, "--host=127.0.0.1", "--port=" + strconv.Itoa(port),
			"--max-series=100000"}
	}}
}

func theGoProgram(path string) program {
	return program{name: "client-go", path: path, args: func(kubeconfig string, port int) []string {
		return []string{"--kubeconfig=" + kubeconfig, "--listen=127.0.0.1:" + strconv.Itoa(port)}
	}}
}

// subject is a running program.
type subject struct {
	process *process.Process
	url     string
	client  *http.Client
	started time.Time
}

func startSubject(p program, kubeconfig, dir string) (*subject, error) {
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	s := &subject{
		url: fmt.Sprintf("http://127.0.0.1:%d", port),
		// What is compressed is not wanted decompressed, but counted as it comes.
		client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableCompression: true}},
	}
	command := exec.Command(p.path, p.args(kubeconfig, port)...)
	command.Env = []string{"HOME=" + dir}
	s.started = time.Now()
	s.process, err = process.Start(dir, p.name, command)
	return s, err
}

// waitHealthy returns the time from the start to the first 200 of /healthz,
// asking every interval.
func (s *subject) waitHealthy(ctx context.Context, interval time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, phaseLimit)
	defer cancel()
	for {
		if status, _, err := s.get(ctx, "/healthz", ""); err == nil && status == http.StatusOK {
			return time.Since(s.started), nil
		}
		if err := s.process.Exited(); err != nil {
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, errors.New("not healthy in time\n" + s.process.LogTail(20))
		case <-time.After(interval):
		}
	}
}

// get returns the status and the size of the body.
func (s *subject) get(ctx context.Context, path, encoding string) (status int, size int64, err error) {
	response, err := s.request(ctx, path, encoding)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	size, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, size, err
}

func (s *subject) request(ctx context.Context, path, encoding string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4")
	if encoding != "" {
		request.Header.Set("Accept-Encoding", encoding)
	}
	return s.client.Do(request)
}

func (s *subject) counts(ctx context.Context) (exporter.Counts, error) {
	response, err := s.request(ctx, "/metrics", "")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	scrape, err := exporter.ParseScrape(response.Body)
	return scrape.Counts, err
}

// check compares kube_events_total with the truth: each of its values, and
// nothing else above 0. It returns all series, those at 0 too.
func (s *subject) check(ctx context.Context, truth exporter.Counts) (exporter.Counts, error) {
	var all exporter.Counts
	err := poll.Until(ctx, 10*time.Second, func(ctx context.Context) error {
		var err error
		if all, err = s.counts(ctx); err != nil {
			return err
		}
		happened := exporter.Counts{}
		for series, value := range all {
			if value > 0 {
				happened[series] = value
			}
		}
		if diff := happened.Diff(truth); diff != "" {
			return fmt.Errorf("%w:\n%s", errWrongCount, firstLines(diff))
		}
		return nil
	})
	return all, err
}

// firstLines keeps a message readable.
func firstLines(text string) string {
	const most = 10
	lines := strings.Split(text, "\n")
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("  … and %d more", len(lines)-most))
	}
	return strings.Join(lines, "\n")
}

var errWrongCount = errors.New("kube_events_total is not what happened")

// stop ends the program, which has to end well.
func (s *subject) stop() error {
	code, err := s.process.Stop(10 * time.Second)
	if err == nil && code != 0 {
		err = fmt.Errorf("ended with code %d\n%s", code, s.process.LogTail(20))
	}
	return err
}
