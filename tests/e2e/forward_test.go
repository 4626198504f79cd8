package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kube-events-exporter/tests/e2e/internal/receivers"
)

// forwardTimeout bounds the time from the last write to its arrival. It
// includes the pauses after each refusal.
const forwardTimeout = 60 * time.Second

// route is one way from the exporter to a third-party receiver.
type route struct {
	receiver string
	// tag is what tells apart two ways to one receiver; HTTP has none.
	tag string
	url string
}

func (r route) took(one receivers.Received) bool {
	return one.Receiver == r.receiver && strings.HasPrefix(one.Tag, r.tag)
}

func routesTo(t *testing.T, to *receivers.Receivers) map[string]route {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(receivers.SharedKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]route{
		"forward": {receiver: "forward", tag: "plain.", url: "forward://" + to.Forward + "?tag=plain.{namespace}.{reason}"},
		"forward with a shared key": {receiver: "forward", tag: "secured.",
			url: "forward://" + to.Secured + "?format=flat&tag=secured.{kind}&shared-key-file=" + key},
		"http": {receiver: "http", url: "http://" + to.HTTP + "/events"},
	}
}

// Receivers that others have written take every Event, also where they refuse
// batches first, which they get again.
func TestThirdPartyReceiversTakeEveryEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	to := receivers.Start(t, 2)
	routes := routesTo(t, to)
	args := []string{"--namespaces=" + b.Namespace}
	for _, one := range routes {
		args = append(args, "--forward="+one.url)
	}
	b.startExporter(args...)
	b.writeForForwarding()
	want := b.lastStates()
	for name, one := range routes {
		b.waitFor(forwardTimeout, func(context.Context) error {
			all, err := to.Records()
			if err != nil {
				return err
			}
			return compareIDs(name, want, one, all)
		})
	}
	all, err := to.Records()
	if err != nil {
		t.Fatal(err)
	}
	b.expectTags(routes["forward"], all)
	expectTimes(t, routes["forward with a shared key"], all)
}

// writeForForwarding writes Events of several reasons, and updates of some.
func (b *bench) writeForForwarding() {
	b.Helper()
	now := time.Now()
	for i := range 60 {
		event := b.Record(fmt.Sprintf("event-%d", i), []string{pulled, backOff, failedCreate}[i%3], 1, now)
		event.Message = fmt.Sprintf("message %d: ünïcödé, \"quotes\" and\nlines", i)
		b.Create(event)
	}
	for i := range 20 {
		b.SetCount(fmt.Sprintf("event-%d", i), 3)
	}
}

// lastStates are the ids of what the API server holds now.
func (b *bench) lastStates() map[string]bool {
	b.Helper()
	list, err := b.Client.CoreV1().Events(b.Namespace).List(b.Context(), metav1.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	ids := map[string]bool{}
	for _, event := range list.Items {
		ids[string(event.UID)+"/"+event.ResourceVersion] = true
	}
	return ids
}

func compareIDs(name string, want map[string]bool, way route, all []receivers.Received) error {
	missing := maps.Clone(want)
	arrived := 0
	for _, one := range all {
		if way.took(one) {
			arrived++
			delete(missing, one.ID())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: %d of %d last states are missing after %d records, such as %s",
			name, len(missing), len(want), arrived, slices.Sorted(maps.Keys(missing))[0])
	}
	return nil
}

// expectTags checks how records are routed.
func (b *bench) expectTags(way route, all []receivers.Received) {
	b.Helper()
	for _, one := range all {
		object, _ := one.Record["object"].(map[string]any)
		if tag := fmt.Sprintf("plain.%s.%s", b.Namespace, object["reason"]); way.took(one) && one.Tag != tag {
			b.Errorf("%s has the tag %s, want %s", one.ID(), one.Tag, tag)
		}
	}
}

// expectTimes checks that the time beside a record is the one in it, which only
// the flat format has.
func expectTimes(t *testing.T, way route, all []receivers.Received) {
	t.Helper()
	for _, one := range all {
		if !way.took(one) {
			continue
		}
		stamp, err := time.Parse(time.RFC3339Nano, fmt.Sprint(one.Record["timestamp"]))
		if err != nil || !one.Time.Equal(stamp) {
			t.Errorf("%s has the time %v, want %v (%v)", one.ID(), one.Time, stamp, err)
		}
	}
}
