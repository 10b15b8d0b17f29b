package console_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_shows_what_changes_elsewhere changes a file and a space while the console's socket is
// lost: the file again while the console waits for a response from before the change.
func TestConsole_shows_what_changes_elsewhere(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	signalled := make(chan struct{})
	signal := sync.OnceFunc(func() { close(signalled) })
	signals := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { signal() }))
	t.Cleanup(signals.Close)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer signal()
		out, err := scripts.Run(t.Context(), browser.Command{Script: "events.mjs", Args: []string{w.BaseURL(), signals.URL}})
		if err != nil || out.Text() != "done\n" {
			t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
		}
	}()
	<-signalled
	w.StartWorker(t)
	<-ended
}

// TestConsole_asks_once_a_second_while_entities_are_created creates many entities of the space that
// the console shows. The requests of the page count for the limit of the account.
func TestConsole_asks_once_a_second_while_entities_are_created(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	out, err := scripts.Run(t.Context(), browser.Command{Script: "burst.mjs", Args: []string{w.BaseURL()}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
