package console_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
)

// TestConsole_continues_uploads_after_kill_9_and_in_another_tab kills the server in the middle of
// an upload and starts it again: the upload continues where it stopped. A second tab leaves an
// upload to the tab that sends it, and continues it when that tab is closed.
func TestConsole_continues_uploads_after_kill_9_and_in_another_tab(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	address, err := program.FreeAddress(t.Context())
	check(t, err)
	installation := program.Installation{Program: programtest.Build(t), Settings: []string{
		"PORTICO_ADDR=" + address, "PORTICO_DATA_DIR=" + t.TempDir(), "PORTICO_DATABASE_URL=" + postgres.URL(t, testdb.Migrate),
		"PORTICO_RATE_LIMITS=off",
	}}
	server := programtest.Serve(t, installation)

	// The script asks for each step by a request, whose response comes when the step is done.
	steps, done := make(chan string), make(chan struct{})
	control := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		steps <- r.URL.Path
		<-done
	}))
	t.Cleanup(control.Close)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out, err := scripts.Run(t.Context(), browser.Command{Script: "resume.mjs", Args: []string{server.URL, t.TempDir(), control.URL}})
		if err != nil || out.Text() != "done\n" {
			t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
		}
	}()
	for {
		select {
		case step := <-steps:
			if step == "/kill" {
				server.Kill()
			} else {
				server = programtest.Serve(t, installation)
			}
			done <- struct{}{}
		case <-ended:
			return
		}
	}
}
