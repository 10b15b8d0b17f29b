package contract

import (
	"strings"
	"testing"
)

func TestGolden_envelope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{maxBody: 100})
	nobody := account{}
	w.golden("no-key", 401, "Without a key.", w.call(nobody, "GET", "/v1/spaces", ""))
	w.golden("no-key-other-prefix", 401, "The metadata is that of the prefix.", w.call(nobody, "GET", "/api/v1/spaces", ""))
	w.golden("bad-key", 401, "With an invalid key.", w.call(account{key: "portico_none"}, "GET", "/v1/spaces", ""))
	w.golden("no-key-no-route", 401, "The key comes before anything else.", w.call(nobody, "GET", "/v1/nothing", ""))
	request := w.request("GET", w.base+"/v1/spaces", "")
	request.Header.Set("Authorization", "Basic YWxpY2U6c2VjcmV0")
	w.golden("other-scheme", 401, "Only Bearer is a key.", request)
	w.exec("UPDATE api_keys SET revoked_at = now() WHERE user_id = '" + w.bob.id + "'")
	w.golden("revoked-key", 401, "With a key that was revoked.", w.call(w.bob, "GET", "/v1/spaces", ""))
	w.golden("no-route", 404, "No such path.", w.call(w.alice, "GET", "/v1/nothing", ""))
	w.golden("wrong-method", 405, "The path has other methods, which Allow lists.", w.call(w.alice, "PATCH", "/v1/spaces", ""))
	w.golden("malformed", 400, "The body is no JSON.", w.call(w.alice, "POST", "/v1/spaces", `{'title':}`))
	w.golden("no-object", 400, "The body is JSON, and no object.", w.call(w.alice, "POST", "/v1/spaces", `[{}]`))
	w.golden("no-utf8", 400, "The body is not valid UTF-8.", w.call(w.alice, "POST", "/v1/spaces", "{'title':'\xff'}"))
	w.golden("body-too-large", 413, "The maximum of a new server is 1 MiB, here it is 100 bytes.",
		w.call(w.alice, "POST", "/v1/spaces", `{'title':'`+strings.Repeat("x", 100)+`'}`))
	w.golden("doubled-slashes", 200, "Doubled and trailing slashes are answered, not redirected.", w.call(w.alice, "GET", "//v1//spaces/", ""))
	w.golden("other-prefix", 200, "The same API under its other prefix.", w.call(w.alice, "GET", "/api/v1/spaces", ""))
	w.exec("DROP TABLE entities; DROP TABLE spaces CASCADE")
	w.golden("internal", 500, "A mistake of the server; the client learns nothing more.", w.call(w.alice, "GET", "/v1/spaces", ""))
}

func TestGolden_cors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	request := w.request("OPTIONS", w.base+"/v1/spaces/update-privacy", "")
	request.Header.Set("Origin", "https://app.example")
	request.Header.Set("Access-Control-Request-Method", "POST")
	request.Header.Set("Access-Control-Request-Headers", "authorization,content-type")
	w.goldenFile("preflight", 204, "A browser asks before it calls from another origin. No key is needed.", request)
	request = w.call(account{}, "GET", "/v1/spaces", "")
	request.Header.Set("Origin", "https://app.example")
	w.goldenFile("error", 401, "Errors can be read by pages of any origin.", request)
}
