package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// madePicture matches the name of a picture in the scripts that `make pictures` runs.
var madePicture = regexp.MustCompile(`store\([\w.]+, '(\w+)'\)|(?:const documented = \{|,) ?\w+: "(\w+)"`)

// Each picture of the documents is there, is made by `make pictures`, and is shown somewhere.
func TestPictures_are_those_of_make_pictures(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, script := range []string{"../internal/conformance/space/node/pictures.mjs", "../web/console/browser/scenario.mjs"} {
		for line := range strings.Lines(read(t, script)) {
			if !strings.Contains(line, "store(") && !strings.Contains(line, "const documented") {
				continue
			}
			for _, match := range madePicture.FindAllStringSubmatch(line, -1) {
				made[match[1]+match[2]] = true
			}
		}
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, page := range append(pages, "../README.md") {
		for _, match := range regexp.MustCompile(`pictures/(\w+)\.webp`).FindAllStringSubmatch(read(t, page), -1) {
			shown[match[1]] = true
			if !made[match[1]] {
				t.Errorf("%s shows %s.webp, which make pictures does not make", page, match[1])
			}
			if _, err := os.Stat("pictures/" + match[1] + ".webp"); err != nil {
				t.Errorf("%s shows a picture that is missing: %v", page, err)
			}
		}
	}
	if len(shown) < 7 {
		t.Errorf("pictures: got %d, want those of the tour", len(shown))
	}
	for name := range made {
		if !shown[name] {
			t.Errorf("make pictures makes %s.webp, which no page shows", name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
