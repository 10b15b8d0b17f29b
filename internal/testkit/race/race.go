// Package race reports whether a test was built with the race detector. Tests then build the
// program with it too, and skip what takes too long.
package race

import "testing"

// SkipConversions skips a test under the race detector if it mostly waits for conversions in child
// processes, which are then many times slower. The tests of splat and worker run conversions under
// the race detector.
func SkipConversions(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("conversions take too long with the race detector")
	}
}

// SkipCovered skips a test of results under the race detector, which makes it many times slower and
// sees the same goroutines in another test of the package, with the name covering.
func SkipCovered(t testing.TB, covering string) {
	t.Helper()
	if Enabled {
		t.Skipf("the race detector sees the same goroutines in %s", covering)
	}
}
