package console_test

import (
	"os"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_in_a_browser follows the first person on a server: the first account, a
// folder that is zipped and unpacked, a space that is opened, made public and private and
// deleted. axe finds nothing on any view in either theme, and the browser's console is empty.
// With PORTICO_PICTURES=FOLDER it stores pictures of all views.
func TestConsole_in_a_browser(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0") // passkeys belong to a name
	w.StartWorker(t)
	arguments := []string{w.BaseURL(), t.TempDir()}
	if pictures := os.Getenv("PORTICO_PICTURES"); pictures != "" {
		arguments = append(arguments, pictures)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "scenario.mjs", Args: arguments, Env: []string{routes(t)}})
	if want := "axe has not looked at the route " + planted + "\ndone\n"; err != nil || out.Text() != want {
		t.Errorf("got %v and\n%swant only\n%s", err, out.Text(), want)
	}
}
