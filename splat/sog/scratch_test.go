package sog

import (
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// scatteredCloud returns n Gaussians in random places, in no order, of which one in a
// thousand is broken.
func scatteredCloud(n int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	c := &gaussian.Cloud{}
	c.Resize(n, 1)
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
		for i := range values {
			values[i] = r.Float32()
		}
	}
	for i := 0; i < n; i += 1000 {
		gaussian.LeaveOut(c.Positions[3*i:])
	}
	return c
}

// writeScattered writes two levels of random Gaussians in many chunks and returns the files.
func writeScattered(t *testing.T, o Options) map[string]string {
	t.Helper()
	source := gaussian.NewMemorySource(nil, scatteredCloud(2000), scatteredCloud(8000))
	path := t.TempDir()
	to, err := folder.OpenLocal(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newFolderWriter(source, to, o)
	w.rules = rules{chunkGaussians: 1000, chunkExtent: 16, chunkMinGaussians: 300, maxCoarsest: 100_000, minScratch: 5000}
	if err := w.stream(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join(path, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, filepath.Join(path, streamName)) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		relative, _ := filepath.Rel(path, name) // both are absolute
		files[relative] = string(data)
	}
	return files
}

func TestScratch_changes_no_file(t *testing.T) {
	t.Parallel()
	want := writeScattered(t, Options{Workers: 1})
	if len(want) < 50 {
		t.Fatalf("got %d files; the capture must have many chunks", len(want))
	}
	t.Run("the files are the same", func(t *testing.T) {
		t.Parallel()
		for _, workers := range []int{1, 3} {
			at := t.TempDir()
			got := writeScattered(t, Options{Workers: workers, Scratch: at})
			if !maps.Equal(got, want) {
				t.Errorf("with %d workers, the files with a scratch differ from those without", workers)
			}
			if left, err := os.ReadDir(at); err != nil || len(left) > 0 {
				t.Errorf("the folder holds %v, %v afterwards, want nothing", left, err)
			}
		}
	})
	t.Run("a folder that is not there costs only time", func(t *testing.T) {
		t.Parallel()
		if got := writeScattered(t, Options{Scratch: filepath.Join(t.TempDir(), "absent")}); !maps.Equal(got, want) {
			t.Error("the files differ")
		}
	})
}

// TestScratch_reads_a_source_in_its_order checks what the scratch is for: without one,
// the chunks' requests reach all over the source.
func TestScratch_reads_a_source_in_its_order(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scratch string
		inOrder bool
	}{{"", false}, {t.TempDir(), true}} {
		inOrder := atomic.Bool{}
		inOrder.Store(true)
		source := &orderSource{Source: gaussian.NewMemorySource(nil, scatteredCloud(8000)), inOrder: &inOrder}
		w := newFolderWriter(source, discardFolder{}, Options{Workers: 1, Scratch: test.scratch})
		w.rules = rules{chunkGaussians: 1000, chunkExtent: 16, chunkMinGaussians: 300, maxCoarsest: 100_000, minScratch: 5000}
		if err := w.stream(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := inOrder.Load(); got != test.inOrder {
			t.Errorf("scratch %q: read in order: %v, want %v", test.scratch, got, test.inOrder)
		}
	}
}

// orderSource notes whether each request continues the one before.
type orderSource struct {
	gaussian.Source
	next    uint32
	inOrder *atomic.Bool
}

// Read implements gaussian.Source.
func (s *orderSource) Read(ctx context.Context, level int, indices []uint32, c *gaussian.Cloud) error {
	for _, index := range indices {
		if index != s.next {
			s.inOrder.Store(false)
		}
		s.next = index + 1
	}
	return s.Source.Read(ctx, level, indices, c)
}

// TestScratch_on_a_full_disk writes to a file that takes no more data.
func TestScratch_on_a_full_disk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cloud := scatteredCloud(2000)
	indices, _ := validPositions(cloud.Positions)
	units := []*plannedChunk{{count: len(indices), parts: []*leafPart{{count: len(indices), indices: indices}}}}
	s := newScratch(full, 1, units)
	err = s.fill(t.Context(), sourceLevel{gaussian.NewMemorySource(nil, cloud), 0, rows(2000, units, 0)}, 2, func(int) {})
	if _, ok := err.(scratchError); !ok {
		t.Errorf("got %v, want a scratchError, after which the source is read directly", err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

func TestIsScattered_is_true_for_shuffled_indices_only(t *testing.T) {
	t.Parallel()
	const n, chunks, first = 10_000, 20, 500
	ordered := make([]uint32, n)
	for i := range ordered {
		ordered[i] = uint32(first + i)
	}
	shuffled := slices.Clone(ordered)
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for name, test := range map[string]struct {
		indices []uint32
		want    bool
	}{"ordered": {ordered, false}, "shuffled": {shuffled, true}} {
		var units []*plannedChunk
		for part := range slices.Chunk(test.indices, n/chunks) {
			units = append(units, &plannedChunk{parts: []*leafPart{{indices: part}}})
		}
		if got := isScattered(units, n, first); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// discardFolder is a folder.Writer that keeps nothing.
type discardFolder struct{ folder.Writer }

// Put implements folder.Writer.
func (discardFolder) Put(context.Context, string, int64, io.Reader) error { return nil }
