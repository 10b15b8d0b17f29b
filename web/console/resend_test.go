package console_test

import (
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_sends_a_file_again loses the connection of an upload: the storage that the first try
// reserved is free for the second one. An upload that is removed by two clicks is removed alone.
func TestConsole_sends_a_file_again(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	out, err := scripts.Run(t.Context(), browser.Command{Script: "resend.mjs", Args: []string{w.BaseURL()}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
