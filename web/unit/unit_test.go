// Package unit_test tests single modules of the pages in Node, without a browser: the order of
// events that a test of a whole page cannot force.
package unit_test

import (
	"os"
	"path/filepath"
	"testing"

	"portico/internal/testkit/browser"
)

func TestModules_pass_their_tests_in_Node(t *testing.T) {
	t.Parallel()
	runScripts(t, browser.Options{Name: "unit", Scripts: "node", Packages: "../space"},
		"canceledupload.mjs", "follow.mjs", "lock.mjs", "restart.mjs", "saver.mjs", "silence.mjs", "stall.mjs", "upload.mjs", "uploadstore.mjs", "world.mjs", "zip.mjs")
}

// TestModules_of_the_console tests modules that need the console's packages.
func TestModules_of_the_console(t *testing.T) {
	t.Parallel()
	runScripts(t, browser.Options{Name: "unit-console", Scripts: "node", Packages: "../console"},
		"action.mjs", "eventtext.mjs", "failure.mjs", "german.mjs", "jobtext.mjs", "querytimeout.mjs", "recovery.mjs", "refetch.mjs", "refusal.mjs", "retrywait.mjs")
}

// runScripts runs scripts beside the sources of the pages.
func runScripts(t *testing.T, options browser.Options, names ...string) {
	t.Helper()
	scripts := browser.NewWithout(t, options)
	for _, folder := range []string{"space/src", "console/src", "upload"} {
		if err := os.CopyFS(filepath.Join(scripts.Folder, folder), os.DirFS(filepath.Join("..", folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range names {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			if out, err := scripts.Run(t.Context(), browser.Command{Script: script}); err != nil {
				t.Errorf("got %v, want every test to pass\n%s", err, out.Text())
			}
		})
	}
}
