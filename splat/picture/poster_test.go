package picture_test

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"math"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/lcc"
	"portico/splat/picture"
	"portico/splat/splattest"
)

// countingSource is a source that has only counts, and records the indices that are read.
type countingSource struct {
	gaussian.Source
	counts  []int
	level   int
	indices []uint32
	err     error
}

// Levels implements gaussian.Source.
func (c *countingSource) Levels() []int { return c.counts }

// Read implements gaussian.Source.
func (c *countingSource) Read(_ context.Context, level int, indices []uint32, cloud *gaussian.Cloud) error {
	c.level, c.indices = level, indices
	cloud.Resize(len(indices), 0)
	clear(cloud.Scales)
	return c.err
}

func TestSelect(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		counts        []int
		level, number int
		larger        float64 // how much a scale grows
	}{
		"one small level":              {[]int{1000}, 0, 1000, 1},
		"the coarsest with enough":     {[]int{900_000, 200_000, 60_000, 20_000}, 2, 60_000, 1},
		"the finest if none has":       {[]int{40_000, 20_000}, 0, 40_000, 1},
		"no more than can be shown":    {[]int{2_700_000}, 0, 300_000, 3},
		"levels that jump":             {[]int{1_200_000, 10}, 0, 300_000, 2},
		"a capture without Gaussians":  {[]int{0}, 0, 0, 1},
		"a capture without any levels": {nil, 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := &countingSource{counts: test.counts}
			c, err := picture.Select(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			if c.Len() != test.number || source.level != test.level {
				t.Fatalf("got %d of level %d, want %d of level %d", c.Len(), source.level, test.number, test.level)
			}
			for i := 1; i < len(source.indices); i++ {
				if step := source.indices[i] - source.indices[i-1]; step < 1 || step > 10 {
					t.Fatalf("number %d: got %d after %d, want them spread evenly", i, source.indices[i], source.indices[i-1])
				}
			}
			for _, scale := range c.Scales {
				if got := math.Exp(float64(scale)); math.Abs(got-test.larger) > 1e-3 {
					t.Fatalf("scale: got %g times, want %g", got, test.larger)
				}
			}
		})
	}
}

func TestPoster_returns_errors_of_the_source(t *testing.T) {
	t.Parallel()
	want := input.Errorf("data.bin", "is damaged")
	_, err := picture.Select(t.Context(), &countingSource{counts: []int{5}, err: want})
	if got, ok := errors.AsType[*input.Error](err); !ok || got != want {
		t.Errorf("got %v, want it to wrap %v", err, want)
	}
}

func TestPoster_shows_a_capture(t *testing.T) {
	t.Parallel()
	files := splattest.LCCCapture{Splats: 20_000, Columns: 2, Rows: 2, Harmonics: true}.Memory()
	capture, err := lcc.Open(t.Context(), folder.Memory(files), splattest.LCCManifest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = capture.Close() }) // read only
	cloud, err := picture.Select(t.Context(), capture)
	if err != nil {
		t.Fatal(err)
	}
	poster, err := picture.Render(t.Context(), cloud, picture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The ground is coloured, the background is grey.
	coloured := 0
	for y := range picture.DefaultHeight {
		for x := range picture.DefaultWidth {
			r, _, b, _ := poster.At(x, y).RGBA()
			if math.Abs(float64(r)-float64(b)) > 0x2000 {
				coloured++
			}
		}
	}
	if share := float64(coloured) / (picture.DefaultWidth * picture.DefaultHeight); share < 0.2 || share > 0.9 {
		t.Errorf("coloured: got %.2f of the picture, want a good part of it", share)
	}
	var b bytes.Buffer
	if err := picture.EncodeJPEG(&b, poster); err != nil {
		t.Fatal(err)
	}
	decoded, err := jpeg.Decode(&b)
	if err != nil || decoded.Bounds() != poster.Bounds() {
		t.Errorf("JPEG: got %v, %v, want a picture of %v", decoded, err, poster.Bounds())
	}
}
