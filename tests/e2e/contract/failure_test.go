package contract

import (
	"encoding/json"
	"strings"
)

// failure is a metav1.Status that says no.
type failure struct {
	code    int
	reason  string
	message string
	// begins is the beginning of a message whose rest is Go's wording.
	begins  string
	details object
	// plain is the whole body where it is no Status.
	plain string
}

// wantFailure compares the whole body.
func (a answer) wantFailure(want failure) {
	a.b.Helper()
	if a.status != want.code {
		a.b.Errorf("%s: status %d, want %d: %.2000s", a.what, a.status, want.code, a.body)
		return
	}
	if want.plain != "" {
		if got := string(a.body); got != want.plain {
			a.b.Errorf("%s: body %q, want %q", a.what, got, want.plain)
		}
		return
	}
	if kind := a.header.Get("Content-Type"); kind != "application/json" {
		a.b.Errorf("%s: Content-Type %q", a.what, kind)
	}
	a.b.wantStatus(a.what, a.object(), want)
}

// wantStatus compares a Status as an object.
func (b *bench) wantStatus(what string, got object, want failure) {
	b.Helper()
	status := object{
		"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure", "code": want.code,
		"message": want.message,
	}
	if want.reason != "" {
		status["reason"] = want.reason
	}
	if want.details != nil {
		status["details"] = want.details
	}
	if want.begins != "" {
		if !strings.HasPrefix(text(got, "message"), b.fill(want.begins)) {
			b.Errorf("%s: message %q, want it to begin with %q", what, text(got, "message"), b.fill(want.begins))
		}
		status["message"] = text(got, "message")
	}
	b.equal(what, got, status)
}

// row is a request that is refused.
type row struct {
	request
	want failure
}

// refuses sends each request and compares the whole answer.
func (b *bench) refuses(rows ...row) {
	b.Helper()
	for _, r := range rows {
		if r.method == "" {
			r.method = "GET"
		}
		b.do(r.request).wantFailure(r.want)
	}
}

func get(path string) request { return request{path: path} }
func post(path string, body any) request {
	return request{method: "POST", path: path, body: body}
}
func put(path string, body any) request { return request{method: "PUT", path: path, body: body} }
func patchWith(contentType, path string, body any) request {
	return request{method: "PATCH", path: path, body: body, contentType: contentType}
}
func deletion(path string, body any) request {
	return request{method: "DELETE", path: path, body: body}
}

func badRequest(message string) failure {
	return failure{code: 400, reason: "BadRequest", message: message}
}

// plainError is an error that the server gives no reason.
func plainError(message string) failure { return failure{code: 500, message: message} }

// resource names a resource in messages and details.
type resource struct{ group, plural, kind string }

var (
	eventsOfCore = resource{"", "events", "Event"}
	eventsOfNew  = resource{"events.k8s.io", "events", "Event"}
	aConfigMap   = resource{"", "configmaps", "ConfigMap"}
	aLease       = resource{"coordination.k8s.io", "leases", "Lease"}
	aNamespace   = resource{"", "namespaces", "Namespace"}
)

func (r resource) qualified() string {
	if r.group == "" {
		return r.plural
	}
	return r.plural + "." + r.group
}

func (r resource) details(name string) object {
	details := object{"kind": r.plural}
	if name != "" {
		details["name"] = name
	}
	if r.group != "" {
		details["group"] = r.group
	}
	return details
}

func notFound(r resource, name string) failure {
	message := r.qualified() + " " + quoted(name) + " not found"
	return failure{code: 404, reason: "NotFound", message: message, details: r.details(name)}
}

func alreadyExists(r resource, name string) failure {
	message := r.qualified() + " " + quoted(name) + " already exists"
	return failure{code: 409, reason: "AlreadyExists", message: message, details: r.details(name)}
}

func conflict(r resource, name, why string) failure {
	message := "Operation cannot be fulfilled on " + r.qualified() + " " + quoted(name) + ": " + why
	return failure{code: 409, reason: "Conflict", message: message, details: r.details(name)}
}

const modified = "the object has been modified; please apply your changes to the latest version and try again"

// precondition is a conflict of a deletion, which names the kind.
func precondition(r resource, name, why string) failure {
	details := r.details(name)
	details["kind"] = r.kind
	message := "Operation cannot be fulfilled on " + r.kind + " " + quoted(name) + ": " + why
	return failure{code: 409, reason: "Conflict", message: message, details: details}
}

// cause is a field that validation refuses; its reason is Invalid, Required …
type cause struct{ field, reason, message string }

func causes(list []cause) []any {
	all := []any{}
	for _, c := range list {
		all = append(all, object{"field": c.field, "reason": "FieldValue" + c.reason, "message": c.message})
	}
	return all
}

// invalid is a 422; Events are validated as a type without a group.
func invalid(r resource, name string, list ...cause) failure {
	details := object{"kind": r.kind, "causes": causes(list)}
	kind := r.kind
	if r.group != "" && r.group != "events.k8s.io" {
		details["group"] = r.group
		kind += "." + r.group
	}
	if name != "" {
		details["name"] = name
	}
	return failure{code: 422, reason: "Invalid", message: invalidMessage(kind, name, list), details: details}
}

func invalidMessage(kind, name string, list []cause) string {
	parts := []string{}
	for _, c := range list {
		parts = append(parts, c.field+": "+c.message)
	}
	message := strings.Join(parts, ", ")
	if len(parts) > 1 {
		message = "[" + message + "]"
	}
	return kind + " " + quoted(name) + " is invalid: " + message
}

func invalidOptions(list ...cause) failure {
	return failure{
		code: 422, reason: "Invalid", message: invalidMessage("ListOptions.meta.k8s.io", "", list),
		details: object{"group": "meta.k8s.io", "kind": "ListOptions", "causes": causes(list)},
	}
}

var (
	noSuchResource = failure{
		code: 404, reason: "NotFound", message: "the server could not find the requested resource", details: object{},
	}
	noSuchPath       = failure{code: 404, plain: "404 page not found\n"}
	methodNotAllowed = failure{
		code: 405, reason: "MethodNotAllowed",
		message: "the server does not allow this method on the requested resource", details: object{},
	}
	rejectedPatch = failure{
		code: 422, reason: "Invalid", message: "the server rejected our request due to an error in our request",
		details: object{},
	}
	unsupportedPatch = failure{
		code: 415, reason: "UnsupportedMediaType", message: "415: Unsupported Media Type", details: object{},
	}
	unauthorized   = failure{code: 401, reason: "Unauthorized", message: "Unauthorized"}
	otherNamespace = badRequest("the namespace of the provided object does not match the namespace sent on the request")
)

// tooLarge is how a version of the future is refused; retry is 0 for no hint.
func tooLarge(wanted, current string, retry int) failure {
	details := object{"causes": []any{
		object{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"},
	}}
	if retry > 0 {
		details["retryAfterSeconds"] = retry
	}
	return failure{
		code: 504, reason: "Timeout", message: "Timeout: Too large resource version: " + wanted + ", current: " + current,
		details: details,
	}
}

func expired(message string) failure {
	return failure{code: 410, reason: "Expired", message: message}
}

func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
