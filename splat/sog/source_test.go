package sog_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/sog"
)

// streamedReader returns a reader of a capture with several chunks at each level.
func streamedReader(t *testing.T, degree int) *sog.Reader {
	t.Helper()
	written := newRecordingFolder()
	source := gaussian.NewMemorySource(nil, capture(3000, degree, 1), capture(1500, degree, 2))
	if _, err := sog.WriteDivided(t.Context(), source, written, sog.Options{}, 700, 200); err != nil {
		t.Fatal(err)
	}
	return open(t, written.Memory, "lod-meta.json")
}

func TestReader_returns_the_same_Gaussians_in_any_order(t *testing.T) {
	t.Parallel()
	reader := streamedReader(t, 0)
	whole := readAll(t, reader, 0)
	positions := make([]float32, 3*whole.Len())
	reported := 0
	if err := reader.Positions(t.Context(), 0, positions, func(done int) {
		if done < reported {
			t.Errorf("progress: got %d after %d", done, reported)
		}
		reported = done
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(positions, whole.Positions) || reported != whole.Len() {
		t.Errorf("positions: differ from Read, or reported %d of %d", reported, whole.Len())
	}
	r := rand.New(rand.NewPCG(1, 1))
	indices := make([]uint32, 500)
	for i := range indices {
		indices[i] = uint32(r.IntN(whole.Len()))
	}
	var c gaussian.Cloud
	if err := reader.Read(t.Context(), 0, indices, &c); err != nil {
		t.Fatal(err)
	}
	for i, k := range indices {
		if originalIndex(&c, i) != originalIndex(whole, int(k)) || c.Positions[3*i] != whole.Positions[3*k] {
			t.Errorf("Gaussian %d: differs from reading all", k)
		}
	}
}

func TestReader_serves_several_goroutines(t *testing.T) {
	t.Parallel()
	reader := streamedReader(t, 0)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			var c gaussian.Cloud
			if err := reader.Read(t.Context(), i%2, []uint32{0, 1499, 700}, &c); err != nil || c.Len() != 3 {
				t.Errorf("read: got %d Gaussians, %v", c.Len(), err)
			}
			if err := reader.Positions(t.Context(), 1, make([]float32, 4500), nil); err != nil {
				t.Errorf("positions: %v", err)
			}
		})
	}
	wait.Wait()
}

func TestReader_refuses_indices_out_of_range(t *testing.T) {
	t.Parallel()
	reader := streamedReader(t, 0)
	if err := reader.Read(t.Context(), 1, []uint32{0, 1500}, &gaussian.Cloud{}); err == nil {
		t.Error("read: got no error")
	}
	if err := reader.Positions(t.Context(), 1, make([]float32, 3), nil); err == nil {
		t.Error("positions: got no error")
	}
}

func TestReader_stops_when_canceled(t *testing.T) {
	t.Parallel()
	reader := streamedReader(t, 0)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, checked := reader.Check(canceled)
	for name, err := range map[string]error{
		"positions": reader.Positions(canceled, 0, make([]float32, 9000), nil),
		"read":      reader.Read(canceled, 0, []uint32{0}, &gaussian.Cloud{}),
		"check":     checked,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
	}
	// A failed read is not cached.
	if err := reader.Read(t.Context(), 0, []uint32{0}, &gaussian.Cloud{}); err != nil {
		t.Errorf("read after that: %v", err)
	}
}

func TestReader_fills_missing_harmonics_with_zeros(t *testing.T) {
	t.Parallel()
	rich, poor := newRecordingFolder(), newRecordingFolder()
	if _, err := sog.WriteFolder(t.Context(), gaussian.NewMemorySource(nil, capture(10, 2, 1)), rich, sog.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := sog.WriteFolder(t.Context(), gaussian.NewMemorySource(nil, capture(10, 1, 1)), poor, sog.Options{}); err != nil {
		t.Fatal(err)
	}
	folder := newRecordingFolder().Memory
	for name, content := range rich.Memory {
		folder["a/"+name], folder["b/"+name] = content, poor.Memory[name]
	}
	folder["lod-meta.json"] = []byte(`{"lodLevels":1,"filenames":["a/meta.json","b/meta.json"],"tree":{"children":[
		{"lods":{"0":{"file":0,"offset":0,"count":10}}},{"lods":{"0":{"file":1,"offset":0,"count":10}}}]}}`)
	c := readAll(t, open(t, folder, "lod-meta.json"), 0)
	if c.Degree != 2 {
		t.Fatalf("degree: got %d, want 2", c.Degree)
	}
	for i := 10; i < 20; i++ {
		for m, v := range harmonicsOf(c, i) {
			if (m%8 >= 3) != (v == 0) {
				t.Errorf("coefficient %d of Gaussian %d: got %g", m, i, v)
			}
		}
	}
}
