package console_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"portico/internal/testkit/browser"
	"portico/web/style"
)

// TestGallery_in_a_browser builds the gallery of the components. axe finds nothing on it, in both
// themes and languages, wide and narrow. With PORTICO_PICTURES=FOLDER it stores pictures.
func TestGallery_in_a_browser(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	folder := t.TempDir()
	built, err := exec.CommandContext(t.Context(), "./gallery.sh", folder).CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() == 3 && os.Getenv("CI") == "" {
		t.Skipf("the packages cannot be installed: %s", built)
	}
	if err != nil {
		t.Fatalf("build the gallery: %v\n%s", err, built)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(folder)))
	mux.Handle(style.FontPath, style.Font())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	arguments := []string{server.URL + "/gallery.html"}
	if pictures := os.Getenv("PORTICO_PICTURES"); pictures != "" {
		arguments = append(arguments, pictures)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "gallery.mjs", Args: arguments})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
