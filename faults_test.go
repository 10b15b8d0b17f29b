package portico_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The internal errors of requests are logged by model.LogFault only, so that one alert finds all.
func TestFaults_are_logged_by_one_function(t *testing.T) {
	t.Parallel()
	// A call may continue on the next lines.
	logged := regexp.MustCompile(`Error(Context)?\((.|,\n)*"error", (.|,\n)*"request_id"`)
	var places []string
	for _, p := range packages(t) {
		files, err := filepath.Glob(filepath.Join(".", strings.TrimPrefix(p.ImportPath, "portico"), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if logged.Match(text) && !strings.HasSuffix(file, "_test.go") {
				places = append(places, file)
			}
		}
	}
	if want := []string{"model/error.go"}; !slices.Equal(places, want) {
		t.Errorf("errors of requests are logged in %q, want %q only", places, want)
	}
}
