package sog_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
	"portico/splat/sog"
)

// writeMerged writes a source with the rules for captures of over 1,000 Gaussians, and returns
// the result and the written files.
func writeMerged(t *testing.T, source gaussian.Source, workers int) (sog.Result, *recordingFolder) {
	t.Helper()
	written := newRecordingFolder()
	result, err := sog.WriteMerged(t.Context(), source, written, sog.Options{Workers: workers}, 1000, 500)
	if err != nil {
		t.Fatal(err)
	}
	return result, written
}

func TestWriteStreamed_makes_coarser_levels(t *testing.T) {
	t.Parallel()
	fine := capture(4000, 1, 1)
	result, written := writeMerged(t, gaussian.NewMemorySource(capture(100, 0, 2), fine), 2)
	reader := open(t, written.Memory, "lod-meta.json")
	if _, err := reader.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	levels := reader.Levels()
	if len(levels) != 4 || levels[0] != 4000 || result.Environment != 100 {
		t.Fatalf("got levels %d and an environment of %d, want 4 levels from 4000 and 100", levels, result.Environment)
	}
	compare(t, fine, readAll(t, reader, 0))
	for level, n := range levels {
		// Each of up to 64 leaves rounds up.
		if limit := 4000>>level + 64; n < 4000>>level || n > limit || result.Levels[level] != int64(n) {
			t.Errorf("level %d: got %d Gaussians and a result of %d, want about %d", level, n, result.Levels[level], 4000>>level)
		}
		// Merging keeps the centre of the capture, and the space between merged Gaussians.
		if got, want := meanOf(readAll(t, reader, level)), meanOf(fine); math.Abs(got-want) > 1 {
			t.Errorf("level %d: centre at x = %.2f, want %.2f", level, got, want)
		}
	}
}

// meanOf returns the mean of the coordinates along x, weighted by what is seen.
func meanOf(c *gaussian.Cloud) float64 {
	sum, weights := 0.0, 0.0
	for i := range c.Len() {
		weight := float64(c.Opacities[i]) * math.Exp(float64(c.Scales[3*i]+c.Scales[3*i+1]+c.Scales[3*i+2])*2/3)
		sum, weights = sum+weight*float64(c.Positions[3*i]), weights+weight
	}
	return sum / weights
}

func TestWriteStreamed_gives_every_leaf_all_levels(t *testing.T) {
	t.Parallel()
	_, written := writeMerged(t, gaussian.NewMemorySource(nil, capture(4000, 0, 1)), 2)
	var index streamTree
	if err := json.Unmarshal(written.Memory["lod-meta.json"], &index); err != nil {
		t.Fatal(err)
	}
	leaves := 0
	var visit func(*treeNode)
	visit = func(n *treeNode) {
		for i := range n.Children {
			visit(&n.Children[i])
		}
		if n.LODs == nil {
			return
		}
		leaves++
		want := n.LODs["0"].Count
		for _, level := range []string{"1", "2", "3"} {
			want = (want + 1) / 2
			if got := n.LODs[level]; got.Count != want || !strings.HasPrefix(index.Filenames[got.File], level+"_") {
				t.Errorf("leaf %d: level %s has %d Gaussians in %s, want %d", leaves, level, got.Count, index.Filenames[got.File], want)
			}
		}
	}
	visit(&index.Tree)
	if leaves < 4 {
		t.Errorf("got %d leaves, want several", leaves)
	}
}

func TestWriteStreamed_adds_to_the_coarsest_level(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		from []int
		want int // levels
	}{
		{"of a small capture nothing", []int{1000}, 1},
		{"of a capture with levels nothing", []int{4000, 1000}, 2},
		{"of a capture with large levels", []int{4000, 2000}, 4},
		{"of a capture with empty levels at the end", []int{2000, 0}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var levels []*gaussian.Cloud
			for i, n := range test.from {
				levels = append(levels, capture(n, 0, uint64(i)))
			}
			result, _ := writeMerged(t, gaussian.NewMemorySource(nil, levels...), 1)
			if got := len(result.Levels); got != test.want {
				t.Errorf("got levels %d, want %d of them", result.Levels, test.want)
			}
		})
	}
}

func TestWriteStreamed_merges_alike_on_any_number_of_workers(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(nil, capture(4000, 1, 1))
	_, one := writeMerged(t, source, 1)
	_, several := writeMerged(t, source, 3)
	if diff := cmp.Diff(one.Memory, several.Memory); diff != "" {
		t.Errorf("one and three workers wrote different files: %s", diff)
	}
}

func TestWriteStreamed_reports_merging(t *testing.T) {
	t.Parallel()
	var last, all int64
	seen := false
	o := sog.Options{Progress: func(done, total int64, message string) {
		if done < last || all != 0 && total != all {
			t.Errorf("progress: %d of %d after %d of %d", done, total, last, all)
		}
		last, all, seen = done, total, seen || message == "Merging neighbours for level 2"
	}}
	if _, err := sog.WriteMerged(t.Context(), gaussian.NewMemorySource(nil, capture(4000, 0, 1)), newRecordingFolder(), o, 1000, 500); err != nil {
		t.Fatal(err)
	}
	if !seen || float64(last) < 0.98*float64(all) {
		t.Errorf("progress: ended at %d of %d, merging reported: %t", last, all, seen)
	}
}

func TestWriteStreamed_stops_merging_with_the_context(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := sog.Options{Progress: func(_, _ int64, message string) {
		if strings.HasPrefix(message, "Merging") {
			cancel()
		}
	}}
	_, err := sog.WriteMerged(ctx, gaussian.NewMemorySource(nil, capture(4000, 0, 1)), newRecordingFolder(), o, 1000, 500)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
