package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"kube-events-exporter/tests/e2e/internal/exporter"
)

// chronicle is what the watches of a namespace have told: each state of its
// Events, and each checkpoint that was saved. It knows what happened before and
// after a position.
type chronicle struct {
	mutex  sync.Mutex
	states []state
	saved  []savedCheckpoint
	broken error
}

// state is one version of an Event. Names are not used again, and counts only
// rise.
type state struct {
	version      uint64
	name, reason string
	count        int32
}

type savedCheckpoint struct {
	writer   string
	position uint64
}

// record begins to write the chronicle, until the test ends.
func (b *bench) record() *chronicle {
	b.Helper()
	h := &chronicle{}
	list, err := b.Client.CoreV1().Events(b.Namespace).List(b.Context(), metav1.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	from := metav1.ListOptions{ResourceVersion: list.ResourceVersion}
	ctx, cancel := context.WithCancel(b.Context())
	events, err := b.Client.CoreV1().Events(b.Namespace).Watch(ctx, from)
	if err != nil {
		b.Fatal(err)
	}
	maps, err := b.Client.CoreV1().ConfigMaps(b.Namespace).Watch(ctx, from)
	if err != nil {
		b.Fatal(err)
	}
	var readers sync.WaitGroup
	readers.Go(func() { h.follow(events) })
	readers.Go(func() { h.follow(maps) })
	b.Cleanup(func() {
		cancel()
		readers.Wait()
	})
	return h
}

func (h *chronicle) follow(watcher watch.Interface) {
	defer watcher.Stop()
	for message := range watcher.ResultChan() {
		h.mutex.Lock()
		var err error
		switch object := message.Object.(type) {
		case *corev1.Event:
			err = h.addEvent(object)
		case *corev1.ConfigMap:
			err = h.addCheckpoint(object)
		default:
			err = fmt.Errorf("a watch told %v", message)
		}
		if err != nil && h.broken == nil {
			h.broken = err
		}
		h.mutex.Unlock()
	}
}

func (h *chronicle) addEvent(event *corev1.Event) error {
	version, err := strconv.ParseUint(event.ResourceVersion, 10, 64)
	h.states = append(h.states, state{version: version, name: event.Name, reason: event.Reason, count: event.Count})
	return err
}

func (h *chronicle) addCheckpoint(object *corev1.ConfigMap) error {
	text, found := object.Data["checkpoint.json"]
	if !found {
		return nil
	}
	var checkpoint struct {
		Writer string `json:"writer"`
		Scopes []struct {
			Positions struct {
				Counted string `json:"counted"`
			} `json:"positions"`
		} `json:"scopes"`
	}
	if err := json.Unmarshal([]byte(text), &checkpoint); err != nil {
		return err
	}
	if len(checkpoint.Scopes) != 1 {
		return fmt.Errorf("the checkpoint has %d scopes", len(checkpoint.Scopes))
	}
	position, err := strconv.ParseUint(checkpoint.Scopes[0].Positions.Counted, 10, 64)
	h.saved = append(h.saved, savedCheckpoint{writer: checkpoint.Writer, position: position})
	return err
}

// until is how often everything had happened at a position.
func (h *chronicle) until(b *bench, position uint64) exporter.Counts {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	highest, reasons := map[string]int32{}, map[string]string{}
	for _, s := range h.states {
		if s.version <= position && s.reason != sentinelReason {
			highest[s.name], reasons[s.name] = max(highest[s.name], s.count), s.reason
		}
	}
	counts := exporter.Counts{}
	for name, count := range highest {
		counts[b.pod(reasons[name])] += float64(count)
	}
	return counts
}

// since is how often everything has happened after a position.
func (h *chronicle) since(b *bench, position uint64) exporter.Counts {
	const now = ^uint64(0)
	counts, before := h.until(b, now), h.until(b, position)
	for series, count := range before {
		if counts[series] -= count; counts[series] == 0 {
			delete(counts, series)
		}
	}
	return counts
}

// waitFor returns when the watches have told all that was written.
func (h *chronicle) waitFor(b *bench, written exporter.Counts) {
	b.Helper()
	b.waitFor(countTimeout, func(context.Context) error {
		h.mutex.Lock()
		broken := h.broken
		h.mutex.Unlock()
		if broken != nil {
			return broken
		}
		seen := h.since(b, 0).Only(func(s exporter.Series) bool { return written[s] > 0 })
		if diff := seen.Diff(written); diff != "" {
			return fmt.Errorf("the watch of the test has not told everything:\n%s", diff)
		}
		return nil
	})
}

// position is what the nth process that has saved did last, counted from 0.
func (h *chronicle) position(n int) uint64 {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	i, writer, last := -1, "", uint64(0)
	for _, s := range h.saved {
		if s.writer != writer {
			i, writer = i+1, s.writer
		}
		if i == n {
			last = s.position
		}
	}
	return last
}

// checkOrder fails the test unless processes have saved one after another and no
// position went back.
func (h *chronicle) checkOrder(t *testing.T) {
	t.Helper()
	h.mutex.Lock()
	defer h.mutex.Unlock()
	var writers []string
	for i, s := range h.saved {
		if i > 0 && s.position < h.saved[i-1].position {
			t.Errorf("%s replaced position %d by %d", s.writer, h.saved[i-1].position, s.position)
		}
		if i > 0 && s.writer == h.saved[i-1].writer {
			continue
		}
		if slices.Contains(writers, s.writer) {
			t.Errorf("%s saved again after another had", s.writer)
		}
		writers = append(writers, s.writer)
	}
}
