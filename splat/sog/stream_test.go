package sog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/sog"
)

func TestWriteStreamed_keeps_levels_and_environment(t *testing.T) {
	t.Parallel()
	fine, coarse, around := capture(2200, 1, 1), capture(900, 1, 2), capture(700, 0, 3)
	written := newRecordingFolder()
	source := gaussian.NewMemorySource(around, fine, coarse)
	result, err := sog.WriteDivided(t.Context(), source, written, sog.Options{}, 1000, 300)
	if err != nil {
		t.Fatal(err)
	}
	reader := open(t, written.Memory, "lod-meta.json")
	if _, err := reader.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	if diff := cmp.Diff([]int{2200, 900}, reader.Levels()); diff != "" {
		t.Errorf("levels: %s", diff)
	}
	if got := reader.EnvironmentCount(); got != 700 || !reader.Streamed() || reader.Version() != 1 {
		t.Errorf("facts: environment of %d, streamed %t, version %d", got, reader.Streamed(), reader.Version())
	}
	compare(t, fine, readAll(t, reader, 0))
	compare(t, coarse, readAll(t, reader, 1))
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

// treeNode is a node of a lod-meta.json as a viewer reads it.
type treeNode struct {
	Bound struct {
		Min, Max [3]float64
	}
	Children []treeNode
	LODs     map[string]struct{ File, Offset, Count int }
}

// contains reports whether the node's box contains a box.
func (n *treeNode) contains(low, high [3]float64) bool {
	for axis := range 3 {
		if low[axis] < n.Bound.Min[axis] || high[axis] > n.Bound.Max[axis] {
			return false
		}
	}
	return true
}

// streamTree is what a viewer reads of a lod-meta.json.
type streamTree struct {
	Version, Count, LODLevels int
	Counts                    []int
	Filenames                 []string
	Tree                      treeNode
}

func TestWriteStreamed_index_covers_every_Gaussian_once(t *testing.T) {
	t.Parallel()
	levels := []*gaussian.Cloud{capture(2500, 0, 1), capture(1200, 0, 2), capture(1, 0, 3)}
	written := newRecordingFolder()
	if _, err := sog.WriteDivided(t.Context(), gaussian.NewMemorySource(nil, levels...), written, sog.Options{}, 500, 100); err != nil {
		t.Fatal(err)
	}
	if last := written.names[len(written.names)-1]; last != "lod-meta.json" {
		t.Errorf("last file: got %s, want lod-meta.json", last)
	}
	var index streamTree
	if err := json.Unmarshal(written.Memory["lod-meta.json"], &index); err != nil {
		t.Fatal(err)
	}
	if index.Version != 1 || index.Count != 3701 || index.LODLevels != 3 || !slices.Equal(index.Counts, []int{2500, 1200, 1}) {
		t.Errorf("index: got version %d, count %d, %d levels, counts %d", index.Version, index.Count, index.LODLevels, index.Counts)
	}
	covered := coveredByLeaves(t, written.Memory, &index, levels)
	if len(covered) != len(index.Filenames) || len(covered) < 9 {
		t.Errorf("chunks: %d of %d are used, want all of at least 9", len(covered), len(index.Filenames))
	}
	for file, gaussians := range covered {
		if len(gaussians) > 500 || slices.Contains(gaussians, false) {
			t.Errorf("%s: has %d Gaussians, all in leaves: %t", index.Filenames[file], len(gaussians), !slices.Contains(gaussians, false))
		}
	}
}

// coveredByLeaves returns which Gaussians of each file are in a leaf. It checks that none is
// in two, and that each node contains its children and its Gaussians.
func coveredByLeaves(t *testing.T, files folder.Memory, index *streamTree, levels []*gaussian.Cloud) map[int][]bool {
	t.Helper()
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
			c := readAll(t, open(t, files, name), 0)
			if covered[part.File] == nil {
				covered[part.File] = make([]bool, c.Len())
			}
			level := levels[key[0]-'0']
			for i := part.Offset; i < part.Offset+part.Count; i++ {
				if covered[part.File][i] {
					t.Fatalf("%s: Gaussian %d is in two leaves", name, i)
				}
				covered[part.File][i] = true
				low, high := ellipsoidBox(level, originalIndex(c, i))
				if !n.contains(low, high) {
					t.Errorf("leaf: %v does not contain %v to %v", n.Bound, low, high)
				}
			}
		}
	}
	visit(&index.Tree)
	return covered
}

// ellipsoidBox returns the box around a Gaussian of one standard deviation.
func ellipsoidBox(c *gaussian.Cloud, i int) (low, high [3]float64) {
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

func TestWriteStreamed_omits_empty_levels_at_the_end(t *testing.T) {
	t.Parallel()
	empty := &gaussian.Cloud{}
	written := newRecordingFolder()
	if _, err := sog.WriteStreamed(t.Context(), gaussian.NewMemorySource(nil, empty, capture(10, 0, 1), empty), written, sog.Options{}); err != nil {
		t.Fatal(err)
	}
	reader := open(t, written.Memory, "lod-meta.json")
	if diff := cmp.Diff([]int{0, 10}, reader.Levels()); diff != "" {
		t.Errorf("levels: %s", diff)
	}
	if got := readAll(t, reader, 0).Len(); got != 0 {
		t.Errorf("level 0: got %d Gaussians, want none", got)
	}
}

func ExampleWriteStreamed() {
	source := gaussian.NewMemorySource(nil, capture(1000, 0, 1), capture(500, 0, 2))
	to := newRecordingFolder() // usually a folder.Local
	result, err := sog.WriteStreamed(context.Background(), source, to, sog.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Levels, to.names[len(to.names)-1])
	// Output: [1000 500] lod-meta.json
}
