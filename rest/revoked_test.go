package rest

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/auth"
	"portico/db"
	"portico/graph"
	"portico/internal/testkit/postgres/testdb"
)

// entityRequests are the most frequent requests.
func entityRequests(space string) []struct{ name, method, path, body string } {
	entities := "/v1/spaces/" + space + "/entities"
	return []struct{ name, method, path, body string }{
		{"list", "GET", entities, ""},
		{"read", "GET", entities + "/lamp", ""},
		{"update", "PUT", entities + "/lamp", `{"entity_data":{"on":true}}`},
		{"create", "POST", entities, `{"entity_id":"stolen","entity_data":{}}`},
		{"delete", "DELETE", entities + "/lamp", ""},
	}
}

// The server remembers a valid key for a moment, and forgets it when one is revoked.
func TestEntities_are_refused_to_a_revoked_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, `{}`)
	entities := "/v1/spaces/" + space + "/entities"
	w.call(w.alice, "POST", entities, `{"entity_id":"lamp","entity_data":{"on":false}}`).status2xx()
	more := []struct{ name, method, path, body string }{
		{"create a gate", "POST", entities, `{"entity_id":"stolen","entity_type":"DynamicGate","entity_data":{}}`},
		{"malformed JSON", "POST", entities, `{`},
		{"a long body", "POST", entities, `{"entity_id":"stolen","entity_data":{"text":"` + strings.Repeat("x", testMaxBody) + `"}}`},
		{"an unknown entity", "GET", entities + "/none", ""},
		{"an id that no entity can have", "GET", entities + "/%C3%A9", ""},
		{"a space of nobody", "GET", "/v1/spaces/none/entities", ""},
		{"a bad cursor", "GET", entities + "?cursor=x", ""},
		{"an unknown path", "GET", "/v1/none", ""},
		{"an unknown method", "PATCH", entities, ""},
		{"another endpoint", "PUT", "/v1/spaces/" + space, `{"title":"stolen"}`},
	}
	for _, c := range append(entityRequests(space), more...) {
		w.setRevoked("NULL")
		w.call(w.alice, "GET", entities+"/lamp", "").status2xx() // from now on the key is known
		w.setRevoked("now()")
		for _, time := range []string{"first", "second"} {
			got := w.call(w.alice, c.method, c.path, c.body)
			if got.status != 401 || !strings.Contains(got.body, "Invalid or expired API key") {
				t.Errorf("%s, %s time: got %d %s, want 401", c.name, time, got.status, got.body)
			}
		}
	}
	w.setRevoked("NULL")
	page := w.call(w.alice, "GET", entities, "")
	if strings.Contains(page.body, "stolen") || !strings.Contains(compact(page.body), `"entity_data":{"on":false}`) {
		t.Errorf("entities: got %s, want them as before", page.body)
	}
}

// A thief could otherwise use up the limits of the account with a key that was revoked.
func TestLimit_of_an_account_does_not_count_its_revoked_keys(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	space := w.space(w.alice, `{}`)
	entities := "/v1/spaces/" + space + "/entities"
	body := `{"entity_id":"lamp","entity_data":{}}`
	w.call(w.alice, "POST", entities, body).status2xx()
	w.setRevoked("now()")
	if got := w.call(w.alice, "POST", entities, body); got.status != 401 {
		t.Fatalf("revoked key: got %d %s, want 401", got.status, got.body)
	}
	for range 300 { // the limit of all requests
		w.call(w.alice, "POST", entities, body)
	}
	w.setRevoked("NULL")
	if got := w.call(w.alice, "POST", entities, body); got.status != 200 {
		t.Errorf("valid key: got %d %s, want 200", got.status, got.body)
	}
}

func TestEntities_need_one_statement_with_a_known_key(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	var core graph.Options
	var options Options
	w := serveCore(t, func(o *graph.Options) { core = *o }, func(o *Options) { options = *o })
	space := w.space(w.alice, `{}`)
	w.call(w.alice, "POST", "/v1/spaces/"+space+"/entities", `{"entity_id":"lamp"}`).status2xx()
	traced, err := db.Open(t.Context(), db.Options{URL: w.url, Connections: 4, Logger: slog.New(slog.DiscardHandler), Tracer: tracer})
	check(t, err)
	t.Cleanup(func() { check(t, traced.Close()) })
	core.DB = traced
	options.Resolver = graph.New(core)
	options.Keys, err = auth.NewKeys(traced, []byte("0123456789abcdef"))
	check(t, err)
	door := New(options)
	send := func(method, path, body string) int {
		ctx, span := tracer.Start(t.Context(), "request")
		defer span.End()
		request := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+w.alice.key)
		response := httptest.NewRecorder()
		door.ServeHTTP(response, request)
		return response.Code
	}
	testdb.AwaitNotifications(t, traced, true)
	for _, c := range entityRequests(space) {
		start := time.Now()
		send("GET", "/v1/user/me", "")
		recorder.Reset()
		if got := send(c.method, c.path, c.body); got/100 != 2 {
			t.Errorf("%s: got %d, want 2xx", c.name, got)
		}
		// Of the statement, and of the request. The key is known for half a second.
		if got := len(recorder.Ended()); got != 2 && time.Since(start) < 400*time.Millisecond {
			t.Errorf("spans of %s: got %d, want 2", c.name, got)
		}
	}
}

// setRevoked sets the time at which all keys were revoked, and announces it as a process that
// revokes does.
func (w *world) setRevoked(at string) {
	w.t.Helper()
	w.exec("UPDATE api_keys SET revoked_at = " + at)
	w.db.Announce(db.TopicRevoked)
}
