// Package unit_test tests single modules of the pages in Node, without a browser: the order of
// events that a test of a whole page cannot force.
package unit_test

import (
	"os"
	"path/filepath"
	"testing"

	"portico/internal/testkit/browser"
)

func TestModules(t *testing.T) {
	t.Parallel()
	scripts := browser.NewWithout(t, browser.Options{Name: "unit", Scripts: "node", Packages: "../space"})
	for _, folder := range []string{"space/src", "console/src", "upload"} {
		if err := os.CopyFS(filepath.Join(scripts.Dir, folder), os.DirFS(filepath.Join("..", folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range []string{"follow.mjs", "lock.mjs", "restart.mjs", "saver.mjs", "silence.mjs", "upload.mjs", "uploadstore.mjs", "world.mjs", "zip.mjs"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			if out, err := scripts.Run(t.Context(), browser.Command{Script: script}); err != nil {
				t.Errorf("got %v, want every test to pass\n%s", err, out.Text())
			}
		})
	}
}
