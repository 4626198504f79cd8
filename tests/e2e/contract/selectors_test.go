package contract

// selection checks what a query selects.
func (b *bench) selection(path, query string, want ...string) {
	b.Helper()
	b.equal(query, b.list(path+"?"+query).names(), append([]string{}, want...))
}

func fieldsOfCoreSelect(b *bench) {
	b.create(coreEvents, record("pod", object{"involvedObject": object{
		"apiVersion": "v1", "kind": "Pod", "namespace": "{ns}", "name": "web-1", "uid": "u-1", "resourceVersion": "77",
		"fieldPath": "spec.containers{web}",
	}}))
	b.create(newEvents, series("job"))
	for _, query := range []string{
		"involvedObject.kind=Pod", "involvedObject.name=web-1", "involvedObject.uid=u-1", "involvedObject.resourceVersion=77",
		"involvedObject.fieldPath=spec.containers{web}", "metadata.name=pod", "reason==Started", "source=kubelet",
		"type!=Warning", "involvedObject.kind=Pod,type=Normal", "metadata.name!=job", "reportingComponent=",
	} {
		b.selection(coreEvents, "fieldSelector="+query, "pod")
	}
	b.selection(coreEvents, "fieldSelector=involvedObject.namespace={ns}", "job", "pod")
	b.selection(coreEvents, "fieldSelector=involvedObject.apiVersion=batch/v1", "job")
	b.selection(coreEvents, "fieldSelector=reportingComponent=example.com/by-hand", "job")
	// Without a source component it is the reporting controller.
	b.selection(coreEvents, "fieldSelector=source=example.com/by-hand", "job")
	b.selection(coreEvents, "fieldSelector=type=Warning,reason=Started")
}

func fieldsOfTheNewAPISelect(b *bench) {
	b.create(coreEvents, record("pod"))
	b.create(newEvents, series("job"))
	for _, query := range []string{
		"regarding.kind=Job", "regarding.name=import-1", "reportingController=example.com/by-hand", "reason=Failed",
		"type=Warning", "metadata.name=job", "regarding.apiVersion=batch/v1", "metadata.namespace={ns},type=Warning",
	} {
		b.selection(newEvents, "fieldSelector="+query, "job")
	}
}

func fieldsThatDoNotSelect(b *bench) {
	unsupported := func(path, field string) row {
		return row{get(path + "?fieldSelector=" + field + "=x"), badRequest("field label not supported: " + field)}
	}
	b.refuses(
		unsupported(coreEvents, "message"), unsupported(coreEvents, "regarding.kind"),
		unsupported(coreEvents, "reportingController"), unsupported(coreEvents, "count"),
		unsupported(newEvents, "involvedObject.kind"), unsupported(newEvents, "source"),
		unsupported(newEvents, "reportingComponent"), unsupported(newEvents, "note"),
		row{get(coreEvents + "?watch=1&fieldSelector=message=x"), badRequest("field label not supported: message")},
		row{get(coreEvents + "?fieldSelector=abc"), badRequest("invalid selector: 'abc'; can't understand 'abc'")},
		row{get(configMaps + "?fieldSelector=data.x=y"), badRequest(
			`"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"`)},
	)
}

// Events about what has no namespace lie in "default", whose name they do not
// carry.
func namespacesOfClusterScope(b *bench) {
	node := object{"kind": "Node", "name": "{ns}"}
	b.create("/api/v1/namespaces/default/events", record("{ns}", object{"involvedObject": node}))
	const mine = "&limit=9"
	b.selection("/api/v1/events", "fieldSelector=metadata.namespace=default,involvedObject.name={ns}"+mine, b.namespace)
	b.selection("/api/v1/events", "fieldSelector=involvedObject.namespace=default,involvedObject.name={ns}"+mine)
	b.selection("/api/v1/events", "fieldSelector=involvedObject.namespace=,involvedObject.name={ns}"+mine, b.namespace)
	b.remove("/api/v1/namespaces/default/events/{ns}")
}

func labelsSelect(b *bench) {
	labelled := func(name string, labels object) {
		b.create(coreEvents, record(name, object{"metadata": object{"name": name, "labels": labels}}))
	}
	labelled("a", object{"team": "red", "tier": "1", "example.com/x": "y"})
	labelled("b", object{"team": "blue"})
	labelled("c", nil)
	for query, want := range map[string][]string{
		"team=red":                    {"a"},
		"team==red,tier":              {"a"},
		"team!=red":                   {"b", "c"},
		"team in (red,blue)":          {"a", "b"},
		"team in (red, blue ),tier=1": {"a"},
		"team notin (red)":            {"b", "c"},
		"!team":                       {"c"},
		"team":                        {"a", "b"},
		"example.com/x=y":             {"a"},
		"tier>0":                      {"a"},
		"tier<1":                      {},
		"team=":                       {},
		"":                            {"a", "b", "c"},
	} {
		b.selection(coreEvents, "labelSelector="+query, want...)
	}
	for _, query := range []string{"%3F%3F", "a in b", "a=b=c", "a in ()x", "=x", "a b"} {
		status := b.get(coreEvents + "?labelSelector=" + query).want(400).object()
		b.equal(query, status["reason"], "BadRequest")
	}
}
