package voxel

import (
	"encoding/binary"
	"encoding/json"
	"io"
)

// The ends of the names of a collision's two files. Viewers derive the name of the second from
// the name of the first.
const (
	JSONSuffix   = ".voxel.json"
	BinarySuffix = ".voxel.bin"
)

// Collision is the collision of a capture. Coordinates are as in viewers, and lengths are in
// metres.
type Collision struct {
	*Octree

	// Steps are the settings that made it, chosen by Build or by the caller of Voxelise.
	Steps Steps
	// SceneBounds is the box around all Gaussians.
	SceneBounds Bounds
	// Floaters is the number of Gaussians that were left out as floaters.
	Floaters int
	// Start is where visitors start. Voxelise leaves it nil.
	Start *Start

	// grid contains the solid voxels. It has the bounds of the octree.
	grid *grid
}

// metadata is the content of the .voxel.json, in the order of the format's specification (see the
// package comment).
type metadata struct {
	Version string `json:"version"`
	Asset   struct {
		Generator string `json:"generator"`
	} `json:"asset"`
	// GridBounds is the box of the octree, in whole blocks, and SceneBounds the box around the
	// Gaussians.
	GridBounds      Bounds  `json:"gridBounds"`
	SceneBounds     Bounds  `json:"sceneBounds"`
	VoxelResolution float64 `json:"voxelResolution"`
	// LeafSize is the side of a block in voxels. LeafDataCount counts u32 numbers, two for each
	// leaf.
	LeafSize         int `json:"leafSize"`
	TreeDepth        int `json:"treeDepth"`
	NumInteriorNodes int `json:"numInteriorNodes"`
	NumMixedLeaves   int `json:"numMixedLeaves"`
	NodeCount        int `json:"nodeCount"`
	LeafDataCount    int `json:"leafDataCount"`
}

// JSON returns the content of the .voxel.json.
func (c *Collision) JSON() ([]byte, error) {
	m := metadata{
		Version: "1.1", GridBounds: c.Bounds.positive(), SceneBounds: c.SceneBounds.positive(),
		VoxelResolution: c.Resolution, LeafSize: blockSide, TreeDepth: c.Depth, NumInteriorNodes: c.Interior,
		NumMixedLeaves: len(c.Leaves), NodeCount: len(c.Nodes), LeafDataCount: 2 * len(c.Leaves),
	}
	m.Asset.Generator = "Portico"
	return json.MarshalIndent(m, "", "  ")
}

// positive returns the box with 0 instead of -0, which JSON would show and splat-transform does
// not.
func (b Bounds) positive() Bounds {
	for k := range 3 {
		b.Min[k] += 0
		b.Max[k] += 0
	}
	return b
}

// BinarySize returns the size of the .voxel.bin in bytes.
func (c *Collision) BinarySize() int64 { return 4*int64(len(c.Nodes)) + 8*int64(len(c.Leaves)) }

// writeChunk is the number of bytes that are written at a time.
const writeChunk = 1 << 16

// WriteBinary writes the content of the .voxel.bin: the nodes, and then the masks of the leaves
// with the low half first, all little endian and without a header.
func (c *Collision) WriteBinary(w io.Writer) error {
	buffer := make([]byte, 0, writeChunk)
	// makeRoom writes the buffer if size more bytes do not fit into it.
	makeRoom := func(size int) (err error) {
		if len(buffer)+size > writeChunk {
			_, err = w.Write(buffer)
			buffer = buffer[:0]
		}
		return err
	}
	for _, node := range c.Nodes {
		if err := makeRoom(4); err != nil {
			return err
		}
		buffer = binary.LittleEndian.AppendUint32(buffer, node)
	}
	for _, leaf := range c.Leaves {
		if err := makeRoom(8); err != nil {
			return err
		}
		buffer = binary.LittleEndian.AppendUint64(buffer, leaf)
	}
	_, err := w.Write(buffer)
	return err
}
