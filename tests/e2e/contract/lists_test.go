package contract

import (
	"fmt"
	"slices"
	"strconv"
)

// record is an Event as tools/record writes it.
func record(name string, more ...object) object {
	event := object{
		"metadata":       object{"name": name},
		"involvedObject": object{"apiVersion": "v1", "kind": "Pod", "namespace": "{ns}", "name": "web-1"},
		"reason":         "Started",
		"message":        "Started container web",
		"source":         object{"component": "kubelet"},
		"type":           "Normal",
		"count":          1,
	}
	for _, fields := range more {
		for key, value := range fields {
			event[key] = value
		}
	}
	return event
}

// fiveEvents are e-0 to e-4; it returns their names.
func (b *bench) fiveEvents() []string {
	b.Helper()
	names := []string{}
	for i := range 5 {
		names = append(names, fmt.Sprintf("e-%d", i))
		b.create(coreEvents, record(names[i]))
	}
	return names
}

func listOfNothing(b *bench) {
	got := b.list(coreEvents)
	if b.number(got.version()) == 0 {
		b.Error("resourceVersion is 0")
	}
	b.equal("list", without(got.object, "resourceVersion"), object{
		"kind": "EventList", "apiVersion": "v1", "metadata": object{}, "items": []any{},
	})
	b.equal("apiVersion", b.list(newEvents).object["apiVersion"], "events.k8s.io/v1")
}

func listIsOrderedByName(b *bench) {
	for _, name := range []string{"b", "a", "a.b", "c", "a-b"} {
		b.create(coreEvents, record(name))
	}
	b.equal("names", b.list(coreEvents).names(), []string{"a", "a-b", "a.b", "b", "c"})
}

func itemsStateNoKind(b *bench) {
	b.create(coreEvents, record("e"))
	item := b.list(newEvents).object["items"].([]any)[0].(object)
	if item["kind"] != nil || item["apiVersion"] != nil {
		b.Errorf("an item states a type: %v", item)
	}
}

func pagesShowTheStateOfTheFirst(b *bench) {
	names := b.fiveEvents()
	page := b.list(coreEvents + "?limit=2")
	version, seen := page.version(), page.names()
	b.equal("remainingItemCount", page.remaining(), 3)
	b.remove(coreEvents + "/e-2")
	b.create(coreEvents, record("e-22"))
	b.patch(coreEvents+"/e-4", object{"count": 7})
	for _, remaining := range []int{1, -1} {
		page = b.list(coreEvents + "?limit=2&continue=" + page.token())
		b.equal("resourceVersion", page.version(), version)
		b.equal("remainingItemCount", page.remaining(), remaining)
		seen = append(seen, page.names()...)
		for _, item := range page.object["items"].([]any) {
			b.equal("count", item.(object)["count"], 1)
		}
	}
	b.equal("names", seen, names)
	b.equal("token of the last page", page.token(), "")
}

func pagesMayDifferInSize(b *bench) {
	b.fiveEvents()
	first := b.list(coreEvents + "?limit=1")
	second := b.list(coreEvents + "?limit=3&continue=" + first.token())
	b.equal("second page", second.names(), []string{"e-1", "e-2", "e-3"})
	b.equal("remainingItemCount", second.remaining(), 1)
	rest := b.list(coreEvents + "?continue=" + first.token())
	b.equal("the rest", rest.names(), []string{"e-1", "e-2", "e-3", "e-4"})
	b.equal("a full last page", b.list(coreEvents+"?limit=5").token(), "")
}

func pagesOfAllNamespaces(b *bench) {
	b.fiveEvents()
	selected := "/api/v1/events?fieldSelector=involvedObject.namespace={ns}&limit=3"
	page := b.list(selected)
	b.equal("names", page.names(), []string{"e-0", "e-1", "e-2"})
	b.equal("remainingItemCount of a selection", page.remaining(), -1)
	b.equal("rest", b.list(selected+"&continue="+page.token()).names(), []string{"e-3", "e-4"})
}

// A list of all namespaces that selects one by its field begins in that
// namespace, but its token is read as one of all: what lies between, in the
// order of keys, is shown twice or not at all. A client that pages has to name
// the namespace in the path.
func pagesOfASelectedNamespace(b *bench) {
	b.fiveEvents()
	selected := "/api/v1/events?fieldSelector=metadata.namespace={ns}"
	b.equal("without pages", len(b.list(selected).names()), 5)
	page := b.list(selected + "&limit=3")
	b.equal("first page", page.names(), []string{"e-0", "e-1", "e-2"})
	// "e-2" lies behind "contract-5/e-3".
	b.equal("lost", b.list(selected+"&continue="+page.token()).names(), []string{})
	b.create(coreEvents, record("a-0"))
	page = b.list(selected + "&limit=1")
	b.equal("first page", page.names(), []string{"a-0"})
	again := []string{"a-0", "e-0", "e-1", "e-2", "e-3", "e-4"}
	b.equal("again", b.list(selected+"&continue="+page.token()).names(), again)
}

func oldStateCountsWhatRemains(b *bench) {
	b.fiveEvents()
	version := b.list(coreEvents).version()
	b.create(coreEvents, record("e-9"))
	b.remove(coreEvents + "/e-0")
	b.remove(coreEvents + "/e-1")
	page := b.list(coreEvents + "?limit=2&resourceVersion=" + version)
	b.equal("names", page.names(), []string{"e-0", "e-1"})
	b.equal("remainingItemCount", page.remaining(), 3)
}

// Events are not in the watch cache, which would pass over the limit.
func versionZeroHasPagesToo(b *bench) {
	b.fiveEvents()
	page := b.list(coreEvents + "?limit=2&resourceVersion=0")
	b.equal("names", page.names(), []string{"e-0", "e-1"})
	b.equal("remainingItemCount", page.remaining(), 3)
}

func versionWithALimitIsExact(b *bench) {
	b.create(coreEvents, record("a"))
	version := b.list(coreEvents).version()
	b.create(coreEvents, record("b"))
	for query, want := range map[string][]string{
		"resourceVersion=" + version:                                                {"a", "b"},
		"resourceVersion=" + version + "&resourceVersionMatch=NotOlderThan":         {"a", "b"},
		"resourceVersion=" + version + "&limit=9&resourceVersionMatch=NotOlderThan": {"a", "b"},
		"resourceVersion=" + version + "&limit=9":                                   {"a"},
		"resourceVersion=" + version + "&resourceVersionMatch=Exact":                {"a"},
	} {
		got := b.list(coreEvents + "?" + query)
		b.equal(query, got.names(), want)
		if exact := len(want) == 1; exact != (got.version() == version) {
			b.Errorf("%s: shows version %s", query, got.version())
		}
	}
}

func exactVersionExpires(b *bench) {
	version := b.list(coreEvents).version()
	b.create(coreEvents, record("a"))
	b.compact()
	tooOld := expired("The resourceVersion for the provided list is too old.")
	b.refuses(
		row{get(coreEvents + "?limit=1&resourceVersion=" + version), tooOld},
		row{get(coreEvents + "?resourceVersionMatch=Exact&resourceVersion=" + version), tooOld},
	)
	b.equal("not older", b.list(coreEvents+"?resourceVersion="+version).names(), []string{"a"})
}

// The message names the current version, which others may move on a real
// server: its own leases. So it is taken from the answer.
func versionOfTheFuture(b *bench) {
	for _, query := range []string{
		"", "&limit=1", "&resourceVersionMatch=Exact", "&resourceVersionMatch=NotOlderThan",
		"&limit=1&resourceVersionMatch=NotOlderThan",
	} {
		const wanted = "1000000000"
		a := b.get(coreEvents + "?resourceVersion=" + wanted + query)
		if a.status == 504 {
			b.wantStatus(query, a.object(), tooLarge(wanted, b.currentOf(text(a.object(), "message")), 0))
		}
		a.want(504)
	}
}

// currentOf reads the version out of "…, current: N" and checks it.
func (b *bench) currentOf(message string) string {
	b.Helper()
	var wanted, current uint64
	const format = "Timeout: Too large resource version: %d, current: %d"
	if _, err := fmt.Sscanf(message, format, &wanted, &current); err != nil {
		b.Errorf("message %q: %v", message, err)
	}
	now := b.number(b.list(coreEvents).version())
	if current > now || current+1000 < now {
		b.Errorf("message %q while the version is %d", message, now)
	}
	return strconv.FormatUint(current, 10)
}

func versionIsNoNumber(b *bench) {
	wrong := func(text, why string) string {
		return fmt.Sprintf("resourceVersion: Invalid value: %q: strconv.ParseUint: parsing %q: %s", text, text, why)
	}
	const syntax, size = "invalid syntax", "value out of range"
	for value, why := range map[string]string{
		"banana": syntax, "-1": syntax, "0x10": syntax, "1.5": syntax, "99999999999999999999": size,
	} {
		refused := badRequest("invalid resource version: " + wrong(value, why))
		b.refuses(
			row{get(coreEvents + "?resourceVersion=" + value), refused},
			row{get(coreEvents + "?limit=1&resourceVersion=" + value), refused},
			row{get(coreEvents + "?watch=1&resourceVersion=" + value), plainError(wrong(value, why))},
		)
	}
}

func listParametersContradict(b *bench) {
	const match = "resourceVersionMatch"
	needsVersion := cause{
		match, "Forbidden", "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
	}
	withContinue := cause{match, "Forbidden", "Forbidden: resourceVersionMatch is forbidden when continue is provided"}
	b.refuses(
		row{get(coreEvents + "?resourceVersionMatch=Exact"), invalidOptions(needsVersion)},
		row{get(coreEvents + "?resourceVersionMatch=NotOlderThan"), invalidOptions(needsVersion)},
		row{get(coreEvents + "?resourceVersionMatch=Exact&resourceVersion=0"), invalidOptions(cause{
			match, "Forbidden", `Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
		})},
		row{get(coreEvents + "?resourceVersionMatch=foo&resourceVersion=1"), invalidOptions(cause{
			match, "NotSupported", `Unsupported value: "foo": supported values: "Exact", "NotOlderThan", ""`,
		})},
		row{get(coreEvents + "?resourceVersionMatch=Exact&continue=abc"), invalidOptions(needsVersion, withContinue)},
		row{get(coreEvents + "?sendInitialEvents=true"), invalidOptions(cause{
			"sendInitialEvents", "Forbidden", "Forbidden: sendInitialEvents is forbidden for list",
		})},
		row{get(configMaps + "?resourceVersionMatch=Exact"), invalidOptions(needsVersion)},
	)
}

func limitsThatAreNone(b *bench) {
	names := b.fiveEvents()
	for _, limit := range []string{"0", "-1", "100"} {
		b.equal("limit="+limit, b.list(coreEvents+"?limit="+limit).names(), names)
	}
	b.refuses(
		row{get(coreEvents + "?limit=abc"), badRequest(`strconv.ParseInt: parsing "abc": invalid syntax`)},
		row{get(coreEvents + "?limit="), badRequest(`strconv.ParseInt: parsing "": invalid syntax`)},
		row{get(coreEvents + "?limit=1.5"), badRequest(`strconv.ParseInt: parsing "1.5": invalid syntax`)},
		row{get(coreEvents + "?timeoutSeconds=abc"), badRequest(`strconv.ParseInt: parsing "abc": invalid syntax`)},
		row{get(coreEvents + "?limit=99999999999999999999"),
			badRequest(`strconv.ParseInt: parsing "99999999999999999999": value out of range`)},
	)
}

func listOfConfigMapsHasPages(b *bench) {
	for _, name := range []string{"a", "b", "c"} {
		b.create(configMaps, object{"metadata": object{"name": name}})
	}
	first := b.list(configMaps + "?limit=1")
	own := []string{"a", "b", "c"}
	names := first.names()
	for page := first; page.token() != ""; {
		page = b.list(configMaps + "?limit=1&continue=" + page.token())
		b.equal("version", page.version(), first.version())
		names = append(names, page.names()...)
	}
	b.equal("names", names, own)
	b.equal("remainingItemCount", first.remaining(), 2)
	if !slices.Equal(b.list(configMaps+"?resourceVersion=0").names(), own) {
		// The watch cache of a real server may be a little behind.
		b.Log("version 0 shows an older state")
	}
}
