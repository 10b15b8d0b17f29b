package door

import (
	"path"
	"strings"
	"testing"
)

// The key of any address is a plain path, and the address is the only one of that key.
func FuzzUnescapeKey(f *testing.F) {
	for _, seed := range []string{"1/a.ply", "1/%2e%2e/a", "1%2Fa", "//", "1/a%20b", "1/%", "%5c", "1/a+b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, escaped string) {
		key, ok := unescapeKey(escaped)
		if !ok {
			return
		}
		if path.Clean(key) != key || path.IsAbs(key) || strings.HasPrefix(key, "../") || strings.Contains(key, `\`) {
			t.Errorf("unescapeKey(%q) = %q, want a plain path", escaped, key)
		}
		if again, ok := unescapeKey(escapeKey(key)); again != key || !ok {
			t.Errorf("unescapeKey(escapeKey(%q)) = %q, %v", key, again, ok)
		}
	})
}
