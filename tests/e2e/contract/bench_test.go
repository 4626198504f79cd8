package contract

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds every wait for a server.
const patience = 20 * time.Second

// Paths in the namespace of a scenario.
const (
	coreEvents = "/api/v1/namespaces/{ns}/events"
	newEvents  = "/apis/events.k8s.io/v1/namespaces/{ns}/events"
	configMaps = "/api/v1/namespaces/{ns}/configmaps"
	leases     = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
)

const (
	jsonBody       = "application/json"
	mergePatch     = "application/merge-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
	jsonPatch      = "application/json-patch+json"
)

// object is any JSON object.
type object = map[string]any

// bench is one scenario on one server, with a namespace of its own. In paths
// and texts {ns} stands for that namespace.
type bench struct {
	*testing.T
	server    *server
	namespace string
	client    *http.Client
	token     string
}

func newBench(t *testing.T, s *server, namespace string) *bench {
	b := &bench{T: t, server: s, namespace: namespace, client: s.admin, token: adminToken}
	b.create("/api/v1/namespaces", object{"metadata": object{"name": namespace}})
	return b
}

// fill puts the namespace into a text.
func (b *bench) fill(text string) string { return strings.ReplaceAll(text, "{ns}", b.namespace) }

// answer is a whole response.
type answer struct {
	b      *bench
	what   string
	status int
	header http.Header
	body   []byte
}

// request is what a client sends; body is text as it is, or marshalled.
type request struct {
	method, path string
	body         any
	contentType  string
	header       http.Header
}

func (b *bench) do(r request) answer {
	b.Helper()
	response := b.open(r)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	what := r.method + " " + b.fill(r.path)
	return answer{b: b, what: what, status: response.StatusCode, header: response.Header, body: body}
}

func (b *bench) open(r request) *http.Response {
	b.Helper()
	var body io.Reader
	switch content := r.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b.fill(content))
	default:
		text, err := json.Marshal(content)
		if err != nil {
			b.Fatal(err)
		}
		body = strings.NewReader(b.fill(string(text)))
	}
	path := strings.ReplaceAll(b.fill(r.path), " ", "%20")
	out, err := http.NewRequestWithContext(b.Context(), r.method, b.server.url+path, body)
	if err != nil {
		b.Fatal(err)
	}
	for name, values := range r.header {
		out.Header[name] = values
	}
	if r.contentType == "" {
		r.contentType = jsonBody
	}
	if body != nil {
		out.Header.Set("Content-Type", r.contentType)
	}
	if b.token != "" {
		out.Header.Set("Authorization", "Bearer "+b.token)
	}
	out.Header.Set("User-Agent", "contract/1.0")
	response, err := b.client.Do(out)
	if err != nil {
		b.Fatal(err)
	}
	return response
}

func (b *bench) get(path string) answer {
	b.Helper()
	return b.do(request{method: http.MethodGet, path: path})
}

// create posts an object, which must be accepted, and returns what is stored.
func (b *bench) create(path string, body any) object {
	b.Helper()
	return b.do(request{method: http.MethodPost, path: path, body: body}).want(http.StatusCreated).object()
}

// patch merges, which must be accepted, and returns what is stored.
func (b *bench) patch(path string, body any) object {
	b.Helper()
	return b.do(request{method: http.MethodPatch, path: path, body: body, contentType: mergePatch}).
		want(http.StatusOK).object()
}

func (b *bench) remove(path string) object {
	b.Helper()
	return b.do(request{method: http.MethodDelete, path: path}).want(http.StatusOK).object()
}

func (b *bench) compact() {
	b.Helper()
	if err := b.server.compact(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func (a answer) want(status int) answer {
	a.b.Helper()
	if a.status != status {
		a.b.Fatalf("%s: status %d, want %d: %s", a.what, a.status, status, a.body)
	}
	return a
}

func (a answer) object() object {
	a.b.Helper()
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		a.b.Fatalf("%s: %v: %.500s", a.what, err, a.body)
	}
	return o
}

// list is the answer to a list that must be accepted.
func (b *bench) list(path string) list {
	b.Helper()
	return list{b.get(path).want(http.StatusOK).object()}
}

type list struct{ object }

func (l list) version() string { return text(l.object, "metadata.resourceVersion") }

func (l list) token() string { return text(l.object, "metadata.continue") }

func (l list) names() []string {
	names := []string{}
	for _, item := range l.object["items"].([]any) {
		names = append(names, text(item.(object), "metadata.name"))
	}
	return names
}

// remaining is remainingItemCount, -1 where there is none.
func (l list) remaining() int {
	count, present := at(l.object, "metadata.remainingItemCount").(float64)
	if !present {
		return -1
	}
	return int(count)
}

// at returns the member at a path of names with dots between, or nil.
func at(value any, path string) any {
	for _, name := range strings.Split(path, ".") {
		o, ok := value.(object)
		if !ok {
			return nil
		}
		value = o[name]
	}
	return value
}

// text is a member that is a text, "" where there is none.
func text(o object, path string) string {
	s, _ := at(o, path).(string)
	return s
}

func versionOf(o object) string { return text(o, "metadata.resourceVersion") }

// number is a resourceVersion as a number.
func (b *bench) number(version string) uint64 {
	b.Helper()
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		b.Fatalf("resourceVersion %q: %v", version, err)
	}
	return n
}

// equal compares JSON values; {ns} in what is wanted is filled in.
func (b *bench) equal(what string, got, want any) {
	b.Helper()
	encoded, err := json.Marshal(want)
	if err != nil {
		b.Fatal(err)
	}
	var filled any
	if err := json.Unmarshal([]byte(b.fill(string(encoded))), &filled); err != nil {
		b.Fatal(err)
	}
	reencoded, err := json.Marshal(got)
	if err != nil {
		b.Fatal(err)
	}
	var same any
	if err := json.Unmarshal(reencoded, &same); err != nil {
		b.Fatal(err)
	}
	if !reflect.DeepEqual(same, filled) {
		wanted, _ := json.Marshal(filled)
		b.Errorf("%s\n got %s\nwant %s", what, reencoded, wanted)
	}
}

// without is a copy of o that lacks some members of its metadata: those the
// server makes up.
func without(o object, members ...string) object {
	copied := object{}
	for key, value := range o {
		copied[key] = value
	}
	metadata := object{}
	for key, value := range o["metadata"].(object) {
		metadata[key] = value
	}
	for _, member := range members {
		delete(metadata, member)
	}
	copied["metadata"] = metadata
	return copied
}

// own is the part of an object that its writer has written.
func own(o object) object {
	return without(o, "uid", "resourceVersion", "creationTimestamp", "managedFields")
}
