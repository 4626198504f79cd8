package contract

import (
	"strings"
)

func createRefusesBodies(b *bench) {
	const unrecognized = "the object provided is unrecognized (must be of type Event): couldn't get version/kind; " +
		"json parse error: "
	version := record("e", object{"metadata": object{"name": "e", "resourceVersion": "7"}})
	typed := func(kind, version string) object { return record("e", object{"kind": kind, "apiVersion": version}) }
	b.refuses(
		row{post(coreEvents, ""), badRequest(unrecognized + "unexpected end of JSON input (<empty>)")},
		row{post(coreEvents, "{"), badRequest(unrecognized + "unexpected end of JSON input ({)")},
		row{post(coreEvents, "[1]"), failure{code: 400, reason: "BadRequest",
			begins: unrecognized + "json: cannot unmarshal array into Go value of type struct"}},
		row{request{method: "POST", path: coreEvents, body: "a: b", contentType: "text/plain"}, failure{
			code: 415, reason: "UnsupportedMediaType", message: "the body of the request was in an unknown format - accepted " +
				"media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"}},
		row{post(coreEvents, typed("Pod", "v1")), failure{code: 400, reason: "BadRequest",
			begins: `Pod in version "v1" cannot be handled as a Event: `}},
		row{post(coreEvents, typed("Event", "events.k8s.io/v1")), badRequest(
			"the API version in the data (events.k8s.io/v1) does not match the expected API version (v1)")},
		row{post(newEvents, typed("Event", "v1")), badRequest(
			"the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)")},
		row{post(coreEvents, version), plainError("resourceVersion should not be set on objects to be created")},
		row{post(coreEvents, record("e", object{"metadata": object{"name": "e", "namespace": "elsewhere"}})), otherNamespace},
	)
}

func createRefusesTypes(b *bench) {
	wrong := func(message string) failure {
		return badRequest(`Event in version "v1" cannot be handled as a Event: ` + message)
	}
	micro := `parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`
	b.refuses(
		row{post(coreEvents, record("e", object{"count": "x"})),
			wrong("json: cannot unmarshal string into Go struct field Event.count of type int32")},
		row{post(coreEvents, record("e", object{"message": 5})),
			wrong("json: cannot unmarshal number into Go struct field Event.message of type string")},
		row{post(coreEvents, record("e", object{"eventTime": "2026-01-01T00:00:00Z"})), wrong(micro)},
		row{post(newEvents, series("e", object{"series": object{"lastObservedTime": "2026-01-01T00:00:00Z"}})), wrong(micro)},
		row{post(coreEvents, record("e", object{"firstTimestamp": "abc"})),
			wrong(`parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"`)},
	)
}

func createRefusesSizes(b *bench) {
	b.refuses(
		row{post(coreEvents, record("e", object{"message": strings.Repeat("x", 1_600_000)})),
			plainError("etcdserver: request is too large")},
		row{post(coreEvents, record("e", object{"message": strings.Repeat("x", 3_200_000)})), failure{
			code: 413, reason: "RequestEntityTooLarge", message: "Request entity too large: limit is 3145728"}},
	)
	b.create(coreEvents, record("long", object{"message": strings.Repeat("x", 100_000)}))
}

const namePart = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
	"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
	"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

const subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
	"and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
	`'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`

func invalidValue(field, message string) cause {
	return cause{field, "Invalid", `Invalid value: "": ` + message}
}

func required(field string) cause { return cause{field, "Required", "Required value"} }

func validationOfCoreEvents(b *bench) {
	noNamespace := cause{"involvedObject.namespace", "Invalid", `Invalid value: "": does not match event.namespace`}
	elsewhere := cause{"involvedObject.namespace", "Invalid", `Invalid value: "other": does not match event.namespace`}
	about := func(involved object, more ...object) object {
		return record("e", append(more, object{"involvedObject": involved})...)
	}
	b.refuses(
		row{post(coreEvents, about(object{"namespace": "other"})), invalid(eventsOfCore, "e", elsewhere)},
		row{post(coreEvents, about(object{})), invalid(eventsOfCore, "e", noNamespace)},
		row{post(coreEvents, record("", object{"metadata": object{}})), invalid(eventsOfCore, "",
			cause{"metadata.name", "Required", "Required value: name or generateName is required"})},
		row{post(coreEvents, record("a/b")), invalid(eventsOfCore, "a/b",
			cause{"metadata.name", "Invalid", `Invalid value: "a/b": may not contain '/'`})},
		// An eventTime makes it an Event of the new style.
		row{post(coreEvents, record("e", object{"eventTime": "2026-01-01T00:00:00.000000Z", "reason": ""})),
			invalid(eventsOfCore, "e", required("reportingComponent"),
				invalidValue("reportingComponent", "name part must be non-empty"), invalidValue("reportingComponent", namePart),
				required("reportingInstance"), required("action"), required("reason"))},
	)
	// Names, types and series are not looked at, nor is the length of a text.
	b.create(coreEvents, record("A_B"))
	b.create(coreEvents, record("odd", object{"type": "Odd", "series": object{"count": 1}, "count": -3,
		"reason": strings.Repeat("r", 2000)}))
}

func validationOfNewEvents(b *bench) {
	b.refuses(
		row{post(newEvents, series("e", object{"eventTime": nil, "type": ""})), invalid(eventsOfNew, "e",
			required("eventTime"), invalidValue("type", "has invalid value: "))},
		row{post(newEvents, series("e", object{"type": "Odd", "reportingController": "x y",
			"series": object{"count": 1, "lastObservedTime": nil}})), invalid(eventsOfNew, "e",
			cause{"reportingController", "Invalid", `Invalid value: "x y": ` + namePart},
			invalidValue("series.count", "should be at least 2"), required("series.lastObservedTime"),
			invalidValue("type", "has invalid value: Odd"))},
		row{post(newEvents, series("e", object{"deprecatedCount": 1, "deprecatedSource": object{"component": "x"},
			"deprecatedFirstTimestamp": "2026-01-01T00:00:00Z", "deprecatedLastTimestamp": "2026-01-01T00:00:00Z"})),
			invalid(eventsOfNew, "e", invalidValue("firstTimestamp", "needs to be unset"),
				invalidValue("lastTimestamp", "needs to be unset"), invalidValue("count", "needs to be unset"),
				invalidValue("source", "needs to be unset"))},
		row{post(newEvents, series("e", object{"note": strings.Repeat("n", 1025), "reason": strings.Repeat("r", 129),
			"action": strings.Repeat("a", 129), "reportingInstance": strings.Repeat("i", 129)})),
			invalid(eventsOfNew, "e", invalidValue("reportingInstance", "can have at most 128 characters"),
				invalidValue("action", "can have at most 128 characters"),
				invalidValue("reason", "can have at most 128 characters"),
				invalidValue("message", "can have at most 1024 characters"))},
		row{post(newEvents, series("A_B")), invalid(eventsOfNew, "A_B",
			cause{"metadata.name", "Invalid", `Invalid value: "A_B": ` + subdomain})},
	)
	b.create(newEvents, series("longest", object{"note": strings.Repeat("n", 1024)}))
}

func newEventsChangeInTheirSeriesOnly(b *bench) {
	b.create(newEvents, series("e"))
	immutable := func(field, value string) cause {
		return cause{field, "Invalid", `Invalid value: "` + value + `": field is immutable`}
	}
	observed := object{"count": 1, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}
	b.refuses(
		row{patchWith(strategicPatch, newEvents+"/e", object{"series": observed}),
			invalid(eventsOfNew, "e", invalidValue("series.count", "should be at least 2"))},
		row{patchWith(mergePatch, newEvents+"/e", object{"type": "Normal", "action": "B", "reportingInstance": "j"}),
			invalid(eventsOfNew, "e", immutable("type", "Normal"), immutable("action", "B"),
				immutable("reportingInstance", "j"))},
	)
	observed["count"] = 2
	got := b.do(patchWith(strategicPatch, newEvents+"/e", object{"series": observed})).want(200).object()
	b.equal("series", got["series"], observed)
	// Through core/v1 everything may change.
	b.patch(coreEvents+"/e", object{"reason": "Other", "count": 3})
	b.equal("reason", b.get(newEvents + "/e").object()["reason"], "Other")
}
