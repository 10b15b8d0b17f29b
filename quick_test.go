package portico_test

import (
	"strings"
	"testing"
)

// make quick leaves tests out. What runs before a commit, and in CI, must not.
func TestShort_is_only_for_make_quick(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"Makefile", ".ci/run"} {
		for line := range strings.Lines(string(readPage(t, page))) {
			isComment := strings.HasPrefix(line, "#")
			if strings.Contains(line, " -short") && !isComment && !strings.Contains(line, "$(QUICK)") {
				t.Errorf("%s: got %q, want -short in make quick only", page, strings.TrimSpace(line))
			}
		}
	}
}
