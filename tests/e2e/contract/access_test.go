package contract

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"kube-events-exporter/tests/e2e/internal/poll"
)

const (
	tokenReviews  = "/apis/authentication.k8s.io/v1/tokenreviews"
	accessReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
)

// as acts as a user with a certificate, or, if user is empty, as nobody.
func (b *bench) as(user, token string) *bench {
	b.Helper()
	client, err := b.server.clientAs(user)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.CloseIdleConnections)
	return &bench{T: b.T, server: b.server, namespace: b.namespace, client: client, token: token}
}

// forbidden is a 403; scope is "at the cluster scope" or in which namespace.
func forbidden(r resource, name, user, verb, scope string) failure {
	what := r.qualified()
	if name != "" {
		what += " " + quoted(name)
	}
	return failure{
		code: 403, reason: "Forbidden", details: r.details(name),
		message: fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s",
			what, user, verb, r.plural, r.group, scope),
	}
}

const inNamespace, atCluster = `in the namespace "{ns}"`, "at the cluster scope"

func unknownTokensAreUnauthorized(b *bench) {
	stranger := b.as("", "wrong")
	stranger.refuses(
		row{get(coreEvents), unauthorized},
		row{get(coreEvents + "?watch=1"), unauthorized},
		row{get("/api/v1/nope"), unauthorized},
		row{get("/nope"), unauthorized},
		row{post(coreEvents, record("e")), unauthorized},
	)
}

func nobodyMayReadEvents(b *bench) {
	const nobody = "system:anonymous"
	b.as("", "").refuses(
		row{get(coreEvents), forbidden(eventsOfCore, "", nobody, "list", inNamespace)},
		row{get("/apis/events.k8s.io/v1/events?watch=1"), forbidden(eventsOfNew, "", nobody, "watch", atCluster)},
	)
	// Only Bearer is a scheme.
	b.as("", "").refuses(row{
		request{path: coreEvents, header: http.Header{"Authorization": {"Basic d3Jvbmc6eA=="}}},
		forbidden(eventsOfCore, "", nobody, "list", inNamespace),
	})
}

func certificateNamesTheUser(b *bench) {
	const alice = "contract-alice"
	user := b.as(alice, "")
	user.refuses(
		row{get("/api/v1/events"), forbidden(eventsOfCore, "", alice, "list", atCluster)},
		row{get(coreEvents), forbidden(eventsOfCore, "", alice, "list", inNamespace)},
		row{get(coreEvents + "?watch=1"), forbidden(eventsOfCore, "", alice, "watch", inNamespace)},
		row{get(coreEvents + "/e"), forbidden(eventsOfCore, "e", alice, "get", inNamespace)},
		row{get(newEvents), forbidden(eventsOfNew, "", alice, "list", inNamespace)},
		row{post(coreEvents, record("e")), forbidden(eventsOfCore, "", alice, "create", inNamespace)},
		row{put(coreEvents+"/e", record("e")), forbidden(eventsOfCore, "e", alice, "update", inNamespace)},
		row{patchWith(mergePatch, coreEvents+"/e", "{}"), forbidden(eventsOfCore, "e", alice, "patch", inNamespace)},
		row{deletion(coreEvents+"/e", nil), forbidden(eventsOfCore, "e", alice, "delete", inNamespace)},
		row{deletion(coreEvents, nil), forbidden(eventsOfCore, "", alice, "deletecollection", inNamespace)},
		row{get(leases + "/l"), forbidden(aLease, "l", alice, "get", inNamespace)},
		row{get("/api/v1/namespaces/{ns}"), forbidden(aNamespace, "{ns}", alice, "get", inNamespace)},
		row{get("/api/v1/namespaces"), forbidden(aNamespace, "", alice, "list", atCluster)},
		row{post(accessReviews, object{}), forbidden(
			resource{"authorization.k8s.io", "subjectaccessreviews", ""}, "", alice, "create", atCluster)},
		// Who may not ask is not told what there is.
		row{get("/api/v1/namespaces/{ns}/pots"), forbidden(resource{"", "pots", ""}, "", alice, "list", inNamespace)},
		row{get("/apis/nope/v1/things"), forbidden(resource{"nope", "things", ""}, "", alice, "list", atCluster)},
		row{get("/nope"), failure{code: 403, reason: "Forbidden", details: object{},
			message: `forbidden: User "contract-alice" cannot get path "/nope"`}},
	)
	// A certificate counts more than a token.
	want := forbidden(eventsOfCore, "", alice, "list", inNamespace)
	b.as(alice, "wrong").refuses(row{get(coreEvents), want})
	b.as(alice, adminToken).refuses(row{get(coreEvents), want})
}

func grantsAreFollowed(b *bench) {
	user := b.namespace + "-user"
	for _, verb := range []string{"list", "watch"} {
		if err := b.server.allow(b.Context(), user, b.namespace, verb, "", "events"); err != nil {
			b.Fatal(err)
		}
	}
	// A real server sees new roles a little later.
	granted := b.as(user, "")
	b.waitFor(func() error {
		if a := granted.get(coreEvents + "?watch=1&timeoutSeconds=1"); a.status != http.StatusOK {
			return fmt.Errorf("status %d: %s", a.status, a.body)
		}
		return nil
	})
	granted.list(coreEvents)
	granted.refuses(
		row{get(newEvents), forbidden(eventsOfNew, "", user, "list", inNamespace)},
		row{get("/api/v1/events"), forbidden(eventsOfCore, "", user, "list", atCluster)},
	)
	allowed := func(verb, group, namespace string) bool {
		attributes := object{"verb": verb, "group": group, "resource": "events", "namespace": namespace}
		review := b.create(accessReviews, object{"spec": object{"user": user, "resourceAttributes": attributes}})
		b.equal("spec.user", text(review, "spec.user"), user)
		return at(review, "status.allowed").(bool)
	}
	for _, question := range []struct {
		verb, group, namespace string
		want                   bool
	}{
		{"list", "", b.namespace, true}, {"watch", "", b.namespace, true}, {"get", "", b.namespace, false},
		{"list", "events.k8s.io", b.namespace, false}, {"list", "", "", false}, {"list", "", "default", false},
	} {
		if got := allowed(question.verb, question.group, question.namespace); got != question.want {
			b.Errorf("%+v: allowed %v", question, got)
		}
	}
}

func (b *bench) waitFor(check func() error) {
	b.Helper()
	if err := poll.Until(b.Context(), patience, func(context.Context) error { return check() }); err != nil {
		b.Fatal(err)
	}
}

func tokensAreReviewed(b *bench) {
	good := b.create(tokenReviews, object{"spec": object{"token": adminToken}})
	b.equal("review", without(good, "managedFields"), object{
		"kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1", "metadata": object{},
		"spec": object{"token": adminToken}, "status": good["status"],
	})
	b.equal("authenticated", at(good, "status.authenticated"), true)
	b.equal("username", text(good, "status.user.username"), "admin")
	b.equal("audiences", at(good, "status.audiences"), []string{"https://kubernetes.default.svc"})
	if groups := fmt.Sprint(at(good, "status.user.groups")); !strings.Contains(groups, "system:authenticated") {
		b.Errorf("groups %s", groups)
	}
	refused := object{"user": object{}, "error": "invalid bearer token"}
	bad := b.create(tokenReviews, object{"spec": object{"token": "wrong"}})
	b.equal("unknown token", bad["status"], refused)
	other := b.create(tokenReviews, object{"spec": object{"token": adminToken, "audiences": []string{"other"}}})
	b.equal("other audience", other["status"], refused)
	spec := object{"token": adminToken, "audiences": []string{"https://kubernetes.default.svc"}}
	own := b.create(tokenReviews, object{"spec": spec})
	b.equal("this audience", own["status"], good["status"])
	b.refuses(
		row{post(tokenReviews, object{"spec": object{}}), badRequest("token is required for TokenReview in authentication")},
		row{get(tokenReviews), methodNotAllowed},
	)
}

func accessIsReviewed(b *bench) {
	attributes := object{"verb": "list", "resource": "events", "namespace": "{ns}"}
	review := b.create(accessReviews, object{"spec": object{"user": "contract-bob", "resourceAttributes": attributes}})
	b.equal("review", without(review, "managedFields"), object{
		"kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": object{},
		"spec": object{"user": "contract-bob", "resourceAttributes": attributes}, "status": object{"allowed": false},
	})
	path := object{"verb": "get", "path": "/metrics"}
	review = b.create(accessReviews, object{"spec": object{"user": "contract-bob", "nonResourceAttributes": path}})
	b.equal("path", review["status"], object{"allowed": false})
	both := object{"user": "x", "resourceAttributes": attributes, "nonResourceAttributes": path}
	invalidReview := func(c cause) failure {
		return failure{
			code: 422, reason: "Invalid", message: invalidMessage(".authorization.k8s.io", "", []cause{c}),
			details: object{"group": "authorization.k8s.io", "causes": causes([]cause{c})},
		}
	}
	b.refuses(
		row{post(accessReviews, object{"spec": object{"user": "x"}}), invalidReview(cause{
			"spec.resourceAttributes", "Invalid", "Invalid value: null: exactly one of nonResourceAttributes or " +
				"resourceAttributes must be specified"})},
		row{post(accessReviews, object{"spec": object{"resourceAttributes": attributes}}), invalidReview(cause{"spec.user",
			"Invalid", `Invalid value: "": at least one of user or group must be specified`})},
		row{post(accessReviews, object{"spec": both}),
			invalidReview(cause{"spec.nonResourceAttributes", "Invalid",
				`Invalid value: {"Path":"/metrics","Verb":"get"}: cannot be specified in combination with resourceAttributes`})},
		row{get(accessReviews), methodNotAllowed},
	)
}

func pathsThatAreNotThere(b *bench) {
	b.refuses(
		row{get("/api/v1/pots"), noSuchResource},
		row{get("/api/v1/namespaces/{ns}/pots"), noSuchResource},
		row{get("/api/v1/namespaces/{ns}/pots/a"), noSuchResource},
		row{get("/apis/events.k8s.io/v9/events"), noSuchResource},
		row{get("/apis/events.k8s.io/v1/things"), noSuchResource},
		row{get("/api/v1/events/e"), noSuchResource},
		row{get("/api/v1/namespaces/{ns}/events/e/status"), noSuchResource},
		row{post("/api/v1/pots", "{}"), noSuchResource},
		row{get("/apis/nope.example.com/v1/things"), noSuchPath},
		row{get("/nope"), noSuchPath},
	)
}

func methodsThatAreNotThere(b *bench) {
	b.refuses(
		row{put(coreEvents, "{}"), methodNotAllowed},
		row{patchWith(mergePatch, coreEvents, "{}"), methodNotAllowed},
		row{post(coreEvents+"/e", "{}"), methodNotAllowed},
		row{post("/api/v1/events", "{}"), methodNotAllowed},
		row{deletion("/api/v1/events", nil), methodNotAllowed},
		row{patchWith(mergePatch, "/apis/events.k8s.io/v1/events", "{}"), methodNotAllowed},
		row{put(configMaps, "{}"), methodNotAllowed},
		row{post("/api/v1/configmaps", configMap("c", nil)), methodNotAllowed},
		row{post("/api/v1/namespaces/{ns}", "{}"), methodNotAllowed},
		row{request{method: "FOO", path: coreEvents}, methodNotAllowed},
	)
}

func largeListsAreCompressed(b *bench) {
	for i := range 3 {
		b.create(coreEvents, record(fmt.Sprintf("e-%d", i), object{"message": strings.Repeat("0123456789", 6000)}))
	}
	accepting := func(encoding, query string) answer {
		header := http.Header{"Accept-Encoding": {encoding}}
		return b.do(request{method: "GET", path: coreEvents + query, header: header}).want(200)
	}
	plain := accepting("identity", "")
	for _, encoding := range []string{"gzip", "deflate, gzip", "br,gzip,x"} {
		a := accepting(encoding, "")
		b.equal(encoding, a.header.Get("Content-Encoding"), "gzip")
		b.equal(encoding, a.header.Get("Vary"), "Accept-Encoding")
		unpacked, err := gzip.NewReader(strings.NewReader(string(a.body)))
		if err != nil {
			b.Fatal(err)
		}
		content, err := io.ReadAll(unpacked)
		if err != nil {
			b.Fatal(err)
		}
		var got list
		if err := json.Unmarshal(content, &got.object); err != nil {
			b.Fatal(err)
		}
		b.equal(encoding, got.object["items"], plain.object()["items"])
		if len(a.body) > len(plain.body)/10 {
			b.Errorf("%s: %d bytes of %d", encoding, len(a.body), len(plain.body))
		}
	}
	for encoding, query := range map[string]string{"identity": "", "deflate": "", "gzip;q=1.0": "", "gzip": "?limit=1"} {
		b.equal(encoding+query, accepting(encoding, query).header.Get("Content-Encoding"), "")
	}
}
