package console_test

import (
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_by_keyboard_alone reaches and operates what is on each view with Tab, Enter and
// arrows: each element shows that it has the focus, and the focus is never lost, neither after an
// action that removes the element nor after a dialog or a change of the view.
func TestConsole_by_keyboard_alone(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	w.StartWorker(t)
	out, err := scripts.Run(t.Context(), browser.Command{Script: "keyboard.mjs", Args: []string{w.BaseURL()}, Env: []string{routes(t)}})
	if want := "the keyboard has not walked through the route " + planted + "\ndone\n"; err != nil || out.Text() != want {
		t.Errorf("got %v and\n%swant only\n%s", err, out.Text(), want)
	}
}
