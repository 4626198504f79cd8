// Package contract holds the simulated API server against the real one: the
// same scenarios, with the same assertions, run on both.
package contract

import (
	"fmt"
	"testing"
)

// scenario is what a client can see of an API server. It has a namespace of
// its own, and runs alone on its server: some forget the history.
type scenario struct {
	name string
	run  func(*bench)
	// cannot says, by server, why the scenario cannot be provoked there.
	cannot map[string]string
}

var scenarios = []scenario{
	{name: "list/of nothing", run: listOfNothing},
	{name: "list/is ordered by name", run: listIsOrderedByName},
	{name: "list/items state no kind", run: itemsStateNoKind},
	{name: "list/pages show the state of the first", run: pagesShowTheStateOfTheFirst},
	{name: "list/pages may differ in size", run: pagesMayDifferInSize},
	{name: "list/pages of all namespaces", run: pagesOfAllNamespaces},
	{name: "list/pages of a selected namespace", run: pagesOfASelectedNamespace},
	{name: "list/an old state counts what remains", run: oldStateCountsWhatRemains},
	{name: "list/version 0 has pages too", run: versionZeroHasPagesToo},
	{name: "list/a version with a limit is exact", run: versionWithALimitIsExact},
	{name: "list/an exact version expires", run: exactVersionExpires},
	{name: "list/version of the future", run: versionOfTheFuture},
	{name: "list/version is no number", run: versionIsNoNumber},
	{name: "list/parameters contradict", run: listParametersContradict},
	{name: "list/limits that are none", run: limitsThatAreNone},
	{name: "list/of ConfigMaps has pages", run: listOfConfigMapsHasPages},
	{name: "continue/goes on inconsistently", run: tokenGoesOnInconsistently},
	{name: "continue/allows no version", run: tokenAllowsNoVersion},
	{name: "continue/is malformed", run: tokenIsMalformed},
	{name: "continue/of the future", run: tokenOfTheFuture},
	{name: "watch/sends what followed", run: watchSendsWhatFollowed},
	{name: "watch/of one namespace", run: watchOfOneNamespace},
	{name: "watch/shows either type", run: watchShowsEitherType},
	{name: "watch/begins with the state", run: watchBeginsWithTheState},
	{name: "watch/of a compacted version", run: watchOfACompactedVersion},
	{name: "watch/survives a compaction", run: openWatchSurvivesACompaction},
	{name: "watch/of a future version", run: watchOfAFutureVersion},
	{name: "watch/parameters contradict", run: watchParametersContradict},
	{name: "watch/ends after its timeout", run: watchEndsAfterItsTimeout},
	{name: "watch/of a field selection", run: watchOfAFieldSelection},
	{name: "watch/of a label selection", run: watchOfALabelSelection},
	{name: "watchlist/ends with a bookmark", run: watchListEndsWithABookmark},
	{name: "watchlist/of a known version", run: watchListOfAKnownVersion},
	{name: "watchlist/without bookmarks", run: watchListWithoutBookmarks},
	{name: "watchlist/of the future", run: watchListOfTheFuture},
	{name: "watchlist/of a selection", run: watchListOfASelection},
	{name: "selector/fields of core", run: fieldsOfCoreSelect},
	{name: "selector/fields of events.k8s.io", run: fieldsOfTheNewAPISelect},
	{name: "selector/fields that do not select", run: fieldsThatDoNotSelect},
	{name: "selector/namespaces of cluster scope", run: namespacesOfClusterScope},
	{name: "selector/labels", run: labelsSelect},
	{name: "mapping/of a core Event", run: coreEventShownByBoth},
	{name: "mapping/of an events.k8s.io Event", run: newEventShownByBoth},
	{name: "mapping/of an empty Event", run: emptyEventShownByBoth},
	{name: "mapping/times are cut", run: timesAreCutToTheirPrecision},
	{name: "create/sets what is the server's", run: createSetsWhatIsTheServers},
	{name: "create/makes up a name", run: createMakesUpAName},
	{name: "create/of what is there", run: createOfWhatIsThere},
	{name: "create/refuses bodies", run: createRefusesBodies},
	{name: "create/refuses types", run: createRefusesTypes},
	{name: "create/refuses sizes", run: createRefusesSizes},
	{name: "create/validates core Events", run: validationOfCoreEvents},
	{name: "create/validates events.k8s.io Events", run: validationOfNewEvents},
	{name: "update/of a series only", run: newEventsChangeInTheirSeriesOnly},
	{name: "update/replaces", run: updateReplaces},
	{name: "update/creates", run: updateCreates},
	{name: "patch/merges", run: patchMerges},
	{name: "patch/of nothing changes nothing", run: patchOfNothingChangesNothing},
	{name: "patch/is refused", run: patchIsRefused},
	{name: "delete/answers a Status", run: deleteAnswersAStatus},
	{name: "delete/has preconditions", run: deleteHasPreconditions},
	{name: "delete/of a collection", run: deleteOfACollection},
	{name: "namespace/of a cluster", run: namespacesOfACluster},
	{name: "namespace/writes need one", run: writesNeedANamespace},
	{name: "configmap/is stored", run: configMapIsStored},
	{name: "configmap/is updated", run: configMapIsUpdated},
	{name: "configmap/is merged", run: configMapIsMerged},
	{name: "configmap/is validated", run: configMapIsValidated},
	{name: "configmap/is deleted", run: configMapIsDeleted},
	{name: "lease/is stored", run: leaseIsStored},
	{name: "lease/is taken by one", run: leaseIsTakenByOne},
	{name: "lease/is validated", run: leaseIsValidated},
	{name: "access/unknown tokens are unauthorized", run: unknownTokensAreUnauthorized},
	{name: "access/nobody may read Events", run: nobodyMayReadEvents},
	{name: "access/a certificate names the user", run: certificateNamesTheUser},
	{name: "access/grants are followed", run: grantsAreFollowed},
	{name: "review/of tokens", run: tokensAreReviewed},
	{name: "review/of access", run: accessIsReviewed},
	{name: "route/paths that are not there", run: pathsThatAreNotThere},
	{name: "route/methods that are not there", run: methodsThatAreNotThere},
	{name: "gzip/of large lists", run: largeListsAreCompressed},
}

func TestContract(t *testing.T) {
	for _, s := range startBoth(t) {
		t.Run(s.name, func(t *testing.T) {
			for i, sc := range scenarios {
				t.Run(sc.name, func(t *testing.T) {
					if reason := sc.cannot[s.name]; reason != "" {
						t.Skipf("not on the %s API server: %s", s.name, reason)
					}
					sc.run(newBench(t, s, fmt.Sprintf("contract-%d", i)))
				})
			}
		})
	}
}
