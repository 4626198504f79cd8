package contract

import (
	"encoding/base64"
)

func tokenGoesOnInconsistently(b *bench) {
	b.fiveEvents()
	first := b.list(coreEvents + "?limit=2")
	b.create(coreEvents, record("e-9"))
	b.remove(coreEvents + "/e-3")
	b.compact()
	a := b.get(coreEvents + "?limit=2&continue=" + first.token()).want(410)
	status := a.object()
	token := text(status, "metadata.continue")
	if token == "" || token == first.token() {
		b.Fatalf("no other token: %s", a.body)
	}
	delete(status["metadata"].(object), "continue")
	b.wantStatus("expired continue", status, expired("The provided continue parameter is too old to display a "+
		"consistent list result. You can start a new list without the continue parameter, or use the continue token in "+
		"this response to retrieve the remainder of the results. Continuing with the provided token results in an "+
		"inconsistent list - objects that were created, modified, or deleted between the time the first chunk was "+
		"returned and now may show up in the list."))
	second := b.list(coreEvents + "?limit=2&continue=" + token)
	b.equal("second page", second.names(), []string{"e-2", "e-4"})
	b.equal("remainingItemCount", second.remaining(), 1)
	if b.number(second.version()) <= b.number(first.version()) {
		b.Errorf("the rest shows version %s, not a later one than %s", second.version(), first.version())
	}
	third := b.list(coreEvents + "?limit=2&continue=" + second.token())
	b.equal("third page", third.names(), []string{"e-9"})
	b.equal("version of the third page", third.version(), second.version())
}

func tokenAllowsNoVersion(b *bench) {
	b.fiveEvents()
	token := b.list(coreEvents + "?limit=2").token()
	b.refuses(
		row{get(coreEvents + "?resourceVersion=1&continue=" + token),
			badRequest("specifying resource version is not allowed when using continue")},
	)
	b.equal("version 0", len(b.list(coreEvents+"?resourceVersion=0&continue="+token).names()), 3)
}

func tokenIsMalformed(b *bench) {
	const prefix = "invalid continue token: continue key is not valid: "
	b.refuses(
		row{get(coreEvents + "?continue=!!"), badRequest(prefix + "illegal base64 data at input byte 0")},
		row{get(coreEvents + "?continue=e30="), badRequest(prefix + "illegal base64 data at input byte 3")},
		row{get(coreEvents + "?continue=abc"), failure{code: 400, reason: "BadRequest", begins: prefix}},
		row{get(coreEvents + "?continue=" + token(`{}`)),
			badRequest(prefix + "server does not recognize this encoded version ")},
		row{get(coreEvents + "?continue=" + token(`{"v":"meta.k8s.io/v9","rv":1,"start":"x"}`)),
			badRequest(prefix + "server does not recognize this encoded version meta.k8s.io/v9")},
		row{get(coreEvents + "?continue=" + token(`{"v":"meta.k8s.io/v1","rv":0,"start":"x"}`)),
			badRequest(prefix + "incorrect encoded start resourceVersion (version meta.k8s.io/v1)")},
		row{get(coreEvents + "?continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":""}`)),
			badRequest(prefix + "encoded start key empty (version meta.k8s.io/v1)")},
		row{get(coreEvents + "?continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}`)),
			badRequest(prefix + "../x")},
	)
}

func tokenOfTheFuture(b *bench) {
	const wanted = "1000000000"
	a := b.get(coreEvents + "?continue=" + token(`{"v":"meta.k8s.io/v1","rv":`+wanted+`,"start":"x"}`)).want(504)
	b.wantStatus("future", a.object(), tooLarge(wanted, b.currentOf(text(a.object(), "message")), 0))
}

// token is a continue token with any content.
func token(content string) string { return base64.RawURLEncoding.EncodeToString([]byte(content)) }
