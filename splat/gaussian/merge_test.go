package gaussian_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
)

func TestMerge_has_all_sources_one_after_the_other(t *testing.T) {
	t.Parallel()
	first, second := cloud(3, 0, 0), cloud(2, 1, 1000)
	m := gaussian.Merge(gaussian.NewMemorySource(cloud(1, 0, 5000), first, cloud(1, 0, 2000)), gaussian.NewMemorySource(cloud(2, 1, 6000), second, cloud(1, 1, 3000)))
	if diff := cmp.Diff([]int{5, 2}, m.Levels()); diff != "" || m.Degree() != 1 {
		t.Errorf("got degree %d and levels (-want +got):\n%s", m.Degree(), diff)
	}
	p, last := make([]float32, 15), 0
	if err := m.Positions(t.Context(), 0, p, func(done int) { last = max(last, done) }); err != nil {
		t.Fatal(err)
	}
	if want := slices.Concat(first.Positions, second.Positions); !slices.Equal(p, want) || last != 5 {
		t.Errorf("positions: got %v, %d done, want %v", p, last, want)
	}
	var got gaussian.Cloud
	if err := m.Read(t.Context(), 0, []uint32{4, 0, 3, 2}, &got); err != nil {
		t.Fatal(err)
	}
	var want gaussian.Cloud
	want.Resize(4, 1)
	want.Set(0, second, 1)
	want.Set(1, first, 0)
	want.Set(2, second, 0)
	want.Set(3, first, 2)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	var around gaussian.Cloud
	if err := m.Environment(t.Context(), &around); err != nil || around.Len() != 3 || around.Degree != 1 || around.Positions[0] != 5000 || around.Positions[3] != 6000 {
		t.Errorf("environment: got %v, %v, want all three", around, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestMerge_has_the_finest_level_of_different_captures(t *testing.T) {
	t.Parallel()
	one := gaussian.NewMemorySource(nil, cloud(3, 0, 0))
	m := gaussian.Merge(one, gaussian.NewMemorySource(nil, cloud(4, 0, 0), cloud(2, 0, 0)))
	if diff := cmp.Diff([]int{7}, m.Levels()); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if got := gaussian.Merge(one); got != gaussian.Source(one) {
		t.Errorf("one source: got %v, want it as it is", got)
	}
}

func TestMerge_refuses(t *testing.T) {
	t.Parallel()
	m := gaussian.Merge(gaussian.NewMemorySource(nil, cloud(3, 0, 0)), gaussian.NewMemorySource(nil, cloud(2, 0, 0)))
	var c gaussian.Cloud
	if err := m.Read(t.Context(), 0, []uint32{0, 5}, &c); err == nil {
		t.Error("an index of no source: got no error")
	}
	if err := m.Positions(t.Context(), 0, make([]float32, 3), nil); err == nil {
		t.Error("too little room: got no error")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Read(ended, 0, []uint32{0}, &c); err == nil {
		t.Error("an ended context: got no error")
	}
}
