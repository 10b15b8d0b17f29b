package console_test

import (
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_confirms_uploads confirms an upload while the server has a fault, and tries again. It
// removes other uploads while they are confirmed: their files are deleted, even if a job has
// already stored them.
func TestConsole_confirms_uploads(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	w.StartWorker(t)
	out, err := scripts.Run(t.Context(), browser.Command{Script: "confirm.mjs", Args: []string{w.BaseURL()}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
