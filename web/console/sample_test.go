package console_test

import (
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_leads_into_the_sample clicks the sample of the empty console, once.
func TestConsole_leads_into_the_sample(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	out, err := scripts.Run(t.Context(), browser.Command{Script: "sample.mjs", Args: []string{w.BaseURL()}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
