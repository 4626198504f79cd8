package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/controlplane"
	"kube-events-exporter/tests/e2e/internal/exporter"
	"kube-events-exporter/tests/e2e/internal/poll"
)

// writers create Events side by side, as many recorders would.
const writers = 8

// realServer is a real kube-apiserver with etcd, which speaks HTTP/2 and, to
// the Go program, protobuf. What it sends comes as fast as it can store it.
type realServer struct {
	plane      *controlplane.ControlPlane
	dir        string
	kubeconfig string
	rounds     int
}

func startRealServer(ctx context.Context, moduleDir, dir string) (*realServer, error) {
	binaries, err := controlplane.FindBinaries(ctx, moduleDir)
	if err != nil {
		return nil, err
	}
	plane, err := controlplane.Start(ctx, binaries, dir)
	if err != nil {
		return nil, err
	}
	path, err := access.TokenKubeconfig(plane.URL, plane.CA, plane.AdminConfig().BearerToken).Write(dir)
	return &realServer{plane: plane, dir: dir, kubeconfig: path}, err
}

const realLabel = "CPU per watch event, real kube-apiserver"

func realCase(s sizes) benchCase {
	return benchCase{name: realLabel, cluster: cluster{changes: s.singles}, trials: s.trials,
		rows: []row{{label: realLabel, unit: microseconds, target: cpuTarget}}}
}

// try measures a program while new Events are written under a reason of their
// own, and proves that each was counted.
func (r *realServer) try(ctx context.Context, p program, c benchCase) (measured figures, _ exporter.Counts, err error) {
	dir, err := os.MkdirTemp(r.dir, "trial-")
	if err != nil {
		return nil, nil, err
	}
	s, err := startSubject(p, r.kubeconfig, dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err := s.waitHealthy(ctx, 50*time.Millisecond); err != nil {
		return nil, nil, err
	}
	before, err := waitIdle(ctx, s.process)
	if err != nil {
		return nil, nil, err
	}
	r.rounds++
	reason := fmt.Sprintf("Round%d", r.rounds)
	if err := r.write(ctx, reason, c.changes); err != nil {
		return nil, nil, err
	}
	after, err := waitIdle(ctx, s.process)
	if err != nil {
		return nil, nil, err
	}
	series := exporter.Series{Type: "Normal", Namespace: "default", Kind: "Pod", Reason: reason}
	err = poll.Until(ctx, 10*time.Second, func(ctx context.Context) error {
		counts, err := s.counts(ctx)
		if err == nil && counts[series] != float64(c.changes) {
			err = fmt.Errorf("%w: %v = %v, want %d", errWrongCount, series, counts[series], c.changes)
		}
		return err
	})
	return figures{realLabel: (after - before).Seconds() / float64(c.changes)}, nil, err
}

func (r *realServer) write(ctx context.Context, reason string, events int) error {
	errs := make([]error, writers)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := w; i < events && errs[w] == nil; i += writers {
				event := newEvent(fmt.Sprintf("pod-%d.round%d", i, r.rounds), reason)
				_, errs[w] = r.plane.Client.CoreV1().Events("default").Create(ctx, event, metav1.CreateOptions{})
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func newEvent(name, reason string) *corev1.Event {
	now := metav1.Now()
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: "default", Name: name,
			FieldPath: "spec.containers{main}"},
		Reason:         reason,
		Message:        "Container image \"registry.example.com/shop/main:v1.2.3\" already present on machine",
		Type:           corev1.EventTypeNormal,
		Source:         corev1.EventSource{Component: "kubelet", Host: "node-1"},
		FirstTimestamp: now,
		LastTimestamp:  now,
		Count:          1,
	}
}
