package frontends_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pagesDir contains a page of documentation for each application.
const pagesDir = "../../../docs/frontends"

// A line that the application does not have is a line that nobody has tried.
func TestPages_show_lines_of_the_applications(t *testing.T) {
	t.Parallel()
	shared := readLines(t, filepath.Join(scriptsDir, "shared", "*.ts"), filepath.Join(scriptsDir, "relay.config.json"))
	for _, application := range applications {
		own := readLines(t, filepath.Join(scriptsDir, application, "*.ts*"))
		page, err := os.ReadFile(filepath.Join(pagesDir, application+".md"))
		check(t, err)
		shown := 0
		for line := range strings.Lines(string(page)) {
			code, isCode := strings.CutPrefix(line, "    ")
			if code = strings.TrimSpace(code); !isCode || code == "" {
				continue
			}
			shown++
			if !own[code] && !shared[code] {
				t.Errorf("%s.md: no source has the line %q", application, code)
			}
		}
		if shown < 10 {
			t.Errorf("%s.md: got %d lines of code, want at least 10", application, shown)
		}
	}
}

// readLines returns the lines of files, without the space around them.
func readLines(t *testing.T, patterns ...string) map[string]bool {
	t.Helper()
	lines := make(map[string]bool)
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		check(t, err)
		for _, name := range names {
			content, err := os.ReadFile(name)
			check(t, err)
			for line := range strings.Lines(string(content)) {
				lines[strings.TrimSpace(line)] = true
			}
		}
	}
	return lines
}
