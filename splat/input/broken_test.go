package input_test

import (
	"testing"

	"portico/splat/input"
)

func TestBroken_allows_one_in_a_hundred_and_more_rows_of_zeros(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		broken input.Broken
		count  int64
		want   string
	}{
		{"a.ply", input.Broken{}, 0, ""},
		{"a.ply", input.Broken{Invalid: 1}, 100, ""},
		{"a.ply", input.Broken{Invalid: 1}, 99, `"a.ply" is damaged: too many of its Gaussians have values that are not finite: 1 of 99. Export it again and upload the new file.`},
		{"", input.Broken{Invalid: 1}, 99, "The capture has too many broken Gaussians: 1 of 99"},
		{"a.ply", input.Broken{Empty: 90}, 100, ""},
		{"a.ply", input.Broken{Invalid: 1, Empty: 89}, 100, ""},
		{"a.ply", input.Broken{Empty: 91}, 100, `"a.ply" is damaged: too many of its Gaussians have no size or no direction: 91 of 100. Export it again and upload the new file.`},
		{"a.ply", input.Broken{Invalid: 2, Empty: 1}, 100, `"a.ply" is damaged: too many of its Gaussians have values that are not finite: 2 of 100. Export it again and upload the new file.`},
	} {
		got := ""
		if err := test.broken.Check(test.name, test.count); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v of %d: got %q, want %q", test.broken, test.count, got, test.want)
		}
	}
}
