package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/graph"
	"portico/internal/testkit/logs"
	"portico/model"
)

func TestFail_renders_every_code(t *testing.T) {
	t.Parallel()
	want := map[model.Code]struct {
		status int
		body   string
		header http.Header
	}{
		model.CodeInvalid:      {400, `{"status":"error","message":"No"}`, nil},
		model.CodeInvalidFiles: {422, `{"status":"error","message":"No"}`, nil},
		model.CodeForbidden:    {403, `{"status":"error","message":"No"}`, nil},
		model.CodeNotFound:     {404, `{"status":"error","message":"No"}`, nil},
		model.CodeTooLarge:     {413, `{"status":"error","message":"No"}`, nil},
		model.CodeUnauthenticated: {401, `{"status":"error","message":"No"}`, http.Header{
			"Www-Authenticate": {`Bearer resource_metadata="https://x/.well-known/oauth-protected-resource/v1"`}}},
		model.CodeRateLimited: {429, `{"status":"error","message":"No","retry_after_seconds":2}`, http.Header{
			"Retry-After": {"2"}}},
		model.CodeConflict:      {409, `{"status":"error","message":"No"}`, nil},
		model.CodeLocked:        {423, `{"status":"error","message":"No"}`, nil},
		model.CodeQuotaExceeded: {507, `{"status":"error","message":"No"}`, nil},
		model.CodeInternal:      {500, `{"status":"error","message":"Internal server error"}`, nil},
	}
	for _, code := range model.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			a := &api{base: "https://x", log: slog.New(slog.DiscardHandler)}
			got := httptest.NewRecorder()
			refusal := &model.Error{Code: code, Message: "No", Err: errors.New("secret")}
			if code == model.CodeRateLimited {
				refusal.RetryAfter = 1001 * time.Millisecond
			}
			a.fail(got, httptest.NewRequest("GET", "/v1/x", nil), fmt.Errorf("wrapped: %w", refusal))
			row, ok := want[code]
			if !ok {
				t.Fatalf("no row for code %s", code)
			}
			if got, want := got.Code, row.status; got != want {
				t.Errorf("status: got %d, want %d", got, want)
			}
			if got, want := strings.TrimSpace(got.Body.String()), row.body; got != want {
				t.Errorf("body: got %s, want %s", got, want)
			}
			for _, name := range []string{"Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options"} {
				got.Header().Del(name)
			}
			if diff := cmp.Diff(row.header, got.Header()); row.header != nil && diff != "" {
				t.Errorf("header: (-want +got)\n%s", diff)
			}
		})
	}
}

func TestFail_tells_an_outage_of_the_database_from_a_fault(t *testing.T) {
	t.Parallel()
	log := &logs.Buffer{}
	a := &api{base: "https://x", log: slog.New(slog.NewJSONHandler(log, nil))}
	got := httptest.NewRecorder()
	a.fail(got, httptest.NewRequest("GET", "/v1/x", nil), fmt.Errorf("wrapped: %w", model.Unavailable(errors.New("secret"))))
	want := `{"status":"error","message":"The server is temporarily unavailable. Try again in a moment"}`
	if body := strings.TrimSpace(got.Body.String()); got.Code != 503 || body != want || got.Header().Get("Retry-After") != "5" {
		t.Errorf("got %d %s, Retry-After %q, want 503 %s, Retry-After 5", got.Code, body, got.Header().Get("Retry-After"), want)
	}
	if lines := log.Lines(); len(lines) != 1 || !strings.Contains(lines[0], "secret") {
		t.Errorf("log: got %v, want one line with the cause", lines)
	}
}

func TestRouter_logs_an_internal_error_once_and_says_nothing_of_it(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// A table that is gone is as good as any failure of the database.
	w.exec("DROP TABLE files CASCADE")
	got := w.call(w.alice, "GET", "/v1/files", "")
	got.refused(500, "Internal server error")
	lines := w.log.Lines()
	if len(lines) != 1 {
		t.Fatalf("log lines: got %d, want 1: %v", len(lines), lines)
	}
	for _, want := range []string{got.header.Get("X-Request-Id"), `"msg":"internal error"`, `"path":"/v1/files"`, "files"} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("log: got %s, want %s in it", lines[0], want)
		}
	}
	if strings.Contains(lines[0], w.alice.key) {
		t.Errorf("log: got the key in it: %s", lines[0])
	}
}

func TestRouter_answers_a_panic_and_logs_it_once_with_its_stack(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, func(o *Options) { o.Resolver = &graph.Resolver{} }) // which has no database
	got := w.call(w.alice, "GET", "/v1/files", "")
	got.refused(500, "Internal server error")
	lines := w.log.Lines()
	if len(lines) != 1 {
		t.Fatalf("log lines: got %d, want 1: %v", len(lines), lines)
	}
	for _, want := range []string{got.header.Get("X-Request-Id"), `"error":"panic: `, "rest.(*api).files"} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("log: got %s, want %s in it", lines[0], want)
		}
	}
	if got, want := got.header.Get("Access-Control-Allow-Origin"), "*"; got != want {
		t.Errorf("Access-Control-Allow-Origin: got %q, want %q", got, want)
	}
	// The server continues.
	w.call(w.alice, "GET", "/v1/nothing", "").refused(404, "Endpoint not found")
}

// A client must not take the start of an archive for a complete one.
func TestRecoverPanic_closes_the_connection_of_a_response_that_has_started(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int // that the handler sends
		body   string
		aborts bool
	}{
		{"nothing was sent", 0, "", false},
		{"an informational response was sent", http.StatusEarlyHints, "", false},
		{"a status was sent", http.StatusOK, "", true},
		{"a byte was sent", 0, "x", true},
	} {
		log := &logs.Buffer{}
		a := &api{log: slog.New(slog.NewJSONHandler(log, nil))}
		server := httptest.NewServer(a.recoverPanic(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if test.status != 0 {
				w.WriteHeader(test.status)
			}
			if test.body != "" {
				_, _ = io.WriteString(w, test.body) // the client reads it
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
			}
			panic("a bug")
		})))
		t.Cleanup(server.Close)
		var status int
		response, err := server.Client().Get(server.URL)
		if err == nil {
			status = response.StatusCode
			_, err = io.ReadAll(response.Body)
			_ = response.Body.Close() // read to its end
		}
		if aborts := err != nil; aborts != test.aborts || !aborts && status != http.StatusInternalServerError {
			t.Errorf("%s: got %d, %v", test.name, status, err)
		}
		if lines := log.Lines(); len(lines) != 1 || !strings.Contains(lines[0], "panic: a bug") {
			t.Errorf("%s: got log %q, want the panic once", test.name, lines)
		}
	}
}

func TestFail_is_silent_about_a_client_that_left(t *testing.T) {
	t.Parallel()
	log := &logs.Buffer{}
	a := &api{log: slog.New(slog.NewJSONHandler(log, nil))}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request := httptest.NewRequest("GET", "/v1/x", nil).WithContext(ctx)
	a.fail(httptest.NewRecorder(), request, errors.New("connection is closed"))
	if got := log.Lines(); len(got) != 0 {
		t.Errorf("log: got %v, want nothing", got)
	}
}
