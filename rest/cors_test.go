package rest

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCORS_answers_preflights_without_a_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/v1/spaces", "/api/v1/files/upload", "/v1/spaces/a/entities/b", "/v1/nothing", "//v1//spaces/"} {
		request, err := http.NewRequest("OPTIONS", w.base+path, nil)
		check(t, err)
		request.Header.Set("Origin", "https://app.example")
		request.Header.Set("Access-Control-Request-Method", "POST")
		request.Header.Set("Access-Control-Request-Headers", "authorization,content-type")
		got := w.send(request)
		got.want(204, "")
		for name, want := range map[string]string{
			"Access-Control-Allow-Origin":  "*",
			"Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
			"Access-Control-Allow-Headers": "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name",
			"Access-Control-Max-Age":       "86400",
		} {
			if got := got.header.Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestCORS_is_on_every_answer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		who                account
		method, path, body string
		status             int
	}{
		{w.alice, "GET", "/v1/spaces", "", 200},
		{w.alice, "POST", "/v1/spaces", "{}", 201},
		{w.alice, "POST", "/v1/spaces", "{", 400},
		{account{}, "GET", "/v1/spaces", "", 401},
		{w.alice, "GET", "/v1/nothing", "", 404},
		{w.alice, "PUT", "/v1/spaces", "", 405},
	} {
		got := w.call(c.who, c.method, c.path, c.body)
		if got.status != c.status {
			t.Errorf("%s %s: status: got %d, want %d", c.method, c.path, got.status, c.status)
		}
		want := map[string]string{
			"Access-Control-Allow-Origin":   "*",
			"Access-Control-Expose-Headers": "Retry-After, WWW-Authenticate, Mcp-Session-Id, X-Request-Id",
		}
		for name := range want {
			if diff := cmp.Diff(want[name], got.header.Get(name)); diff != "" {
				t.Errorf("%s %s: %s: (-want +got)\n%s", c.method, c.path, name, diff)
			}
		}
	}
}
