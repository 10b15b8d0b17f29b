package console_test

import (
	"os"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_counts_what_is_new has a space reported and taken down: the navigation counts the
// report for the operator, and the notification until the owner has seen it.
func TestConsole_counts_what_is_new(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	arguments := []string{w.BaseURL()}
	if pictures := os.Getenv("PORTICO_PICTURES"); pictures != "" {
		arguments = append(arguments, pictures)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "marks.mjs", Args: arguments})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
