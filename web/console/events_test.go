package console_test

import (
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_shows_what_changes_elsewhere changes a file while the console waits for an answer
// from before the change, and a space while the console's socket is lost.
func TestConsole_shows_what_changes_elsewhere(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	w.StartWorker(t)
	out, err := scripts.Run(t.Context(), browser.Command{Script: "events.mjs", Args: []string{w.BaseURL()}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
