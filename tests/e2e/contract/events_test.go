package contract

import (
	"regexp"
	"strings"
	"time"
)

// series is an Event as tools/events writes it.
func series(name string, more ...object) object {
	event := object{
		"metadata":            object{"name": name},
		"eventTime":           "2026-01-01T00:00:00.123456Z",
		"reportingController": "example.com/by-hand",
		"reportingInstance":   "by-hand-1",
		"action":              "Importing",
		"reason":              "Failed",
		"regarding":           object{"apiVersion": "batch/v1", "kind": "Job", "namespace": "{ns}", "name": "import-1"},
		"note":                "The import failed",
		"type":                "Warning",
	}
	for _, fields := range more {
		for key, value := range fields {
			event[key] = value
		}
	}
	return event
}

// shownAs compares what both APIs show of one Event.
func (b *bench) shownAs(name string, core, other object) {
	b.Helper()
	core["kind"], core["apiVersion"] = "Event", "v1"
	other["kind"], other["apiVersion"] = "Event", "events.k8s.io/v1"
	a, c := b.get(coreEvents+"/"+name).want(200).object(), b.get(newEvents+"/"+name).want(200).object()
	b.equal("core/v1", own(a), core)
	b.equal("events.k8s.io/v1", own(c), other)
	b.equal("metadata", c["metadata"], a["metadata"])
}

func coreEventShownByBoth(b *bench) {
	metadata := object{"name": "e", "namespace": "{ns}", "labels": object{"a": "b"}, "annotations": object{"c": "d"}}
	pod := object{
		"kind": "Pod", "namespace": "{ns}", "name": "web-1", "uid": "u-1", "apiVersion": "v1", "resourceVersion": "7",
		"fieldPath": "spec.containers{web}",
	}
	node := object{"kind": "Node", "name": "node-1"}
	observed := "2026-01-01T00:00:02.000001Z"
	core := object{
		"metadata": metadata, "involvedObject": pod, "reason": "Started", "message": "Started container <web> & more\n",
		"source": object{"component": "kubelet", "host": "node-1"}, "firstTimestamp": "2026-01-01T00:00:00Z",
		"lastTimestamp": "2026-01-01T00:00:01Z", "count": 3, "type": "Normal", "eventTime": nil, "related": node,
		"series": object{"count": 4, "lastObservedTime": observed}, "action": "Starting",
		"reportingComponent": "kubelet", "reportingInstance": "node-1",
	}
	b.create(coreEvents, core)
	b.shownAs("e", core, object{
		"metadata": metadata, "regarding": pod, "reason": "Started", "note": "Started container <web> & more\n",
		"deprecatedSource":         object{"component": "kubelet", "host": "node-1"},
		"deprecatedFirstTimestamp": "2026-01-01T00:00:00Z", "deprecatedLastTimestamp": "2026-01-01T00:00:01Z",
		"deprecatedCount": 3, "type": "Normal", "eventTime": nil, "related": node,
		"series": object{"count": 4, "lastObservedTime": observed}, "action": "Starting",
		"reportingController": "kubelet", "reportingInstance": "node-1",
	})
}

func newEventShownByBoth(b *bench) {
	metadata := object{"name": "e", "namespace": "{ns}"}
	twice := object{"count": 2, "lastObservedTime": "2026-01-01T00:00:09.000000Z"}
	b.create(newEvents, series("e", object{"series": twice}))
	job := object{"apiVersion": "batch/v1", "kind": "Job", "namespace": "{ns}", "name": "import-1"}
	b.shownAs("e", object{
		"metadata": metadata, "involvedObject": job, "reason": "Failed", "message": "The import failed", "source": object{},
		"firstTimestamp": nil, "lastTimestamp": nil, "type": "Warning", "eventTime": "2026-01-01T00:00:00.123456Z",
		"series": twice, "action": "Importing", "reportingComponent": "example.com/by-hand", "reportingInstance": "by-hand-1",
	}, object{
		"metadata": metadata, "regarding": job, "reason": "Failed", "note": "The import failed",
		"deprecatedSource": object{}, "deprecatedFirstTimestamp": nil, "deprecatedLastTimestamp": nil, "type": "Warning",
		"eventTime": "2026-01-01T00:00:00.123456Z",
		"series":    twice, "action": "Importing", "reportingController": "example.com/by-hand",
		"reportingInstance": "by-hand-1",
	})
}

// What is empty is left out, or null, or empty: each field in its own way.
func emptyEventShownByBoth(b *bench) {
	metadata := object{"name": "e", "namespace": "{ns}"}
	b.create(coreEvents, object{
		"metadata": object{"name": "e"}, "involvedObject": object{"namespace": "{ns}"}, "count": 0, "series": object{},
		"unknown": "dropped", "message": nil, "firstTimestamp": nil,
	})
	b.shownAs("e", object{
		"metadata": metadata, "involvedObject": object{"namespace": "{ns}"}, "source": object{}, "firstTimestamp": nil,
		"lastTimestamp": nil, "eventTime": nil, "series": object{"lastObservedTime": nil}, "reportingComponent": "",
		"reportingInstance": "",
	}, object{
		"metadata": metadata, "regarding": object{"namespace": "{ns}"}, "eventTime": nil,
		"series": object{"count": 0, "lastObservedTime": nil}, "deprecatedSource": object{},
		"deprecatedFirstTimestamp": nil, "deprecatedLastTimestamp": nil,
	})
}

func timesAreCutToTheirPrecision(b *bench) {
	got := b.create(coreEvents, record("e", object{
		"firstTimestamp": "2026-01-01T02:00:00.987Z", "lastTimestamp": "2026-01-01T02:00:00+02:00",
	}))
	b.equal("firstTimestamp", got["firstTimestamp"], "2026-01-01T02:00:00Z")
	b.equal("lastTimestamp", got["lastTimestamp"], "2026-01-01T00:00:00Z")
}

var uid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func createSetsWhatIsTheServers(b *bench) {
	got := b.create(coreEvents, record("e", object{"metadata": object{
		"name": "e", "uid": "mine", "creationTimestamp": "2020-01-01T00:00:00Z",
	}}))
	if !uid.MatchString(text(got, "metadata.uid")) {
		b.Errorf("uid %q", text(got, "metadata.uid"))
	}
	created, err := time.Parse(time.RFC3339, text(got, "metadata.creationTimestamp"))
	if err != nil || time.Since(created).Abs() > time.Hour {
		b.Errorf("creationTimestamp %v, %v", created, err)
	}
	b.managed(got, "v1", object{
		"f:count": object{}, "f:involvedObject": object{}, "f:message": object{}, "f:reason": object{},
		"f:source": object{"f:component": object{}}, "f:type": object{},
	})
	b.equal("get", b.get(coreEvents+"/e").object(), got)
}

// managed checks that we are the one manager of these fields of an object.
func (b *bench) managed(o object, apiVersion string, fields object) {
	b.Helper()
	entries, _ := at(o, "metadata.managedFields").([]any)
	if len(entries) != 1 {
		b.Errorf("managedFields: %v", entries)
		return
	}
	b.equal("managedFields", entries[0], object{
		"manager": "contract", "operation": "Update", "apiVersion": apiVersion, "time": text(o, "metadata.creationTimestamp"),
		"fieldsType": "FieldsV1", "fieldsV1": fields,
	})
}

func createMakesUpAName(b *bench) {
	got := b.create(coreEvents, record("", object{"metadata": object{"generateName": "web."}}))
	if name := text(got, "metadata.name"); !regexp.MustCompile(`^web\.[a-z0-9]{5}$`).MatchString(name) {
		b.Errorf("name %q", name)
	}
	b.equal("generateName", text(got, "metadata.generateName"), "web.")
}

func createOfWhatIsThere(b *bench) {
	first := b.create(coreEvents, record("e"))
	b.refuses(
		row{post(coreEvents, record("e")), alreadyExists(eventsOfCore, "e")},
		row{post(newEvents, series("e")), alreadyExists(eventsOfNew, "e")},
	)
	b.remove(coreEvents + "/e")
	second := b.create(coreEvents, record("e"))
	if text(first, "metadata.uid") == text(second, "metadata.uid") {
		b.Error("another Event of the same name has the same uid")
	}
}

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

func updateReplaces(b *bench) {
	first := b.create(coreEvents, record("e"))
	second := b.do(put(coreEvents+"/e", record("e", object{"count": 2}))).want(200).object()
	b.equal("count", second["count"], 2)
	b.equal("uid", text(second, "metadata.uid"), text(first, "metadata.uid"))
	named := record("e", object{"metadata": object{"name": "e", "resourceVersion": versionOf(second)}, "count": 3})
	third := b.do(put(coreEvents+"/e", named)).want(200).object()
	if b.number(versionOf(third)) <= b.number(versionOf(second)) {
		b.Errorf("version %s after %s", versionOf(third), versionOf(second))
	}
	b.refuses(
		row{put(coreEvents+"/e", named), conflict(eventsOfCore, "e", modified)},
		row{put(coreEvents+"/e", record("e", object{"metadata": object{"name": "e", "resourceVersion": "x"}})),
			plainError(`strconv.ParseUint: parsing "x": invalid syntax`)},
		row{put(coreEvents+"/e", record("e", object{"metadata": object{"name": "e", "uid": "x"}})),
			conflict(eventsOfCore, "e", "StorageError: invalid object, Code: 4, Key: /registry/events/{ns}/e, "+
				"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: "+
				text(first, "metadata.uid"))},
		row{put(coreEvents+"/e", record("f")),
			badRequest("the name of the object (f) does not match the name on the URL (e)")},
		row{put(coreEvents+"/e", record("e", object{"metadata": object{}})),
			badRequest("the name of the object (e based on URL) was undeterminable: name must be provided")},
	)
}

func updateCreates(b *bench) {
	got := b.do(put(coreEvents+"/e", record("e"))).want(201).object()
	b.equal("created", b.get(coreEvents+"/e").object(), got)
}

func patchMerges(b *bench) {
	b.create(coreEvents, record("e", object{"metadata": object{"name": "e", "labels": object{"a": "1", "b": "2"}}}))
	for _, kind := range []string{mergePatch, strategicPatch} {
		got := b.do(patchWith(kind, coreEvents+"/e", object{
			"count": 2, "message": nil, "metadata": object{"labels": object{"a": nil, "c": kind[12:17]}},
		})).want(200).object()
		b.equal("labels", at(got, "metadata.labels"), object{"b": "2", "c": kind[12:17]})
		b.equal("message", got["message"], nil)
		b.equal("reason", got["reason"], "Started")
	}
	got := b.do(patchWith(jsonPatch, coreEvents+"/e", []any{
		object{"op": "test", "path": "/count", "value": 2}, object{"op": "replace", "path": "/count", "value": 9},
	})).want(200).object()
	b.equal("count", got["count"], 9)
}

func patchOfNothingChangesNothing(b *bench) {
	first := b.create(coreEvents, record("e"))
	created := object{"creationTimestamp": "2020-01-01T00:00:00Z"}
	b.equal("after", b.patch(coreEvents+"/e", object{"count": 1, "metadata": created}), first)
	b.equal("update", b.do(put(coreEvents+"/e", record("e"))).want(200).object(), first)
}

func patchIsRefused(b *bench) {
	b.create(coreEvents, record("e"))
	e := coreEvents + "/e"
	version := func(version string) object { return object{"metadata": object{"resourceVersion": version}} }
	b.refuses(
		row{patchWith(mergePatch, coreEvents+"/nope", "{}"), notFound(eventsOfCore, "nope")},
		row{patchWith(strategicPatch, newEvents+"/nope", "{}"), notFound(eventsOfNew, "nope")},
		row{patchWith(mergePatch, e, version("1")), conflict(eventsOfCore, "e", modified)},
		row{patchWith(strategicPatch, e, version("1")), conflict(eventsOfCore, "e", modified)},
		row{patchWith(mergePatch, e, version("x")), plainError(`strconv.ParseUint: parsing "x": invalid syntax`)},
		row{patchWith(mergePatch, e, object{"metadata": object{"name": "f"}}),
			badRequest("the name of the object (f) does not match the name on the URL (e)")},
		row{patchWith(mergePatch, e, object{"metadata": object{"namespace": "f"}}), otherNamespace},
		row{patchWith(mergePatch, e, object{"metadata": object{"uid": "f"}}), invalid(eventsOfCore, "e",
			cause{"metadata.uid", "Invalid", `Invalid value: "f": field is immutable`})},
		row{patchWith(mergePatch, e, `{"count":`), badRequest("error decoding patch: unexpected end of JSON input")},
		row{patchWith(strategicPatch, e, `{"count":`), badRequest("unexpected end of JSON input")},
		row{patchWith(mergePatch, e, "[]"), badRequest(
			"error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}")},
		row{patchWith(strategicPatch, e, "[]"), badRequest(
			"json: cannot unmarshal array into Go value of type map[string]interface {}")},
		row{patchWith(jsonPatch, e, "{}"), badRequest(
			"error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp")},
		row{patchWith(jsonPatch, e, `[{"op":"nope"}]`), rejectedPatch},
		row{patchWith(jsonPatch, e, `[{"op":"test","path":"/count","value":5}]`), rejectedPatch},
		row{patchWith(jsonBody, e, "{}"), unsupportedPatch},
	)
	status := b.do(patchWith(mergePatch, e, `{"count":"x"}`)).want(422).object()
	if message := text(status, "message"); !strings.HasPrefix(message, ` "" is invalid: patch: Invalid value: "{`) ||
		!strings.HasSuffix(message, "json: cannot unmarshal string into Go struct field Event.count of type int32") {
		b.Errorf("message %q", message)
	}
}

func deleteAnswersAStatus(b *bench) {
	success := func(name string, r resource, uid string) object {
		details := r.details(name)
		details["uid"] = uid
		return object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Success", "details": details}
	}
	first, second := b.create(coreEvents, record("e")), b.create(newEvents, series("f"))
	b.equal("core/v1", b.remove(coreEvents+"/e"), success("e", eventsOfCore, text(first, "metadata.uid")))
	b.equal("events.k8s.io/v1", b.remove(newEvents+"/f"), success("f", eventsOfNew, text(second, "metadata.uid")))
	b.refuses(
		row{deletion(coreEvents+"/e", nil), notFound(eventsOfCore, "e")},
		row{get(coreEvents + "/e"), notFound(eventsOfCore, "e")},
		row{get(newEvents + "/e"), notFound(eventsOfNew, "e")},
	)
}

func deleteHasPreconditions(b *bench) {
	b.deletionMindsPreconditions(eventsOfCore, coreEvents+"/e", b.create(coreEvents, record("e")))
}

// deletionMindsPreconditions deletes an object in the end.
func (b *bench) deletionMindsPreconditions(r resource, path string, o object) {
	b.Helper()
	name, uid := text(o, "metadata.name"), text(o, "metadata.uid")
	given := func(key, value string) object { return object{"preconditions": object{key: value}} }
	b.refuses(
		row{deletion(path, given("uid", "x")), precondition(r, name, "the UID in the precondition (x) does not match the "+
			"UID in record ("+uid+"). The object might have been deleted and then recreated")},
		row{deletion(path, given("resourceVersion", "1")), precondition(r, name, "the ResourceVersion in the precondition "+
			"(1) does not match the ResourceVersion in record ("+versionOf(o)+"). The object might have been modified")},
	)
	b.do(deletion(path, object{"preconditions": object{"uid": uid, "resourceVersion": versionOf(o)}})).want(200)
	b.refuses(row{deletion(path, nil), notFound(r, name)})
}

func deleteOfACollection(b *bench) {
	b.fiveEvents()
	b.patch(coreEvents+"/e-1", object{"type": "Warning"})
	w := b.watch(coreEvents + "?watch=1&resourceVersion=" + b.list(coreEvents).version())
	gone := list{b.do(deletion(coreEvents+"?fieldSelector=type=Normal", nil)).want(200).object()}
	b.equal("kind", gone.object["kind"], "EventList")
	b.equal("deleted", gone.names(), []string{"e-0", "e-2", "e-3", "e-4"})
	b.equal("left", b.list(coreEvents).names(), []string{"e-1"})
	kind, _ := w.next()
	b.equal("watch", kind, "DELETED")
}
