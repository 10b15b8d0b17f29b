package web

import (
	"math"
	"runtime"
	"strings"
	"testing"
)

func TestWithoutEmptySegments_removes_nothing_else(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": "", "/": "", "/a": "/a", "//a///b/": "/a/b", "a": "/a", "/a/../b": "/a/../b"} {
		if got := WithoutEmptySegments(path); got != want {
			t.Errorf("WithoutEmptySegments(%q): got %q, want %q", path, got, want)
		}
	}
}

// Anyone may send a path of as many segments as the headers may have bytes. Appending each segment to
// a string copied the whole path for each, a gigabyte in all.
func TestWithoutEmptySegments_copies_a_long_path_once(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("/a", 30_000) + "//"
	least := uint64(math.MaxUint64) // of several, because other tests allocate at the same time
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		WithoutEmptySegments(path)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if want := uint64(10 << 20); least > want {
		t.Errorf("allocated: got %d bytes, want at most %d", least, want)
	}
}
