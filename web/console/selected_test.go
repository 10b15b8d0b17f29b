package console_test

import (
	"os"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_changes_selected_files_and_spaces saves and deletes several files at once, and opens, tags and
// deletes several spaces.
func TestConsole_changes_selected_files_and_spaces(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	out, err := scripts.Run(t.Context(), browser.Command{Script: "selected.mjs", Args: []string{w.BaseURL(), os.Getenv("PORTICO_PICTURES")}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
