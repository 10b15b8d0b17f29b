package sog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/sog"
)

func TestWriteStreamed_keeps_levels_and_environment(t *testing.T) {
	t.Parallel()
	fine, coarse, around := capture(2200, 1, 1), capture(900, 1, 2), capture(700, 0, 3)
	written := newMemory()
	source := gaussian.NewMemory(around, fine, coarse)
	result, err := sog.WriteDivided(t.Context(), source, written, sog.Options{}, 1000, 300)
	if err != nil {
		t.Fatal(err)
	}
	reader := open(t, written.Memory, "lod-meta.json")
	if err := reader.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	if diff := cmp.Diff([]int{2200, 900}, reader.Levels()); diff != "" {
		t.Errorf("levels: %s", diff)
	}
	if got := reader.EnvironmentCount(); got != 700 || !reader.Streamed() || reader.Version() != 1 {
		t.Errorf("facts: environment of %d, streamed %t, version %d", got, reader.Streamed(), reader.Version())
	}
	compare(t, fine, all(t, reader, 0))
	compare(t, coarse, all(t, reader, 1))
	var c gaussian.Cloud
	if err := reader.Environment(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	compare(t, around, &c)

	wrote := sog.Result{Levels: []int64{2200, 900}, Environment: 700, Degree: 1, Files: len(written.Memory)}
	for _, data := range written.Memory {
		wrote.Bytes += int64(len(data))
	}
	for i := 0; i < len(fine.Positions); i++ {
		v := float64(fine.Positions[i])
		wrote.Low[i%3], wrote.High[i%3] = min(wrote.Low[i%3], v), max(wrote.High[i%3], v)
	}
	for i := 0; i < len(coarse.Positions); i++ {
		v := float64(coarse.Positions[i])
		wrote.Low[i%3], wrote.High[i%3] = min(wrote.Low[i%3], v), max(wrote.High[i%3], v)
	}
	if diff := cmp.Diff(wrote, result); diff != "" {
		t.Errorf("result: %s", diff)
	}
}

// treeNode is a node of a lod-meta.json, as a viewer sees it.
type treeNode struct {
	Bound struct {
		Min, Max [3]float64
	}
	Children []treeNode
	LODs     map[string]struct{ File, Offset, Count int }
}

// contains tells whether a box lies in that of the node.
func (n *treeNode) contains(low, high [3]float64) bool {
	for axis := range 3 {
		if low[axis] < n.Bound.Min[axis] || high[axis] > n.Bound.Max[axis] {
			return false
		}
	}
	return true
}

func TestWriteStreamed_index_covers_every_Gaussian_once(t *testing.T) {
	t.Parallel()
	levels := []*gaussian.Cloud{capture(2500, 0, 1), capture(1200, 0, 2), capture(1, 0, 3)}
	written := newMemory()
	if _, err := sog.WriteDivided(t.Context(), gaussian.NewMemory(nil, levels...), written, sog.Options{}, 500, 100); err != nil {
		t.Fatal(err)
	}
	if last := written.names[len(written.names)-1]; last != "lod-meta.json" {
		t.Errorf("last file: got %s, want lod-meta.json", last)
	}
	var index struct {
		Version, Count, LODLevels int
		Counts                    []int
		Filenames                 []string
		Tree                      treeNode
	}
	if err := json.Unmarshal(written.Memory["lod-meta.json"], &index); err != nil {
		t.Fatal(err)
	}
	if index.Version != 1 || index.Count != 3701 || index.LODLevels != 3 || !slices.Equal(index.Counts, []int{2500, 1200, 1}) {
		t.Errorf("index: got version %d, count %d, %d levels, counts %d", index.Version, index.Count, index.LODLevels, index.Counts)
	}
	covered := map[int][]bool{}
	var visit func(n *treeNode)
	visit = func(n *treeNode) {
		for i := range n.Children {
			if !n.contains(n.Children[i].Bound.Min, n.Children[i].Bound.Max) {
				t.Errorf("node: %v does not contain its child %v", n.Bound, n.Children[i].Bound)
			}
			visit(&n.Children[i])
		}
		for key, part := range n.LODs {
			name := index.Filenames[part.File]
			if !strings.HasPrefix(name, key+"_") || path.Base(name) != "meta.json" {
				t.Errorf("level %s: is in file %s", key, name)
			}
			c := all(t, open(t, written.Memory, name), 0)
			if covered[part.File] == nil {
				covered[part.File] = make([]bool, c.Len())
			}
			level := levels[key[0]-'0']
			for i := part.Offset; i < part.Offset+part.Count; i++ {
				if covered[part.File][i] {
					t.Fatalf("%s: Gaussian %d is in two leaves", name, i)
				}
				covered[part.File][i] = true
				low, high := reach(level, number(c, i))
				if !n.contains(low, high) {
					t.Errorf("leaf: %v does not contain %v to %v", n.Bound, low, high)
				}
			}
		}
	}
	visit(&index.Tree)
	if len(covered) != len(index.Filenames) || len(covered) < 9 {
		t.Errorf("chunks: %d of %d are used, want all of at least 9", len(covered), len(index.Filenames))
	}
	for file, gaussians := range covered {
		if len(gaussians) > 500 || slices.Contains(gaussians, false) {
			t.Errorf("%s: has %d Gaussians, all in leaves: %t", index.Filenames[file], len(gaussians), !slices.Contains(gaussians, false))
		}
	}
}

// reach returns the box around a Gaussian out to its standard deviations.
func reach(c *gaussian.Cloud, i int) (low, high [3]float64) {
	var m [9]float64
	x, y, z, w := float64(c.Rotations[4*i]), float64(c.Rotations[4*i+1]), float64(c.Rotations[4*i+2]), float64(c.Rotations[4*i+3])
	m = [9]float64{
		1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w),
		2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w),
		2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y),
	}
	for axis := range 3 {
		variance := 0.0
		for k := range 3 {
			s := m[3*axis+k] * math.Exp(float64(c.Scales[3*i+k]))
			variance += s * s
		}
		low[axis] = float64(c.Positions[3*i+axis]) - math.Sqrt(variance)
		high[axis] = float64(c.Positions[3*i+axis]) + math.Sqrt(variance)
	}
	return low, high
}

func TestWriteStreamed_leaves_empty_levels_at_the_end_out(t *testing.T) {
	t.Parallel()
	empty := &gaussian.Cloud{}
	written := newMemory()
	if _, err := sog.WriteStreamed(t.Context(), gaussian.NewMemory(nil, empty, capture(10, 0, 1), empty), written, sog.Options{}); err != nil {
		t.Fatal(err)
	}
	reader := open(t, written.Memory, "lod-meta.json")
	if diff := cmp.Diff([]int{0, 10}, reader.Levels()); diff != "" {
		t.Errorf("levels: %s", diff)
	}
	if got := all(t, reader, 0).Len(); got != 0 {
		t.Errorf("level 0: got %d Gaussians, want none", got)
	}
}

func TestWrite_is_the_same_with_any_workers(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemory(capture(50, 1, 3), capture(2000, 1, 1), capture(1000, 1, 2))
	written := [2]*memory{newMemory(), newMemory()}
	for i, workers := range []int{1, 3} {
		if _, err := sog.WriteDivided(t.Context(), source, written[i], sog.Options{Workers: workers}, 1000, 300); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(written[0].names, written[1].names) || !maps.EqualFunc(written[0].Memory, written[1].Memory, bytes.Equal) {
		t.Error("files: differ between one worker and three")
	}
}

func TestWrite_tells_its_progress(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemory(capture(50, 0, 3), capture(2000, 1, 1), capture(1000, 1, 2))
	for _, form := range forms() {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			var last, first int64
			messages := map[string]bool{}
			form.write(t, source, sog.Options{Progress: func(done, total int64, message string) {
				if first == 0 {
					first = total
				}
				if done < last || done > total || total != first {
					t.Errorf("progress: %d of %d after %d of %d", done, total, last, first)
				}
				last = done
				messages[message] = true
			}})
			if last != first || first == 0 {
				t.Errorf("progress: ended at %d of %d", last, first)
			}
			if want := "encoding level 0, chunk 2 of 3"; form.name == "streamed" && !messages[want] {
				t.Errorf("messages: got %v, want %q among them", messages, want)
			}
		})
	}
}

func TestWrite_stops_when_cancelled(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemory(capture(50, 0, 3), capture(2000, 1, 1), capture(1000, 1, 2))
	// How many calls there are, and then a cancel in each of the first of them.
	calls := 0
	write := func(ctx context.Context, progress func()) error {
		o := sog.Options{Progress: func(int64, int64, string) { progress() }}
		written := newMemory()
		_, err := sog.WriteDivided(ctx, source, written, o, 1000, 300)
		if _, whole := written.Memory["lod-meta.json"]; whole && err != nil {
			t.Error("an index was written beside a capture that is not whole")
		}
		return err
	}
	if err := write(t.Context(), func() { calls++ }); err != nil {
		t.Fatal(err)
	}
	for at := 1; at < calls-4; at += 1 + calls/12 {
		ctx, cancel := context.WithCancel(t.Context())
		call := 0
		err := write(ctx, func() {
			if call++; call == at {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at call %d of %d: got %v, want %v", at, calls, err, context.Canceled)
		}
		cancel()
	}
}

func TestWrite_refuses_captures_without_Gaussians(t *testing.T) {
	t.Parallel()
	lost := capture(100, 0, 1)
	lost.Positions[30] = float32(math.NaN())
	writes := map[string]func(gaussian.Source) error{
		"bundle": func(s gaussian.Source) error {
			_, err := sog.WriteBundle(t.Context(), s, io.Discard, sog.Options{})
			return err
		},
		"folder": func(s gaussian.Source) error {
			_, err := sog.WriteFolder(t.Context(), s, newMemory(), sog.Options{})
			return err
		},
		"streamed": func(s gaussian.Source) error {
			_, err := sog.WriteStreamed(t.Context(), s, newMemory(), sog.Options{})
			return err
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantInputError(t, write(gaussian.NewMemory(nil)), "has no Gaussians")
			wantInputError(t, write(gaussian.NewMemory(nil, &gaussian.Cloud{})), "has no Gaussians")
			wantInputError(t, write(gaussian.NewMemory(nil, lost)), "1 Gaussians whose position is no number, of 100")
		})
	}
}

func TestWrite_puts_values_right_that_are_no_numbers(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	c := capture(2000, 1, 1)
	c.Positions[0] = inf
	c.Rotations[5], c.Scales[3], c.Scales[4], c.Scales[5] = nan, -inf, inf, nan
	c.Opacities[2], c.Opacities[3], c.Opacities[4] = nan, -1, 2
	c.Harmonics[9], c.Harmonics[10] = nan, inf
	reader, result := writeBundle(t, gaussian.NewMemory(nil, c), sog.Options{})
	if result.Dropped != 1 || result.Levels[0] != 1999 {
		t.Errorf("result: dropped %d of %d, want 1 of 2000", result.Dropped, result.Levels[0]+result.Dropped)
	}
	got := all(t, reader, 0)
	for what, values := range map[string][]float32{
		"positions": got.Positions, "rotations": got.Rotations, "scales": got.Scales, "colours": got.Colours,
		"opacities": got.Opacities, "harmonics": got.Harmonics,
	} {
		for i, v := range values {
			if v-v != 0 {
				t.Errorf("%s: value %d is %g", what, i, v)
			}
		}
	}
	for i := range got.Len() {
		switch number(got, i) {
		case 1:
			if diff := cmp.Diff([]float32{-30, 30, 0}, got.Scales[3*i:3*i+3]); diff != "" {
				t.Errorf("scales: %s", diff)
			}
		case 2, 3:
			if got.Opacities[i] != 0 {
				t.Errorf("opacity: got %g, want 0", got.Opacities[i])
			}
		case 4:
			if got.Opacities[i] != 1 {
				t.Errorf("opacity: got %g, want 1", got.Opacities[i])
			}
		}
	}
}

func TestWrite_obeys_the_highest_degree(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemory(nil, capture(100, 3, 1))
	for highest, want := range map[int]int{-1: 0, 0: 3, 1: 1, 2: 2, 3: 3, 9: 3} {
		reader, _ := writeBundle(t, source, sog.Options{MaxDegree: highest})
		if got := reader.Degree(); got != want {
			t.Errorf("degree with at most %d: got %d, want %d", highest, got, want)
		}
		// The palette is exact up to its bytes, and no coefficient is another's.
		got, from := all(t, reader, 0), all(t, source, 0)
		n := gaussian.Coefficients(want)
		for i := range got.Len() {
			k := number(got, i)
			for m := range 3 * n {
				a, b := got.Harmonics[3*n*i+m], from.Harmonics[45*k+m/n*15+m%n]
				if math.Abs(float64(a-b)) > 0.01 {
					t.Fatalf("degree %d, coefficient %d: got %g, want %g", want, m, a, b)
				}
			}
		}
	}
}

// failing is a folder and a writer on a disk that becomes full.
type failing struct{ after int }

var errFull = errors.New("disk is full")

// Put implements folder.Writer.
func (f *failing) Put(context.Context, string, int64, io.Reader) error {
	if f.after--; f.after < 0 {
		return errFull
	}
	return nil
}

// Write implements io.Writer.
func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// lost is a source whose medium is gone.
type lost struct{ *gaussian.Memory }

var errGone = errors.New("connection reset")

// Read implements gaussian.Source.
func (lost) Read(context.Context, int, []uint32, *gaussian.Cloud) error { return errGone }

func TestWrite_reports_failing_media(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemory(capture(10, 0, 2), capture(10, 0, 1))
	for after := range 12 {
		if _, err := sog.WriteStreamed(t.Context(), source, &failing{after}, sog.Options{}); !errors.Is(err, errFull) {
			t.Errorf("after %d files: got %v, want %v", after, err, errFull)
		}
	}
	if _, err := sog.WriteBundle(t.Context(), source, &failing{}, sog.Options{}); !errors.Is(err, errFull) {
		t.Errorf("bundle: got %v, want %v", err, errFull)
	}
	for name, err := range map[string]error{
		"streamed": second(sog.WriteStreamed(t.Context(), lost{source}, newMemory(), sog.Options{})),
		"folder":   second(sog.WriteFolder(t.Context(), lost{source}, newMemory(), sog.Options{})),
	} {
		var fault *input.Error
		if !errors.Is(err, errGone) || errors.As(err, &fault) {
			t.Errorf("%s: got %v, want %v", name, err, errGone)
		}
	}
}

func second(_ sog.Result, err error) error { return err }

func ExampleWriteStreamed() {
	source := gaussian.NewMemory(nil, capture(1000, 0, 1), capture(500, 0, 2))
	to := newMemory() // usually a folder.Local
	result, err := sog.WriteStreamed(context.Background(), source, to, sog.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Levels, to.names[len(to.names)-1])
	// Output: [1000 500] lod-meta.json
}
