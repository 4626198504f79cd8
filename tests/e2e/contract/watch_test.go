package contract

import (
	"fmt"
)

func watchSendsWhatFollowed(b *bench) {
	b.create(coreEvents, record("before"))
	version := b.list(coreEvents).version()
	created := b.create(coreEvents, record("e"))
	w := b.watch(coreEvents + "?watch=1&resourceVersion=" + version)
	b.equal("ADDED", w.expect("ADDED", "e"), created)
	changed := b.patch(coreEvents+"/e", object{"count": 5})
	b.equal("MODIFIED", w.expect("MODIFIED", "e"), changed)
	b.remove(coreEvents + "/e")
	deleted := w.expect("DELETED", "e")
	b.equal("the object deleted", without(deleted, "resourceVersion"), without(changed, "resourceVersion"))
	if b.number(versionOf(deleted)) <= b.number(versionOf(changed)) {
		b.Errorf("a deletion of version %s after a change of version %s", versionOf(deleted), versionOf(changed))
	}
	// The deletion's version is one to go on from.
	b.create(coreEvents, record("after"))
	b.watch(coreEvents+"?watch=1&resourceVersion="+versionOf(deleted)).expect("ADDED", "after")
}

func watchOfOneNamespace(b *bench) {
	version := b.list("/api/v1/events").version()
	b.create("/api/v1/namespaces/default/events", record("{ns}", object{"involvedObject": object{"kind": "Node"}}))
	b.create(coreEvents, record("mine"))
	b.watch(coreEvents+"?watch=1&resourceVersion="+version).expect("ADDED", "mine")
	all := b.watch("/api/v1/events?watch=1&resourceVersion=" + version)
	all.expect("ADDED", b.namespace)
	all.expect("ADDED", "mine")
}

// Both APIs show the same changes, each as its own type.
func watchShowsEitherType(b *bench) {
	version := b.list(coreEvents).version()
	b.create(coreEvents, record("old"))
	b.create(newEvents, series("new"))
	core := b.watch(coreEvents + "?watch=1&resourceVersion=" + version)
	other := b.watch(newEvents + "?watch=1&resourceVersion=" + version)
	for _, name := range []string{"old", "new"} {
		a, c := other.expect("ADDED", name), core.expect("ADDED", name)
		b.equal("type", []any{a["kind"], a["apiVersion"], c["kind"], c["apiVersion"]},
			[]any{"Event", "events.k8s.io/v1", "Event", "v1"})
		b.equal("metadata", a["metadata"], c["metadata"])
		b.equal("note", a["note"], c["message"])
	}
}

func watchBeginsWithTheState(b *bench) {
	b.create(coreEvents, record("a"))
	b.create(coreEvents, record("b"))
	for _, query := range []string{"watch=1", "watch=true&resourceVersion=0"} {
		w := b.watch(coreEvents + "?" + query)
		w.expect("ADDED", "a")
		w.expect("ADDED", "b")
		b.create(coreEvents, record("c"))
		w.expect("ADDED", "c")
		b.remove(coreEvents + "/c")
		w.expect("DELETED", "c")
	}
}

func watchOfACompactedVersion(b *bench) {
	version := b.list(coreEvents).version()
	b.create(coreEvents, record("a"))
	b.create(coreEvents, record("b"))
	b.compact()
	w := b.watch(coreEvents + "?watch=1&resourceVersion=" + version)
	kind, status := w.next()
	b.equal("type", kind, "ERROR")
	b.wantStatus("frame", status, expired("The resourceVersion for the provided watch is too old."))
	w.ends()
}

func openWatchSurvivesACompaction(b *bench) {
	w := b.watch(coreEvents + "?watch=1&resourceVersion=" + b.list(coreEvents).version())
	b.create(coreEvents, record("a"))
	w.expect("ADDED", "a")
	b.compact()
	b.create(coreEvents, record("b"))
	w.expect("ADDED", "b")
}

// Accepted and silent, until the version is reached.
func watchOfAFutureVersion(b *bench) {
	future := b.number(b.list(coreEvents).version()) + 3
	w := b.watch(fmt.Sprintf("%s?watch=1&resourceVersion=%d", coreEvents, future))
	for i := range 9 {
		name := fmt.Sprintf("e-%d", i)
		if b.number(versionOf(b.create(coreEvents, record(name)))) > future {
			w.expect("ADDED", name)
			return
		}
	}
	b.Fatal("the version is never reached")
}

const initialEvents = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"

func watchListEndsWithABookmark(b *bench) {
	b.create(coreEvents, record("a"))
	b.create(coreEvents, record("b"))
	version := b.list(coreEvents).version()
	w := b.watch(coreEvents + initialEvents + "&allowWatchBookmarks=true")
	w.expect("ADDED", "a")
	w.expect("ADDED", "b")
	bookmark := w.expect("BOOKMARK", "")
	if b.number(versionOf(bookmark)) < b.number(version) {
		b.Errorf("the bookmark is of version %s, the list before of %s", versionOf(bookmark), version)
	}
	b.equal("bookmark", without(bookmark, "resourceVersion"), object{
		"kind": "Event", "apiVersion": "v1",
		"metadata":       object{"annotations": object{"k8s.io/initial-events-end": "true"}},
		"involvedObject": object{}, "source": object{}, "firstTimestamp": nil, "lastTimestamp": nil, "eventTime": nil,
		"reportingComponent": "", "reportingInstance": "",
	})
	b.create(coreEvents, record("c"))
	w.expect("ADDED", "c")
}

func watchListOfAKnownVersion(b *bench) {
	b.create(coreEvents, record("a"))
	version := b.list(coreEvents).version()
	b.create(coreEvents, record("b"))
	w := b.watch(newEvents + initialEvents + "&allowWatchBookmarks=true&resourceVersion=" + version)
	w.expect("ADDED", "a")
	w.expect("ADDED", "b")
	b.equal("apiVersion", w.expect("BOOKMARK", "")["apiVersion"], "events.k8s.io/v1")
}

// Without bookmarks nobody says when the state is complete.
func watchListWithoutBookmarks(b *bench) {
	b.create(coreEvents, record("a"))
	w := b.watch(coreEvents + initialEvents)
	w.expect("ADDED", "a")
	b.create(coreEvents, record("b"))
	w.expect("ADDED", "b")
}

func watchListOfTheFuture(b *bench) {
	const wanted = "1000000000"
	w := b.watch(coreEvents + initialEvents + "&allowWatchBookmarks=true&resourceVersion=" + wanted)
	kind, status := w.next()
	b.equal("type", kind, "ERROR")
	retry, _ := at(status, "details.retryAfterSeconds").(float64)
	if retry < 1 || retry > 3 {
		b.Errorf("retryAfterSeconds %v", retry)
	}
	b.wantStatus("frame", status, tooLarge(wanted, b.currentOf(text(status, "message")), int(retry)))
	w.ends()
}

func watchParametersContradict(b *bench) {
	const match = "resourceVersionMatch"
	needsMatch := cause{
		match, "Forbidden", "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
	}
	b.refuses(
		row{get(coreEvents + "?watch=1&sendInitialEvents=true"), invalidOptions(needsMatch)},
		row{get(coreEvents + "?watch=1&sendInitialEvents=false"), invalidOptions(needsMatch)},
		row{get(coreEvents + "?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact"), invalidOptions(
			needsMatch, cause{match, "NotSupported", `Unsupported value: "Exact": supported values: "NotOlderThan"`})},
		row{get(coreEvents + "?watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1"), invalidOptions(cause{
			match, "Forbidden", "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
		})},
		row{get(coreEvents + "?watch=1&continue=abc"), invalidOptions(cause{
			match, "Forbidden", "Forbidden: resourceVersionMatch is forbidden when continue is provided",
		})},
		row{get(coreEvents + "?watch=1&timeoutSeconds=abc"), badRequest(`strconv.ParseInt: parsing "abc": invalid syntax`)},
	)
}

func watchEndsAfterItsTimeout(b *bench) {
	b.create(coreEvents, record("a"))
	// Whatever is not false is true.
	w := b.watch(coreEvents + "?watch=maybe&timeoutSeconds=1")
	w.expect("ADDED", "a")
	w.ends()
	for _, no := range []string{"0", "false", "FALSE"} {
		b.equal("watch="+no, b.list(coreEvents+"?watch="+no).names(), []string{"a"})
	}
}

// A selection ends and begins where objects stop and start to match.
func watchOfAFieldSelection(b *bench) {
	version := b.list(coreEvents).version()
	warnings := b.watch(coreEvents + "?watch=1&fieldSelector=type=Warning&resourceVersion=" + version)
	others := b.watch(newEvents + "?watch=1&fieldSelector=type!=Warning&resourceVersion=" + version)
	b.create(coreEvents, record("e"))
	first := others.expect("ADDED", "e")
	turned := b.patch(coreEvents+"/e", object{"type": "Warning", "count": 2})
	b.equal("starts to match", warnings.expect("ADDED", "e"), turned)
	gone := others.expect("DELETED", "e")
	b.equal("the last state that matched", without(gone, "resourceVersion"), without(first, "resourceVersion"))
	b.equal("version at which it stopped to", versionOf(gone), versionOf(turned))
	again := b.patch(coreEvents+"/e", object{"count": 3})
	b.equal("goes on to match", warnings.expect("MODIFIED", "e"), again)
	b.remove(coreEvents + "/e")
	warnings.expect("DELETED", "e")
	// The other watch saw neither.
	b.create(coreEvents, record("f"))
	others.expect("ADDED", "f")
}

func watchOfALabelSelection(b *bench) {
	b.create(coreEvents, record("red", object{"metadata": object{"name": "red", "labels": object{"team": "red"}}}))
	w := b.watch(coreEvents + "?watch=1&labelSelector=team%20in%20(red)")
	w.expect("ADDED", "red")
	b.create(coreEvents, record("plain"))
	b.patch(coreEvents+"/plain", object{"metadata": object{"labels": object{"team": "red"}}})
	w.expect("ADDED", "plain")
	b.patch(coreEvents+"/red", object{"metadata": object{"labels": nil}})
	w.expect("DELETED", "red")
	b.remove(coreEvents + "/red")
	b.remove(coreEvents + "/plain")
	w.expect("DELETED", "plain")
}

func watchListOfASelection(b *bench) {
	b.create(coreEvents, record("a"))
	b.create(coreEvents, record("b", object{"type": "Warning"}))
	w := b.watch(coreEvents + initialEvents + "&allowWatchBookmarks=true&fieldSelector=type=Warning")
	w.expect("ADDED", "b")
	w.expect("BOOKMARK", "")
	b.patch(coreEvents+"/b", object{"type": "Normal"})
	w.expect("DELETED", "b")
}
