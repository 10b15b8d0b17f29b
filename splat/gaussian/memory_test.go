package gaussian_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
)

// cloud returns n Gaussians whose values are all distinct, starting at from.
func cloud(n, degree int, from float32) *gaussian.Cloud {
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
		for i := range values {
			values[i] = from
			from++
		}
	}
	return c
}

func TestMemory_is_a_source(t *testing.T) {
	t.Parallel()
	fine, coarse, around := cloud(5, 1, 0), cloud(2, 1, 1000), cloud(1, 0, 2000)
	var source gaussian.Source = gaussian.NewMemorySource(around, fine, coarse)
	if diff := cmp.Diff([]int{5, 2}, source.Levels()); diff != "" {
		t.Errorf("levels: %s", diff)
	}
	if got := source.Degree(); got != 1 {
		t.Errorf("degree: got %d, want 1", got)
	}

	reported := 0
	positions := make([]float32, 15)
	if err := source.Positions(t.Context(), 0, positions, func(done int) { reported = done }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fine.Positions, positions); diff != "" || reported != 5 {
		t.Errorf("positions: reported %d of 5, %s", reported, diff)
	}

	var got gaussian.Cloud
	if err := source.Read(t.Context(), 0, []uint32{3, 1}, &got); err != nil {
		t.Fatal(err)
	}
	want := gaussian.Cloud{
		Degree:    1,
		Positions: append(fine.Positions[9:12:12], fine.Positions[3:6]...),
		Rotations: append(fine.Rotations[12:16:16], fine.Rotations[4:8]...),
		Scales:    append(fine.Scales[9:12:12], fine.Scales[3:6]...),
		Colours:   append(fine.Colours[9:12:12], fine.Colours[3:6]...),
		Opacities: []float32{fine.Opacities[3], fine.Opacities[1]},
		Harmonics: append(fine.Harmonics[27:36:36], fine.Harmonics[9:18]...),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read: %s", diff)
	}
	if err := source.Environment(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(around.Positions, got.Positions); diff != "" || got.Degree != 0 {
		t.Errorf("environment: degree %d, %s", got.Degree, diff)
	}
	if err := source.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestMemory_fills_missing_degrees_with_zeros(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(nil, cloud(1, 2, 1), cloud(1, 1, 1))
	var got gaussian.Cloud
	if err := source.Read(t.Context(), 1, []uint32{0}, &got); err != nil {
		t.Fatal(err)
	}
	// The coarse Gaussian's harmonics start after 14 other values.
	want := []float32{15, 16, 17, 0, 0, 0, 0, 0, 18, 19, 20, 0, 0, 0, 0, 0, 21, 22, 23, 0, 0, 0, 0, 0}
	if diff := cmp.Diff(want, got.Harmonics); diff != "" {
		t.Errorf("harmonics: %s", diff)
	}
	if err := source.Environment(t.Context(), &got); err != nil || got.Len() != 0 {
		t.Errorf("environment: got %d Gaussians, %v, want none", got.Len(), err)
	}
}

func TestMemory_refuses(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(nil, cloud(2, 0, 0))
	var c gaussian.Cloud
	if err := source.Read(t.Context(), 0, []uint32{2}, &c); err == nil {
		t.Error("an index out of range: got no error")
	}
	if err := source.Positions(t.Context(), 0, make([]float32, 3), nil); err == nil {
		t.Error("too little room: got no error")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := source.Read(canceled, 0, []uint32{0}, &c); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled read: got %v, want %v", err, context.Canceled)
	}
}
