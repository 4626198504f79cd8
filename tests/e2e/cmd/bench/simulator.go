package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"crypto/tls"
	"crypto/x509"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/controlplane"
	"kube-events-exporter/tests/e2e/internal/exporter"
	"kube-events-exporter/tests/e2e/internal/poll"
	"kube-events-exporter/tests/e2e/internal/process"
)

// cluster describes what the simulated API server holds and how it sends it.
type cluster struct {
	objects    int
	namespaces int
	changes    int // on the tape
	chunkBytes int // 0: one frame per chunk
	tls        bool
}

// simulator is a running sim-apiserver with a tape that is not played yet.
type simulator struct {
	cluster
	url        string
	kubeconfig string
	process    *process.Process
	client     *http.Client
}

type simState struct {
	Objects    int            `json:"objects"`
	Watches    int            `json:"watches"`
	FramesSent int            `json:"frames_sent"`
	Hidden     int            `json:"hidden"`
	Requests   map[string]int `json:"requests"`
}

// startSimulator gives every run with the same seed the same objects and the
// same changes. Names that are created again and runs that begin again are
// left out of the load: client-go alone cannot count them right.
func startSimulator(ctx context.Context, binary, dir string, c cluster, seed int) (*simulator, error) {
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	s := &simulator{cluster: c, url: fmt.Sprintf("http://127.0.0.1:%d", port)}
	args := []string{
		"--port", strconv.Itoa(port), "--seed", strconv.Itoa(seed), "--start-paused", "--recreations=0", "--resets=0",
		"--objects", strconv.Itoa(c.objects), "--namespaces", strconv.Itoa(c.namespaces),
		"--history", strconv.Itoa(c.objects + c.changes + 1000), "--chunk-bytes", strconv.Itoa(c.chunkBytes),
	}
	transport := &http.Transport{}
	var ca []byte
	if c.tls {
		var flags []string
		if ca, flags, err = writeCertificates(dir); err != nil {
			return nil, err
		}
		args = append(args, flags...)
		s.url = fmt.Sprintf("https://127.0.0.1:%d", port)
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(ca)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	s.client = &http.Client{Transport: transport}
	if s.kubeconfig, err = access.TokenKubeconfig(s.url, ca, "").Write(dir); err != nil {
		return nil, err
	}
	if s.process, err = process.Start(dir, "sim-apiserver", exec.Command(binary, args...)); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func writeCertificates(dir string) (ca []byte, flags []string, err error) {
	ca, server, err := controlplane.NewServerCertificate()
	if err != nil {
		return nil, nil, err
	}
	certificate, key := filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	if err := os.WriteFile(certificate, server.Certificate, 0o600); err != nil {
		return nil, nil, err
	}
	return ca, []string{"--tls-cert", certificate, "--tls-key", key}, os.WriteFile(key, server.Key, 0o600)
}

// prepare records the tape before any client is there, so that nobody else
// works while a client is measured.
func (s *simulator) prepare(ctx context.Context) error {
	err := poll.Until(ctx, phaseLimit, func(ctx context.Context) error {
		if err := s.process.Exited(); err != nil {
			return err
		}
		state, err := s.state(ctx)
		if err == nil && state.Objects < s.objects {
			err = fmt.Errorf("%d of %d objects exist", state.Objects, s.objects)
		}
		return err
	})
	if err != nil {
		return err
	}
	if s.changes > 0 {
		if err := s.control(ctx, http.MethodPost, "tape", fmt.Sprintf(`{"changes": %d, "api": "v1"}`, s.changes), nil); err != nil {
			return err
		}
	}
	return s.control(ctx, http.MethodPost, "mark", "{}", nil)
}

// play shows the tape, so many changes per second (0: all at once), and
// returns when all of it is on its way to the one client.
func (s *simulator) play(ctx context.Context, rate int) error {
	before, err := s.state(ctx)
	if err != nil {
		return err
	}
	if err := s.control(ctx, http.MethodPost, "tape", fmt.Sprintf(`{"rate": %d}`, rate), nil); err != nil {
		return err
	}
	return poll.Until(ctx, phaseLimit, func(ctx context.Context) error {
		state, err := s.state(ctx)
		if err != nil {
			return err
		}
		sent := state.FramesSent - before.FramesSent
		if state.Hidden > 0 || sent < s.changes {
			return fmt.Errorf("%d of %d changes are sent to %d watches", sent, s.changes, state.Watches)
		}
		return nil
	})
}

// waitForWatch returns when the client watches.
func (s *simulator) waitForWatch(ctx context.Context) error {
	return poll.Until(ctx, phaseLimit, func(ctx context.Context) error {
		state, err := s.state(ctx)
		if err == nil && state.Watches != 1 {
			err = fmt.Errorf("%d watches are open", state.Watches)
		}
		return err
	})
}

func (s *simulator) state(ctx context.Context) (simState, error) {
	var state simState
	return state, s.control(ctx, http.MethodGet, "state", "", &state)
}

// truth is what a client has to have counted of the tape; label sets without
// an occurrence are not in it.
func (s *simulator) truth(ctx context.Context) (exporter.Counts, error) {
	var answer struct {
		Occurrences []struct {
			Type      string
			Namespace string `json:"involved_object_namespace"`
			Kind      string `json:"involved_object_kind"`
			Reason    string
			Count     float64
		}
	}
	if err := s.control(ctx, http.MethodGet, "truth?since=mark", "", &answer); err != nil {
		return nil, err
	}
	counts := exporter.Counts{}
	for _, o := range answer.Occurrences {
		counts[exporter.Series{Type: o.Type, Namespace: o.Namespace, Kind: o.Kind, Reason: o.Reason}] = o.Count
	}
	return counts, nil
}

func (s *simulator) control(ctx context.Context, method, what, body string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, s.url+"/sim/v1/"+what, bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("sim-apiserver answers %s to %s", response.Status, what)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

func (s *simulator) stop() { _, _ = s.process.Stop(10 * time.Second) }
