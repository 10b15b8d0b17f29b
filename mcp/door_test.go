package mcp

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// rawResponse is the response to a raw request.
type rawResponse struct {
	status int
	header http.Header
	body   string
}

// post sends a message without the SDK's client.
func (w *world) post(key, path, body string) rawResponse {
	w.t.Helper()
	return w.request(http.MethodPost, key, path, body)
}

func (w *world) request(method, key, path, body string) rawResponse {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.base+path, strings.NewReader(body))
	check(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return w.do(r)
}

func (w *world) do(r *http.Request) rawResponse {
	w.t.Helper()
	response, err := http.DefaultClient.Do(r)
	check(w.t, err)
	defer func() { _ = response.Body.Close() }() // read to its end
	body, err := io.ReadAll(response.Body)
	check(w.t, err)
	return rawResponse{response.StatusCode, response.Header, strings.TrimSpace(string(body))}
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestDoor_requires_a_key_before_anything_else(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	metadata := `Bearer resource_metadata="` + w.base + `/.well-known/oauth-protected-resource`
	for _, test := range []struct{ name, method, key, path, challenge string }{
		{"no key", "POST", "", "/v1/mcp", metadata + `/v1/mcp"`},
		{"no key by the other prefix", "POST", "", "/api/v1/mcp", metadata + `/api/v1/mcp"`},
		{"a bad key", "POST", "portico_none", "/v1/mcp", metadata + `/v1/mcp", error="invalid_token"`},
		{"another method", "GET", "", "/v1/mcp", metadata + `/v1/mcp"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := w.request(test.method, test.key, test.path, "{")
			equal(t, "status", got.status, http.StatusUnauthorized)
			equal(t, "WWW-Authenticate", got.header.Get("WWW-Authenticate"), test.challenge)
			equal(t, "body", got.body, `{"status":"error","message":"Invalid or expired API key"}`)
			equal(t, "CORS", got.header.Get("Access-Control-Allow-Origin"), "*")
		})
	}
}

// TestDoor_keeps_answers_out_of_caches also reads a stream, for which the SDK sets other
// headers.
func TestDoor_keeps_answers_out_of_caches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const stream = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_user_info","arguments":{},"_meta":{"progressToken":7}}}`
	for name, got := range map[string]rawResponse{
		"a refusal":         w.post("", "/v1/mcp", listTools),
		"an answer":         w.post(w.alice.key, "/v1/mcp", listTools),
		"a stream":          w.post(w.alice.key, "/v1/mcp", stream),
		"a notification":    w.post(w.alice.key, "/v1/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`),
		"an unknown method": w.post(w.alice.key, "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`),
	} {
		equal(t, "Cache-Control of "+name, got.header.Get("Cache-Control"), "no-store")
		equal(t, "X-Content-Type-Options of "+name, got.header.Get("X-Content-Type-Options"), "nosniff")
	}
}

// TestDoor_answers has a row for each kind of message that is not a plain call.
func TestDoor_answers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const tooLarge = `{"status":"error","message":"Request body is over the maximum of 20000 bytes"}`
	for _, test := range []struct {
		name, method, body string
		status             int
		want               string // of the body's beginning
	}{
		{"a call", "POST", listTools, 200, `{"jsonrpc":"2.0","id":1,"result":{`},
		{"a batch of an old client", "POST", "[" + listTools + "]", 200, `[{"jsonrpc":"2.0","id":1,"result":{`},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"an unknown method", "POST", `{"jsonrpc":"2.0","id":"a","method":"no/such"}`, 200, `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found: no/such"}}`},
		{"an unknown notification", "POST", `{"jsonrpc":"2.0","method":"notifications/none"}`, 202, ""},
		{"no params", "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, 400, `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,`},
		{"no JSON", "POST", `{`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Request body is not valid JSON"}}`},
		{"no body", "POST", ``, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"no message", "POST", `{"a":1}`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"prompts", "POST", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: prompts/list"}}`},
		{"a prompt", "POST", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"resources", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"templates", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"a resource", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"a resource to watch", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"logging", "POST", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"logging without params", "POST", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel"}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"completion", "POST", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"prompts in a batch", "POST", `[{"jsonrpc":"2.0","id":1,"method":"prompts/list"}]`, 200, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"ping", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `{"jsonrpc":"2.0","id":1,"result":{`},
		{"a batch with initialize", "POST", `[` + listTools + `,{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}]`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"initialize must not be part of a batch"}}`},
		{"an empty batch", "POST", `[]`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"an answer", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, ""},
		{"an answer that failed", "POST", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`, 202, ""},
		{"an id alone", "POST", `{"jsonrpc":"2.0","id":1}`, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"The message has neither a method nor a result or an error"}}`},
		{"a version alone", "POST", `{"jsonrpc":"2.0"}`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"both a result and an error", "POST", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"no"}}`, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"a result without an id", "POST", `{"jsonrpc":"2.0","result":{}}`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"nothing in a batch", "POST", `[` + listTools + `,{"jsonrpc":"2.0","id":1}]`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"text that is not UTF-8", "POST", "{\"a\":\"\xff\"}", 400, `{"status":"error","message":"Request body must be valid UTF-8"}`},
		{"a body that is too large", "POST", strings.Repeat(" ", testMaxBody+1), 413, tooLarge},
		{"a stream that nobody asked for", "GET", "", 405, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"the end of a session", "DELETE", "", 405, `{"jsonrpc":"2.0","id":null,`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := w.request(test.method, w.alice.key, "/v1/mcp", test.body)
			equal(t, "status", got.status, test.status)
			if !strings.HasPrefix(got.body, test.want) || (test.want == "") != (got.body == "") {
				t.Errorf("body: got %q, want %q", got.body, test.want)
			}
			if got.body != "" && !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
				t.Errorf("Content-Type: got %q, want JSON", got.header.Get("Content-Type"))
			}
			if test.status == 405 {
				equal(t, "Allow", got.header.Get("Allow"), "OPTIONS, POST")
			}
		})
	}
}

func TestDoor_answers_the_newest_protocol_its_own_way(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, method := range []string{"no/such", "prompts/list"} {
		body := `{"jsonrpc":"2.0","id":3,"method":"` + method + `","params":{}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/v1/mcp", strings.NewReader(body))
		check(t, err)
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Authorization": {"Bearer " + w.alice.key}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method},
		}
		got := w.do(r)
		equal(t, "status", got.status, http.StatusNotFound)
		if !strings.Contains(got.body, "-32601") {
			t.Errorf("%s: got %s, want -32601", method, got.body)
		}
	}
}

func TestDoor_answers_a_request_without_Accept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/v1/mcp", strings.NewReader(listTools))
	check(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + w.alice.key}}
	equal(t, "status", w.do(r).status, http.StatusOK)
}

// Origin is not looked at, and neither is Host: see the package comment.
func TestDoor_answers_every_origin_that_has_a_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, key := range []string{w.alice.key, ""} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/v1/mcp", strings.NewReader(listTools))
		check(t, err)
		r.Host = "portico.example"
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"*/*"},
			"Origin": {"https://evil.example"}, "Authorization": {"Bearer " + key},
		}
		got, want := w.do(r), http.StatusOK
		if key == "" {
			want = http.StatusUnauthorized
		}
		equal(t, "status", got.status, want)
		equal(t, "CORS", got.header.Get("Access-Control-Allow-Origin"), "*")
	}
}

func TestDoor_answers_preflights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.request(http.MethodOptions, "", "/v1/mcp", "")
	equal(t, "status", got.status, http.StatusNoContent)
	for _, header := range []string{"authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"} {
		if allowed := got.header.Get("Access-Control-Allow-Headers"); !strings.Contains(allowed, header) {
			t.Errorf("allowed headers: got %q, want %s among them", allowed, header)
		}
	}
}
