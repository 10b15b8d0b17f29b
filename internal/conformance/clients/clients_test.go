package clients

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/npm"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/program/programtest"
	"portico/splat/splattest"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// client is a script with a row for each of its scenarios.
type client struct {
	name, script string
	rows         []string
	// named is the number of scenarios whose names the package brings.
	named int
	// node is the major version of Node that the packages need, if other scripts need a lower one.
	node int
}

// TestClients runs all clients against the same two servers in parallel.
func TestClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []client{audits, socketClient, bareSocket, eventClient, oauthClient, agent, tools, resumableUploads, webhooks, conformance} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := npm.Node(t.Context(), c.node); err != nil {
				t.Skipf("%s is not run: %v", c.script, err)
			}
			w.run(t, c)
		})
	}
	t.Run(pages.name, func(t *testing.T) {
		t.Parallel()
		path := browser.Chromium(t)
		// A server with other settings, for its pages.
		closed := serve(t, w.program, "PORTICO_WORKERS=0", "PORTICO_SIGNUP=off", "PORTICO_INTROSPECTION=off",
			"PORTICO_OIDC_ISSUER=https://provider.invalid", "PORTICO_OIDC_CLIENT_ID=portico")
		w.run(t, pages, "CHROMIUM="+path, "PORTICO_CLOSED_URL="+closed.URL)
	})
}

// world is two servers of the same program. One has its defaults. The other works on no
// jobs, so that jobs wait until a client cancels them, and has no rate limits, for
// scenarios with many requests.
type world struct {
	scripts       *browser.Scripts
	program       string
	working, idle *programtest.Process
	capture       string
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{scripts: browser.NewWithout(t, browser.Options{Name: "clients", Scripts: "node"}), capture: filepath.Join(t.TempDir(), "capture.zip")}
	w.program = programtest.Build(t)
	w.working = serve(t, w.program, "PORTICO_WORKERS=1", "PORTICO_WEBHOOK_NETWORKS=127.0.0.0/8")
	w.idle = serve(t, w.program, "PORTICO_WORKERS=0", "PORTICO_RATE_LIMITS=off")
	file, err := os.Create(w.capture)
	check(t, err)
	// The job takes several times as long as the worker waits between two reports of progress.
	_, err = splattest.Capture{Tiles: 8000, TileBytes: 1 << 10}.WriteTo(file)
	check(t, errors.Join(err, file.Close()))
	return w
}

// outcome is the result of a scenario.
type outcome struct {
	Name         string
	Error        string // empty when it went well
	Milliseconds int
}

// run runs the script with its own accounts, so that it shares no limit with
// another, and shows every scenario as a subtest.
func (w world) run(t *testing.T, c client, env ...string) {
	t.Helper()
	email := strings.TrimSuffix(c.script, ".mjs") + "@example.com"
	out, err := w.scripts.Run(t.Context(), browser.Command{Script: c.script, Env: append(env,
		"PORTICO_CAPTURE="+w.capture,
		"PORTICO_URL="+w.working.URL, "PORTICO_KEY="+w.working.NewClient(t, email).Key,
		"PORTICO_IDLE_URL="+w.idle.URL, "PORTICO_IDLE_KEY="+w.idle.NewClient(t, email).Key,
	)})
	if err != nil { // the script is broken: scenarios that fail do not end it
		t.Errorf("node %s: got %v, want it to end with code 0\n%s", c.script, err, out.Stderr)
	}
	outcomes := browser.Lines[outcome](t, out)
	for _, row := range c.rows {
		if !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.Name == row }) {
			t.Errorf("%s: did not get to %q", c.script, row)
		}
	}
	if got, want := len(outcomes), len(c.rows)+c.named; got != want {
		t.Errorf("%s: got %d scenarios, want a row for each, which are %d", c.script, got, want)
	}
	for _, o := range outcomes {
		t.Run(o.Name, func(t *testing.T) {
			t.Logf("took %d ms", o.Milliseconds)
			if o.Error != "" {
				t.Error(o.Error)
			}
		})
	}
}
