package contract

import (
	"regexp"
	"strings"
	"time"
)

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
