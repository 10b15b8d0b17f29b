package voxel_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/bits"
	"testing"

	"portico/splat/voxel"
)

// tree is a collision as a viewer has it, read from the two files.
type tree struct {
	GridBounds      voxel.Bounds `json:"gridBounds"`
	VoxelResolution float64      `json:"voxelResolution"`
	TreeDepth       int          `json:"treeDepth"`
	NodeCount       int          `json:"nodeCount"`
	LeafDataCount   int          `json:"leafDataCount"`
	nodes, leaves   []uint32
}

// decode reads a collision from its files.
func decode(t testing.TB, c *voxel.Collision) *tree {
	t.Helper()
	document, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var r tree
	if err := json.Unmarshal(document, &r); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.WriteBinary(&b); err != nil {
		t.Fatal(err)
	}
	if got := int64(b.Len()); got != c.BinarySize() || got != int64(4*(r.NodeCount+r.LeafDataCount)) {
		t.Fatalf("binary: got %d bytes, want %d for %d nodes and %d leaf words", got, c.BinarySize(), r.NodeCount, r.LeafDataCount)
	}
	r.nodes, r.leaves = make([]uint32, r.NodeCount), make([]uint32, r.LeafDataCount)
	for _, words := range [][]uint32{r.nodes, r.leaves} {
		if err := binary.Read(&b, binary.LittleEndian, words); err != nil {
			t.Fatal(err)
		}
	}
	return &r
}

// solid reports whether the voxel at a point is solid, as a viewer looks it up.
func (r *tree) solid(x, y, z float64) bool {
	var v [3]int
	for k, p := range [3]float64{x, y, z} {
		v[k] = int(math.Floor((p - r.GridBounds.Min[k]) / r.VoxelResolution))
		if p < r.GridBounds.Min[k] || p >= r.GridBounds.Max[k] {
			return false
		}
	}
	if len(r.nodes) == 0 {
		return false
	}
	node := uint32(0)
	for level := r.TreeDepth - 1; level >= 0; level-- {
		n := r.nodes[node]
		if n == 0xFF000000 {
			return true
		}
		octant := v[0]>>(2+level)&1 | v[1]>>(2+level)&1<<1 | v[2]>>(2+level)&1<<2
		mask := n >> 24
		if mask>>octant&1 == 0 {
			return false
		}
		node = n&0xFFFFFF + uint32(bits.OnesCount32(mask&(1<<octant-1)))
	}
	n := r.nodes[node]
	if n == 0xFF000000 {
		return true
	}
	bit := v[0]&3 | v[1]&3<<2 | v[2]&3<<4
	return r.leaves[2*n+uint32(bit>>5)]>>(bit&31)&1 != 0
}
