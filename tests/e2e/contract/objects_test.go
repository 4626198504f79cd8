package contract

import (
	"strings"
)

func configMap(name string, data object) object {
	return object{"metadata": object{"name": name}, "data": data}
}

func namespacesOfACluster(b *bench) {
	const path = "/api/v1/namespaces"
	system := b.get(path + "/kube-system").want(200).object()
	if !uid.MatchString(text(system, "metadata.uid")) {
		b.Errorf("uid %q", text(system, "metadata.uid"))
	}
	b.equal("kube-system", without(system, "uid", "resourceVersion", "creationTimestamp", "managedFields"), object{
		"kind": "Namespace", "apiVersion": "v1",
		"metadata": object{"name": "kube-system", "labels": object{"kubernetes.io/metadata.name": "kube-system"}},
		"spec":     object{"finalizers": []any{"kubernetes"}}, "status": object{"phase": "Active"},
	})
	b.equal("again", b.get(path+"/kube-system").object(), system)
	all := b.list(path)
	seen := map[string]bool{}
	for _, name := range all.names() {
		seen[name] = true
	}
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system", b.namespace} {
		if !seen[name] {
			b.Errorf("namespace %s is missing in %v", name, all.names())
		}
	}
	b.equal("by name", b.list(path+"?fieldSelector=metadata.name=kube-system").names(), []string{"kube-system"})
	b.equal("by label", b.list(path+"?labelSelector=kubernetes.io/metadata.name={ns}").names(), []string{b.namespace})
	b.refuses(
		row{get(path + "/nope"), notFound(aNamespace, "nope")},
		row{post(path, object{"metadata": object{"name": "{ns}"}}), alreadyExists(aNamespace, "{ns}")},
	)
}

func writesNeedANamespace(b *bench) {
	elsewhere := func(path string) string { return strings.ReplaceAll(path, "{ns}", "nope") }
	missing := notFound(aNamespace, "nope")
	b.refuses(
		row{post(elsewhere(coreEvents), record("e", object{"involvedObject": object{"namespace": "nope"}})), missing},
		row{post(elsewhere(newEvents), series("e", object{"regarding": object{"namespace": "nope"}})), missing},
		row{post(elsewhere(configMaps), configMap("c", nil)), missing},
		row{post(elsewhere(leases), object{"metadata": object{"name": "l"}}), missing},
		row{get(elsewhere(configMaps) + "/c"), notFound(aConfigMap, "c")},
	)
	b.equal("list", b.list(elsewhere(coreEvents)).names(), []string{})
}

func configMapIsStored(b *bench) {
	got := b.create(configMaps, object{
		"metadata": object{"name": "c", "labels": object{"a": "b"}}, "unknown": 1,
		"data": object{"state": `{"rv":"5","text":"<ä>"}`, "empty": ""}, "binaryData": object{"raw": "AAEC"},
	})
	b.equal("created", own(got), object{
		"kind": "ConfigMap", "apiVersion": "v1",
		"metadata": object{"name": "c", "namespace": "{ns}", "labels": object{"a": "b"}},
		"data":     object{"state": `{"rv":"5","text":"<ä>"}`, "empty": ""}, "binaryData": object{"raw": "AAEC"},
	})
	b.equal("get", b.get(configMaps+"/c").want(200).object(), got)
	b.managed(got, "v1", object{
		"f:binaryData": object{".": object{}, "f:raw": object{}},
		"f:data":       object{".": object{}, "f:empty": object{}, "f:state": object{}},
		"f:metadata":   object{"f:labels": object{".": object{}, "f:a": object{}}},
	})
	b.refuses(
		row{post(configMaps, configMap("c", nil)), alreadyExists(aConfigMap, "c")},
		row{get(configMaps + "/nope"), notFound(aConfigMap, "nope")},
	)
	item := b.list(configMaps + "?fieldSelector=metadata.name=c").object["items"].([]any)[0].(object)
	got = without(got)
	delete(got, "kind")
	delete(got, "apiVersion")
	b.equal("list item", item, got)
}

func configMapIsUpdated(b *bench) {
	first := b.create(configMaps, configMap("c", object{"a": "1", "b": "2"}))
	named := object{"metadata": object{"name": "c", "resourceVersion": versionOf(first)}, "data": object{"a": "9"}}
	second := b.do(put(configMaps+"/c", named)).want(200).object()
	b.equal("data", second["data"], object{"a": "9"})
	b.equal("uid", text(second, "metadata.uid"), text(first, "metadata.uid"))
	b.refuses(
		row{put(configMaps+"/c", named), conflict(aConfigMap, "c", modified)},
		row{put(configMaps+"/nope", configMap("nope", nil)), notFound(aConfigMap, "nope")},
		row{put(configMaps+"/c", configMap("d", nil)),
			badRequest("the name of the object (d) does not match the name on the URL (c)")},
		row{put(configMaps+"/c", object{"metadata": object{"name": "c", "uid": "x"}}), conflict(aConfigMap, "c",
			"StorageError: invalid object, Code: 4, Key: /registry/configmaps/{ns}/c, ResourceVersion: 0, "+
				"AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: "+
				text(first, "metadata.uid"))},
	)
	third := b.do(put(configMaps+"/c", configMap("c", object{"a": "10"}))).want(200).object()
	b.equal("without a version", third["data"], object{"a": "10"})
	b.equal("unchanged", b.do(put(configMaps+"/c", configMap("c", object{"a": "10"}))).want(200).object(), third)
}

func configMapIsMerged(b *bench) {
	first := b.create(configMaps, configMap("c", object{"a": "1", "b": "2"}))
	second := b.patch(configMaps+"/c", object{"data": object{"a": nil, "c": "3"}})
	b.equal("data", second["data"], object{"b": "2", "c": "3"})
	at := func(o object) object {
		return object{"metadata": object{"resourceVersion": versionOf(o)}, "data": object{"b": "4"}}
	}
	b.refuses(row{patchWith(mergePatch, configMaps+"/c", at(first)), conflict(aConfigMap, "c", modified)})
	third := b.patch(configMaps+"/c", at(second))
	b.equal("data", third["data"], object{"b": "4", "c": "3"})
	// A patch that changes nothing keeps the version, even that of a precondition.
	b.equal("unchanged", b.patch(configMaps+"/c", at(third)), third)
	b.equal("no data", b.patch(configMaps+"/c", object{"data": nil})["data"], nil)
	b.refuses(
		row{patchWith(mergePatch, configMaps+"/nope", object{"data": object{}}), notFound(aConfigMap, "nope")},
		row{patchWith(mergePatch, configMaps+"/c", object{"metadata": object{"resourceVersion": "x"}}),
			plainError(`strconv.ParseUint: parsing "x": invalid syntax`)},
		row{patchWith(mergePatch, configMaps+"/c", `{"data":`),
			badRequest("error decoding patch: unexpected end of JSON input")},
		row{patchWith(jsonBody, configMaps+"/c", "{}"), unsupportedPatch},
		row{patchWith(mergePatch, configMaps+"/c", object{"data": object{"a/b": "1"}}),
			invalid(aConfigMap, "c", badKey("a/b"))},
	)
	status := b.do(patchWith(mergePatch, configMaps+"/c", `{"data":{"x":2}}`)).want(422).object()
	const mistyped = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"
	if !strings.HasSuffix(text(status, "message"), mistyped) {
		b.Errorf("message %q", text(status, "message"))
	}
}

func badKey(key string) cause {
	return cause{"data[" + key + "]", "Invalid", `Invalid value: "` + key + `": a valid config key must consist of ` +
		"alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for " +
		"validation is '[-._a-zA-Z0-9]+')"}
}

func configMapIsValidated(b *bench) {
	tooLong := cause{"[]", "TooLong", "Too long: may not be more than 1048576 bytes"}
	b.refuses(
		row{post(configMaps, configMap("Bad_", object{"a/b": "1"})), invalid(aConfigMap, "Bad_",
			cause{"metadata.name", "Invalid", `Invalid value: "Bad_": ` + subdomain}, badKey("a/b"))},
		row{post(configMaps, object{"metadata": object{}}), invalid(aConfigMap, "",
			cause{"metadata.name", "Required", "Required value: name or generateName is required"})},
		row{post(configMaps, configMap("c", object{"a": strings.Repeat("x", 1<<20+1)})), invalid(aConfigMap, "c", tooLong)},
		row{post(configMaps, configMap("c", object{"a": strings.Repeat("x", 3_200_000)})), failure{
			code: 413, reason: "RequestEntityTooLarge", message: "Request entity too large: limit is 3145728"}},
		row{post(configMaps, configMap("c", object{"a": 1})), badRequest(`ConfigMap in version "v1" cannot be handled as a ` +
			"ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string")},
		row{post(configMaps, object{"metadata": object{"name": "c", "resourceVersion": "7"}}),
			plainError("resourceVersion should not be set on objects to be created")},
		row{post(configMaps, object{"metadata": object{"name": "c", "namespace": "other"}}), otherNamespace},
	)
	largest := b.create(configMaps, configMap("largest", object{"a": strings.Repeat("x", 1<<20)}))
	named := b.create(configMaps, object{"metadata": object{"generateName": "g-"}})
	b.equal("generateName", len(text(named, "metadata.name")), len("g-12345"))
	b.equal("size", len(text(largest, "data.a")), 1<<20)
}

func configMapIsDeleted(b *bench) {
	b.deletionMindsPreconditions(aConfigMap, configMaps+"/c", b.create(configMaps, configMap("c", nil)))
	c := b.create(configMaps, configMap("c", nil))
	details := aConfigMap.details("c")
	details["uid"] = text(c, "metadata.uid")
	b.equal("deletion", b.remove(configMaps+"/c"), object{
		"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Success", "details": details,
	})
	b.create(configMaps, configMap("a", nil))
	b.create(configMaps, configMap("b", nil))
	b.do(deletion(configMaps, nil)).want(200)
	b.equal("left", b.list(configMaps).names(), []string{})
}

func leaseIsStored(b *bench) {
	spec := object{
		"holderIdentity": "a", "leaseDurationSeconds": 15, "acquireTime": "2026-01-01T00:00:00.000001Z",
		"renewTime": "2026-01-01T00:00:01.000000Z", "leaseTransitions": 0,
	}
	got := b.create(leases, object{"metadata": object{"name": "l"}, "spec": spec})
	b.equal("created", own(got), object{
		"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": object{"name": "l", "namespace": "{ns}"},
		"spec": spec,
	})
	b.equal("get", b.get(leases+"/l").want(200).object(), got)
	b.equal("list", b.list(leases).names(), []string{"l"})
	b.managed(got, "coordination.k8s.io/v1", object{"f:spec": object{
		"f:acquireTime": object{}, "f:holderIdentity": object{}, "f:leaseDurationSeconds": object{},
		"f:leaseTransitions": object{}, "f:renewTime": object{},
	}})
	b.equal("empty", own(b.create(leases, object{"metadata": object{"name": "m"}})), object{
		"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": object{"name": "m", "namespace": "{ns}"},
		"spec": object{},
	})
	b.refuses(
		row{post(leases, object{"metadata": object{"name": "l"}}), alreadyExists(aLease, "l")},
		row{get(leases + "/nope"), notFound(aLease, "nope")},
	)
}

// The rules that elect one leader.
func leaseIsTakenByOne(b *bench) {
	held := func(holder, version string) object {
		metadata := object{"name": "l"}
		if version != "" {
			metadata["resourceVersion"] = version
		}
		return object{"metadata": metadata, "spec": object{"holderIdentity": holder}}
	}
	first := b.create(leases, held("a", ""))
	second := b.do(put(leases+"/l", held("b", versionOf(first)))).want(200).object()
	b.equal("holder", text(second, "spec.holderIdentity"), "b")
	b.refuses(
		row{put(leases+"/l", held("c", versionOf(first))), conflict(aLease, "l", modified)},
		row{put(leases+"/l", held("c", "")), failure{
			code: 422, reason: "Invalid",
			message: `leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be ` +
				"specified for an update",
			details: object{"name": "l", "group": "coordination.k8s.io", "kind": "leases", "causes": causes([]cause{
				{"metadata.resourceVersion", "Invalid", "Invalid value: 0: must be specified for an update"}})},
		}},
		row{patchWith(mergePatch, leases+"/l", held("c", versionOf(first))), conflict(aLease, "l", modified)},
	)
	third := b.patch(leases+"/l", object{
		"spec": object{"holderIdentity": nil}, "metadata": object{"resourceVersion": versionOf(second)},
	})
	b.equal("released", third["spec"], object{})
	b.remove(leases + "/l")
	b.refuses(row{deletion(leases+"/l", nil), notFound(aLease, "l")})
	b.do(put(leases+"/l", held("d", ""))).want(201)
}

func leaseIsValidated(b *bench) {
	lease := func(spec object) object { return object{"metadata": object{"name": "l"}, "spec": spec} }
	wrong := func(message string) failure {
		return badRequest(`Lease in version "v1" cannot be handled as a Lease: ` + message)
	}
	b.refuses(
		row{post(leases, lease(object{"leaseDurationSeconds": 0, "leaseTransitions": -1})), invalid(aLease, "l",
			cause{"spec.leaseDurationSeconds", "Invalid", "Invalid value: 0: must be greater than 0"},
			cause{"spec.leaseTransitions", "Invalid", "Invalid value: -1: must be greater than or equal to 0"})},
		row{post(leases, lease(object{"leaseDurationSeconds": "x"})),
			wrong("json: cannot unmarshal string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32")},
		row{post(leases, lease(object{"renewTime": "2026-01-01T00:00:00Z"})),
			wrong(`parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`)},
	)
}
