package console_test

import (
	"os"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_shows_and_changes_the_entities_of_a_space follows changes made elsewhere, edits the
// settings of a plugin in a form, undoes the removal of an entity, and closes the dialog of a new space
// before it exists.
func TestConsole_shows_and_changes_the_entities_of_a_space(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	w.StartWorker(t)
	arguments := []string{w.BaseURL()}
	if pictures := os.Getenv("PORTICO_PICTURES"); pictures != "" {
		arguments = append(arguments, pictures)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "entities.mjs", Args: arguments})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
