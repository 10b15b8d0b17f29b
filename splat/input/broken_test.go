package input_test

import (
	"testing"

	"portico/splat/input"
)

func TestCheckBroken_allows_one_in_a_hundred(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		broken, count int64
		want          string
	}{
		{"a.ply", 0, 0, ""},
		{"a.ply", 0, 50, ""},
		{"a.ply", 20, 2000, ""},
		{"a.ply", 21, 2000, `"a.ply" is damaged: too many of its Gaussians have values that are not finite, or no size: 21 of 2000. Export it again and upload the new file.`},
		{"", 1, 99, "The capture has too many broken Gaussians: 1 of 99"},
	} {
		got := ""
		if err := input.CheckBroken(test.name, test.broken, test.count); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%d of %d: got %q, want %q", test.broken, test.count, got, test.want)
		}
	}
}
