// Package race reports whether a test was built with the race detector. Tests build the
// program in the same way, and skip what takes too long with it.
package race

import "testing"

// SkipConversions skips a test that mostly waits for conversions in processes of their own,
// which the race detector makes many times slower. Conversions run under it in the tests of
// splat and worker, and the skipped tests run without it.
func SkipConversions(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("conversions take too long with the race detector")
	}
}
