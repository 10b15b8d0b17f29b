package edit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portico/splat/edit"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// FuzzParse parses any options and applies the steps. Gaussians must stay what a cloud promises.
func FuzzParse(f *testing.F) {
	for _, steps := range []string{
		"translate 1,2,3\nrotate 10,20,30\nscale 1e-6", "filter-box -1,-1,-1,1,1,1\nfilter-nan ", "filter-sphere 0,1,0,2",
		"filter-value opacity,gt,0.1\nfilter-harmonics 1", "filter-floaters 0.5,0.1,0.004", "filter-floaters 0.5,", "decimate 3\ndecimate 50%",
		"scale 1e300\ntranslate 1e300,-1e300,0", "decimate 1e9%\nscale -1",
	} {
		f.Add(steps)
	}
	f.Fuzz(func(t *testing.T, text string) {
		source := line(5)
		for step := range strings.SplitSeq(text, "\n") {
			name, value, _ := strings.Cut(step, " ")
			if name == "filter-floaters" && !strings.HasPrefix(value, "0.5,") {
				continue // finer voxels take minutes for Gaussians of a metre
			}
			apply, err := edit.Parse(name, value)
			if err != nil {
				continue
			}
			next, err := apply(t.Context(), source)
			if err != nil {
				if _, ok := errors.AsType[*input.Error](err); !ok {
					t.Fatalf("%q: got %v, want an error about the capture", step, err)
				}
				return
			}
			source = next
		}
		checkCloud(t, text, source)
	})
}

// checkCloud reads all Gaussians. Positions may be left out.
func checkCloud(t *testing.T, steps string, source gaussian.Source) {
	t.Helper()
	all, err := gaussian.Select(t.Context(), source, 0, gaussian.FileOrder, nil)
	if err != nil {
		t.Fatalf("%q: %v", steps, err)
	}
	if all.Len() > 5 {
		t.Errorf("%q: got %d Gaussians of 5", steps, all.Len())
	}
	err = all.Each(context.WithoutCancel(t.Context()), func(_ int, c *gaussian.Cloud) error {
		for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
			for _, v := range values {
				if v-v != 0 {
					t.Fatalf("%q: got %v, want finite values", steps, c)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%q: %v", steps, err)
	}
}
