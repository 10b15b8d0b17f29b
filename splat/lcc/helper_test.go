package lcc_test

import (
	"context"
	"errors"
	"io"
	"math"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/lcc"
	"portico/splat/splattest"
)

// open opens a capture that is expected to be good.
func open(t testing.TB, files folder.Reader) *lcc.Capture {
	t.Helper()
	c, err := lcc.Open(t.Context(), files, splattest.LCCManifest)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() }) // read only
	return c
}

// readAll opens a capture and reads everything of it, in blocks.
func readAll(ctx context.Context, files folder.Reader, name string) (err error) {
	c, err := lcc.Open(ctx, files, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	cloud := &gaussian.Cloud{}
	if err := c.Environment(ctx, cloud); err != nil {
		return err
	}
	for level, count := range c.Levels() {
		if err := c.Positions(ctx, level, make([]float32, 3*count), nil); err != nil {
			return err
		}
		for _, n := range blocks(count) {
			if err := c.Read(ctx, level, n, cloud); err != nil {
				return err
			}
		}
	}
	return nil
}

// blocks cuts the numbers of a level into blocks.
func blocks(count int) [][]uint32 {
	var all [][]uint32
	for from := 0; from < count; from += 10_000 {
		all = append(all, numbers(from, min(from+10_000, count)))
	}
	return all
}

// numbers returns the numbers of a range in order.
func numbers(from, to int) []uint32 {
	n := make([]uint32, 0, to-from)
	for i := from; i < to; i++ {
		n = append(n, uint32(i))
	}
	return n
}

// wantSplat compares a Gaussian with the expected splat. The rotation from z up to
// y down is written out here, so that the test does not share it with the code.
func wantSplat(t *testing.T, c *gaussian.Cloud, i int, want splattest.LCCSplat) {
	t.Helper()
	p := want.Position
	if got, want := [3]float32(c.Positions[3*i:]), [3]float32{p[0], -p[2], p[1]}; got != want {
		t.Errorf("position of %d: got %v, want %v", i, got, want)
	}
	for k := range 3 {
		colour := (float64(c.Colours[3*i+k])*gaussian.C0 + 0.5) * 255
		if got := math.Round(colour); got != float64(want.Colour[k]) {
			t.Errorf("colour %d of %d: got %g, want %d", k, i, got, want.Colour[k])
		}
		if got := math.Exp(float64(c.Scales[3*i+k])); math.Abs(got-want.Scale[k]) > 1e-6*want.Scale[k]+1e-12 {
			t.Errorf("scale %d of %d: got %g, want %g", k, i, got, want.Scale[k])
		}
	}
	if got, want := c.Opacities[i], float32(want.Opacity)/255; got != want {
		t.Errorf("opacity of %d: got %g, want %g", i, got, want)
	}
	if angle := between([4]float32(c.Rotations[4*i:]), quarterTurn(want.Rotation)); angle > 0.25 {
		t.Errorf("rotation of %d: got %g degrees off, want at most 0.25", i, angle)
	}
	wantHarmonics(t, c, i, want)
}

// quarterTurn is a quaternion after another +90 degrees about x.
func quarterTurn(q [4]float64) [4]float64 {
	const s = math.Sqrt2 / 2
	return [4]float64{s * (q[0] + q[3]), s * (q[1] - q[2]), s * (q[2] + q[1]), s * (q[3] - q[0])}
}

// between returns the angle between two rotations, in degrees.
func between(a [4]float32, b [4]float64) float64 {
	dot := 0.0
	for k := range a {
		dot += float64(a[k]) * b[k]
	}
	return 2 * math.Acos(min(math.Abs(dot), 1)) * 180 / math.Pi
}

// wantHarmonics compares what is seen along some directions, each as the file
// means it and as it is after the turn.
func wantHarmonics(t *testing.T, c *gaussian.Cloud, i int, want splattest.LCCSplat) {
	t.Helper()
	if c.Degree == 0 {
		return
	}
	var before, after [15]float64
	for _, d := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.36, 0.48, 0.8}, {-0.8, 0.36, -0.48}} {
		gaussian.SetBasis(3, d[0], d[1], d[2], before[:])
		gaussian.SetBasis(3, d[0], -d[2], d[1], after[:])
		for channel := range 3 {
			got, wanted := 0.0, 0.0
			for k := range 15 {
				got += after[k] * float64(c.Harmonics[45*i+15*channel+k])
				wanted += before[k] * want.Harmonics[15*channel+k]
			}
			if math.Abs(got-wanted) > 1e-5 {
				t.Errorf("channel %d of %d along %v: got %g, want %g", channel, i, d, got, wanted)
			}
		}
	}
}

// watched is a folder whose files count their reads, and fail at one of them.
type watched struct {
	folder.Reader
	failAt, reads int
	short         bool
}

var errStorage = errors.New("connection reset")

// Open implements folder.Reader.
func (w *watched) Open(ctx context.Context, name string) (folder.File, error) {
	f, err := w.Reader.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w}, nil
}

type watchedFile struct {
	folder.File
	folder *watched
}

// ReadAt implements folder.File.
func (f watchedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.folder.reads++
	if f.folder.reads != f.folder.failAt {
		return f.File.ReadAt(p, offset)
	}
	if !f.folder.short {
		return 0, errStorage
	}
	n, _ := f.File.ReadAt(p[:len(p)/2], offset)
	return n, io.EOF
}
