package outage

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// maxTime is the maximum time of a response during the outage. A busy machine needs a fraction of
// it, and a door that waits for Postgres needs more.
const maxTime = 5 * time.Second

// internals finds what only the log may contain: texts of the network, of the driver, of Postgres
// and of Go.
var internals = regexp.MustCompile(`(?i)dial |pgdriver|postgres|\bpq\b|\bsql\b|sqlstate|\.s\.PGSQL|\.go:\d|goroutine|panic|` +
	`no such file|connection refused|broken pipe|bad connection|\bEOF\b|/dev/shm|` +
	`(?-i:SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE) `)

// TestDoors_answer_while_Postgres_is_stopped sends each call before, during and after an outage. An
// error is the same at every door: the status 503 with Retry-After and one text, in its own form.
func TestDoors_answer_while_Postgres_is_stopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := w.calls()
	before := make([]api.Response, len(calls))
	for i, c := range calls {
		if !c.endsKey {
			before[i] = c.send()
			c.checkHealthy(t, "before", before[i])
		}
	}
	start := postgres.Stop(t)
	// The server checks its database once a second for all probes.
	api.Eventually(t, "the server is not ready", func() bool { return w.get("/readyz").Status != http.StatusOK })
	for _, c := range calls {
		began := time.Now()
		got := c.send()
		if took := time.Since(began); took > maxTime {
			t.Errorf("%s: got a response after %v, want it within %v", c.name, took, maxTime)
		}
		c.check(t, got)
	}
	start()
	api.Eventually(t, "the server is ready again", func() bool { return w.get("/readyz").Status == http.StatusOK })
	for i, c := range calls {
		got := c.send()
		c.checkHealthy(t, "after", got)
		if want := before[i].Status; !c.endsKey && got.Status != want {
			t.Errorf("%s after the outage: got %d %s, want %d as before", c.name, got.Status, got.Body, want)
		}
	}
	t.Logf("calls: %d", len(calls))
}

// call is a request of a door.
type call struct {
	name string
	send func() api.Response
	// want is the response during the outage.
	want form
	// endsKey means that the call replaces or revokes its own key, so it can succeed only once, after
	// the outage.
	endsKey bool
}

type form struct {
	status int
	kind   string // the start of the Content-Type
	body   string // is in the body
}

// The errors of the doors, and the responses that need no database.
var (
	envelope   = form{503, "application/json", `{"status":"error","message":"The server is temporarily unavailable. Try again in a moment"}`}
	noBody     = form{503, "application/json", ""} // an error of HEAD
	graphError = form{503, "application/json", `{"errors":[{"message":"The server is temporarily unavailable. Try again in a moment",`}
	// graphPart is a response in which one field has failed.
	graphPart   = form{200, "application/graphql-response+json", `"extensions":{"code":"INTERNAL","retryAfterSeconds":5}}],"data":{"publicSpaces":null}}`}
	oEmbedError = form{503, "application/json", `{"message":"The server is temporarily unavailable. Try again in a moment","status":"error"}`}
	oauthError  = form{503, "application/json", `{"error":"server_error","error_description":"The server is temporarily unavailable. Try again in a moment"}`}
	page        = form{503, "text/html", "The server is temporarily unavailable. Try again in a moment"}
	placePage   = form{503, "text/html", "Something went wrong"}
	plain       = form{503, "text/plain", "The server is temporarily unavailable. Try again in a moment"}
	notReady    = form{503, "text/plain", "database does not answer"}
	closed      = form{4500, "", "Internal server error"} // a socket
	unaffected  = form{status: 200}
)

// checkHealthy checks a response without an outage.
func (c call) checkHealthy(t *testing.T, when string, got api.Response) {
	t.Helper()
	if got.Status >= 500 {
		t.Errorf("%s %s the outage: got %d %s, want no error of the server", c.name, when, got.Status, got.Body)
	}
}

// check checks the response during the outage.
func (c call) check(t *testing.T, got api.Response) {
	t.Helper()
	kind := got.Header.Get("Content-Type")
	if got.Status != c.want.status || !strings.HasPrefix(kind, c.want.kind) || !strings.Contains(string(got.Body), c.want.body) {
		t.Errorf("%s during the outage: got %d %s %.300s, want %v", c.name, got.Status, kind, got.Body, c.want)
	}
	if c.want != unaffected {
		shown := fmt.Sprintf("%v %s", got.Header, got.Body)
		if found := internals.FindString(shown); found != "" {
			t.Errorf("%s during the outage: got %q in %.300s, want no internal text", c.name, found, shown)
		}
	}
	wait := ""
	if got.Status == http.StatusServiceUnavailable && c.want != notReady {
		wait = "5"
	}
	if got := got.Header.Get("Retry-After"); got != wait {
		t.Errorf("%s during the outage: got Retry-After %q, want %q", c.name, got, wait)
	}
}
