package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/db"
	"portico/internal/testkit/postgres/testdb"
)

// countedBody counts the bytes that are read of a body.
type countedBody struct {
	io.Reader
	read int
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.read += n
	return n, err
}

func (b *countedBody) Close() error { return nil }

// The door reads the body when it knows for whom.
func TestCaller_reads_no_body(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	const text = `{"query":"{ viewer { id } }"}`
	for _, row := range []struct {
		name, cookie, wantUser string
	}{
		{"no cookie", "", ""},
		{"a cookie that was made up", strings.Repeat("x", 43), ""},
		{"a session", b.cookie(), user.ID},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			body := &countedBody{Reader: strings.NewReader(text)}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", body)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			if row.cookie != "" {
				r.AddCookie(&http.Cookie{Name: "portico_session", Value: row.cookie})
			}
			caller, err := w.site.Caller(httptest.NewRecorder(), r)
			check(t, err)
			got := ""
			if caller != nil {
				got = caller.UserID
			}
			if got != row.wantUser || body.read != 0 {
				t.Errorf("got the user %q and %d bytes read, want %q and none", got, body.read, row.wantUser)
			}
			again, err := io.ReadAll(r.Body)
			check(t, err)
			if string(again) != text {
				t.Errorf("body for the door: got %q, want %q", again, text)
			}
		})
	}
}

// Each operation of the console is a POST. The statements are of the session and of its user.
func TestCaller_remembers_a_session_until_one_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	recorder, quiet := tracetest.NewSpanRecorder(), slog.New(slog.DiscardHandler)
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	traced, err := db.Open(t.Context(), db.Options{URL: w.url, Connections: 4, Logger: quiet, Tracer: tracer})
	check(t, err)
	t.Cleanup(func() { check(t, traced.Close()) })
	site, err := New(Options{DB: traced, Keys: w.keys, Accounts: w.accounts, BaseURL: w.server.URL, ClientOf: clientOf(nil), Logger: quiet})
	check(t, err)
	testdb.AwaitNotifications(t, traced, true)
	statements := func() int {
		recorder.Reset()
		ctx, span := tracer.Start(t.Context(), "request")
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(`{"query":"{ viewer { id } }"}`))
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.AddCookie(&http.Cookie{Name: "portico_session", Value: b.cookie()})
		caller, err := site.Caller(httptest.NewRecorder(), r)
		if err == nil && caller != nil {
			_, err = io.ReadAll(r.Body)
		}
		span.End()
		if err != nil || caller == nil || caller.UserID != user.ID {
			t.Fatalf("caller: got %+v and %v, want the user %q", caller, err, user.ID)
		}
		return len(recorder.Ended()) - 1 // without the span of the request
	}
	statements() // prepares them
	for isSlow := true; isSlow; {
		traced.Announce(db.TopicRevoked)
		start := time.Now()
		first, second := statements(), statements()
		if isSlow = time.Since(start) > 400*time.Millisecond; !isSlow && (first != 2 || second != 0) {
			t.Errorf("statements: got %d and %d, want 2 and none", first, second)
		}
	}
}

// TestCaller_is_for_pages_of_the_same_origin has the requests of GraphQL and of resumable
// uploads, as browsers send them from our own pages and from others.
func TestCaller_is_for_pages_of_the_same_origin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	own := http.Header{"Sec-Fetch-Site": {"same-origin"}}
	ownOld := http.Header{"Origin": {w.server.URL}}
	foreign := http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {w.server.URL}, "Tus-Resumable": {"1.0.0"}}
	sibling := http.Header{"Sec-Fetch-Site": {"same-site"}, "Tus-Resumable": {"1.0.0"}}
	foreignOld := http.Header{"Origin": {"https://evil.example"}}
	for _, row := range []struct {
		name    string
		methods []string
		header  http.Header
		want    string
	}{
		{"own_page", []string{"POST", "PATCH", "DELETE", "HEAD"}, own, user.ID},
		{"own_page_without_fetch_metadata", []string{"POST", "PATCH", "DELETE"}, ownOld, user.ID},
		{"own_page_asks_for_the_offset", []string{"HEAD"}, http.Header{"Tus-Resumable": {"1.0.0"}}, user.ID},
		{"other_site", []string{"POST", "PATCH", "DELETE", "HEAD", "GET"}, foreign, ""},
		{"other_host_of_the_site", []string{"POST", "PATCH", "DELETE", "HEAD", "GET"}, sibling, ""},
		{"other_site_without_fetch_metadata", []string{"POST", "PATCH", "DELETE", "HEAD", "GET"}, foreignOld, ""},
		{"no_page", []string{"POST", "PATCH", "DELETE", "HEAD", "GET", "PUT"}, http.Header{}, ""},
		{"own_page_by_other_methods", []string{"GET", "PUT"}, own, ""},
	} {
		for _, method := range row.methods {
			r := httptest.NewRequestWithContext(t.Context(), method, "/uploads/x", http.NoBody)
			r.Header = row.header.Clone()
			r.AddCookie(&http.Cookie{Name: "portico_session", Value: b.cookie()})
			caller, err := w.site.Caller(httptest.NewRecorder(), r)
			check(t, err)
			got := ""
			if caller != nil {
				got = caller.UserID
			}
			if got != row.want {
				t.Errorf("%s, %s: got the user %q, want %q", row.name, method, got, row.want)
			}
		}
	}
}
