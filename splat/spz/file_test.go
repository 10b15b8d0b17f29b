package spz_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/gzip"

	"portico/splat/gaussian"
	"portico/splat/spz"
)

// The files in testdata were written by the reference library (npm @adobe/spz 0.2.3),
// but for the positions of version 1, which it cannot write; the values beside them
// are what it reads from them when asked for the axes of PLY.
func TestRead_agrees_with_the_reference_library(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.spz")
	if err != nil || len(files) < 7 {
		t.Fatalf("testdata: got %q, %v, want seven files", files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, facts := reference(t, strings.TrimSuffix(path, "spz")+"json")
			f := open(t, content)
			facts.Version = int(filepath.Base(path)[1] - '0')
			if d := cmp.Diff(facts, f.Facts()); d != "" {
				t.Errorf("facts (-want +got): %s", d)
			}
			got := &gaussian.Cloud{}
			if err := f.Read(t.Context(), 0, all(want.Len()), got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 1e-6), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("Gaussians (-want +got): %s", d)
			}
		})
	}
}

// reference reads what the reference library has read.
func reference(t *testing.T, path string) (*gaussian.Cloud, spz.Facts) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Splats, Degree                                int
		Antialiased                                   bool
		Positions, Rotations, Scales, Colours, Logits []float32
		Harmonics                                     []float32 // the channels of a coefficient together
	}
	if err := json.Unmarshal(content, &values); err != nil {
		t.Fatal(err)
	}
	c := &gaussian.Cloud{
		Degree: values.Degree, Positions: values.Positions, Rotations: values.Rotations,
		Scales: values.Scales, Colours: values.Colours,
	}
	for _, v := range values.Logits {
		c.Opacities = append(c.Opacities, float32(1/(1+math.Exp(-float64(v)))))
	}
	n := gaussian.Coefficients(values.Degree)
	for i := range values.Splats {
		for channel := range 3 {
			for k := range n {
				c.Harmonics = append(c.Harmonics, values.Harmonics[3*(n*i+k)+channel])
			}
		}
	}
	return c, spz.Facts{Splats: int64(values.Splats), Degree: values.Degree, Antialiased: values.Antialiased}
}

// Every value comes back within half a step of what holds it.
func TestRead_round_trips(t *testing.T) {
	t.Parallel()
	for version := uint32(1); version <= 4; version++ {
		for degree := range gaussian.MaxDegree + 1 {
			t.Run(fmt.Sprintf("version %d, degree %d", version, degree), func(t *testing.T) {
				t.Parallel()
				want := randomCloud(300, degree)
				f := open(t, newDocument(version, want).bytes())
				if got := f.Levels(); !slices.Equal(got, []int{300}) || f.Degree() != degree {
					t.Errorf("levels and degree: got %v, %d, want [300], %d", got, f.Degree(), degree)
				}
				got := &gaussian.Cloud{}
				if err := f.Read(t.Context(), 0, all(300), got); err != nil {
					t.Fatal(err)
				}
				step := map[bool]float64{false: 0.5 / 4096, true: 100.0 / 1024}[version == 1]
				near(t, "positions", got.Positions, want.Positions, step)
				near(t, "scales", got.Scales, want.Scales, 0.5/16)
				near(t, "colours", got.Colours, want.Colours, 0.5/255/0.15)
				near(t, "opacities", got.Opacities, want.Opacities, 0.5/255)
				near(t, "harmonics", got.Harmonics, want.Harmonics, 0.5/128)
				nearRotations(t, got, want, map[bool]float64{false: 0.3, true: 3}[version < 3])
			})
		}
	}
}

// near compares values.
func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > tolerance*1.001 {
			t.Errorf("%s: value %d: got %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// nearRotations compares the rotations of quaternions, in degrees. Version 2
// is coarse where w is small.
func nearRotations(t *testing.T, got, want *gaussian.Cloud, tolerance float64) {
	t.Helper()
	for i := range want.Len() {
		var dot, length float64
		for k := range 4 {
			dot += float64(got.Rotations[4*i+k]) * float64(want.Rotations[4*i+k])
			length += float64(got.Rotations[4*i+k]) * float64(got.Rotations[4*i+k])
		}
		if math.Abs(length-1) > 1e-5 {
			t.Errorf("rotation %d: got a square length of %v, want 1", i, length)
		}
		if angle := 2 * math.Acos(min(1, math.Abs(dot))) * 180 / math.Pi; angle > tolerance && math.Abs(float64(want.Rotations[4*i+3])) > 0.2 {
			t.Errorf("rotation %d: got %v degrees from what it was, want at most %v", i, angle, tolerance)
		}
	}
}

func TestRead_takes_any_numbers_at_once(t *testing.T) {
	t.Parallel()
	want := randomCloud(100, 1)
	for _, version := range []uint32{3, 4} {
		f := open(t, newDocument(version, want).bytes())
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				c := &gaussian.Cloud{}
				if err := f.Read(t.Context(), 0, []uint32{99, 0, 99}, c); err != nil {
					t.Error(err)
					return
				}
				near(t, "positions", c.Positions, slices.Concat(want.Positions[297:], want.Positions[:3], want.Positions[297:]), 0.5/4096)
			})
		}
		readers.Wait()
		if err := f.Read(t.Context(), 0, []uint32{100}, &gaussian.Cloud{}); err == nil {
			t.Error("a number that there is not: got no error")
		}
		c := randomCloud(1, 1)
		if err := f.Environment(t.Context(), c); err != nil || c.Len() != 0 {
			t.Errorf("environment: got %d Gaussians, %v, want none", c.Len(), err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

func TestPositions_and_Bounds_reach_the_centres(t *testing.T) {
	t.Parallel()
	const n = 70_000 // more than one step of progress
	c := &gaussian.Cloud{}
	c.Resize(n, 0)
	for i := range n {
		c.Positions[3*i], c.Positions[3*i+1], c.Positions[3*i+2] = float32(i%1000)/8, 2, -float32(i%500)/16
		c.Rotations[4*i+3] = 1
	}
	f := open(t, newDocument(4, c).bytes())
	p := make([]float32, 3*n)
	var done []int
	if err := f.Positions(t.Context(), 0, p, func(d int) { done = append(done, d) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p, c.Positions) {
		t.Error("positions: got others than those of the file")
	}
	if want := []int{0, 65536, n}; !slices.Equal(done, want) {
		t.Errorf("progress: got %v, want %v", done, want)
	}
	// The file's own axes have y upwards and what is in front behind.
	want := &spz.Bounds{Min: [3]float64{0, -2, 0}, Max: [3]float64{999.0 / 8, -2, 499.0 / 16}}
	got, err := f.Bounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("bounds (-want +got): %s", d)
	}
}

// Versions before 4 are also read without their gzip compression.
func TestRead_takes_a_file_without_compression(t *testing.T) {
	t.Parallel()
	for version := uint32(1); version <= 3; version++ {
		packed := newDocument(version, randomCloud(50, 2)).bytes()
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		want, got := &gaussian.Cloud{}, &gaussian.Cloud{}
		if err := open(t, packed).Read(t.Context(), 0, all(50), want); err != nil {
			t.Fatal(err)
		}
		if err := open(t, raw).Read(t.Context(), 0, all(50), got); err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("version %d (-compressed +raw): %s", version, d)
		}
		wantInputError(t, open(t, raw[:len(raw)-1]).Read(t.Context(), 0, all(50), got), "it ends within its Gaussians")
	}
}

func TestRead_hides_what_has_no_position(t *testing.T) {
	t.Parallel()
	c := randomCloud(1001, 0)
	c.Positions[4] = float32(math.Inf(1))
	f := open(t, newDocument(1, c).bytes())
	got := &gaussian.Cloud{}
	if err := f.Read(t.Context(), 0, []uint32{1, 2}, got); err != nil {
		t.Fatal(err)
	}
	if got.Opacities[0] != 0 || got.Opacities[1] == 0 || !slices.Equal(got.Positions[:3], []float32{0, 0, 0}) {
		t.Errorf("got opacities %v and positions %v, want the first Gaussian invisible at the origin", got.Opacities, got.Positions)
	}
	p := make([]float32, 3003)
	if err := f.Positions(t.Context(), 0, p, nil); err != nil || !gaussian.IsLeftOut(p[3:]) || f.Broken() != 1 {
		t.Errorf("positions with one of 1001 broken: got %v, %v, want it left out", p[3:6], err)
	}
	if b, err := f.Bounds(t.Context()); err != nil || b.Max[1] > 101 {
		t.Errorf("bounds: got %v, %v, want those of the others", b, err)
	}
	c = randomCloud(99, 0)
	c.Positions[4] = float32(math.NaN())
	f = open(t, newDocument(1, c).bytes())
	wantInputError(t, f.Positions(t.Context(), 0, p, nil), "1 of its 99 Gaussians have values that are not finite")
	_, err := f.Bounds(t.Context())
	wantInputError(t, err, "1 of its 99 Gaussians have values that are not finite")
}

func TestRead_takes_the_finest_of_a_tree(t *testing.T) {
	t.Parallel()
	c := randomCloud(5, 1)
	c.Opacities = []float32{1, 0.25, 0.5, 0.125, 1}
	d := newDocument(2, c)
	d.flags = 0x80
	for _, children := range []uint16{2, 0, 1, 0, 0} {
		d.tree = binary.LittleEndian.AppendUint16(d.tree, children)
	}
	d.tree = append(d.tree, make([]byte, 4*5)...)
	f := open(t, d.bytes())
	if d := cmp.Diff(spz.Facts{Version: 2, Splats: 3, Degree: 1, Tree: true}, f.Facts()); d != "" {
		t.Errorf("facts (-want +got): %s", d)
	}
	got, all := &gaussian.Cloud{}, &gaussian.Cloud{}
	if err := f.Read(t.Context(), 0, []uint32{0, 1, 2}, got); err != nil {
		t.Fatal(err)
	}
	d.flags, d.tree = 0, nil
	if err := open(t, d.bytes()).Read(t.Context(), 0, []uint32{1, 3, 4}, all); err != nil {
		t.Fatal(err)
	}
	all.Opacities = []float32{128.0 / 255, 64.0 / 255, 1}
	if d := cmp.Diff(all, got, cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Errorf("Gaussians (-want +got): %s", d)
	}
}

func BenchmarkUnpack(b *testing.B) {
	c := randomCloud(50_000, 3)
	for i := range c.Harmonics {
		c.Harmonics[i] /= 16 // real ones are small, which is what compresses
	}
	for _, version := range []uint32{2, 3, 4} {
		content := newDocument(version, c).bytes()
		b.Run(fmt.Sprintf("version %d", version), func(b *testing.B) {
			b.SetBytes(50_000 * 65)
			for b.Loop() {
				f := open(b, content)
				if err := f.Read(b.Context(), 0, []uint32{0}, &gaussian.Cloud{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, degree := range []int{0, 3} {
		f := open(b, newDocument(3, randomCloud(50_000, degree)).bytes())
		numbers, c := all(50_000), &gaussian.Cloud{}
		b.Run(fmt.Sprintf("degree %d", degree), func(b *testing.B) {
			b.SetBytes(int64(50_000 * (20 + 3*gaussian.Coefficients(degree))))
			for b.Loop() {
				if err := f.Read(b.Context(), 0, numbers, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
