package contract

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
