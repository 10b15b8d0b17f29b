package transfer

import (
	"strings"
	"testing"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantContains fails unless the text has all parts.
func wantContains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got %s, want %q in it", what, text, part)
		}
	}
}
