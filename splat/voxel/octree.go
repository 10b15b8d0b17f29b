package voxel

import (
	"context"

	"portico/splat/input"
)

// The limits of the format. A node has 24 bits for the index of its first child or of its leaf,
// and 8 bits for the mask of its children.
const (
	maxNodes   = 1 << 24
	maxBlocks  = 1 << 17 // along an axis
	solidNode  = 0xFF000000
	childShift = 24
)

// errTooManyNodes returns the error of a tree that is too large for the format.
func errTooManyNodes() error {
	return &input.Error{Message: "The collision has more nodes than its format allows", Advice: "Use larger voxels"}
}

// Octree is a sparse voxel octree as viewers load it.
type Octree struct {
	// Bounds is the box of the root's voxels, in whole blocks.
	Bounds     Bounds
	Resolution float64 // the side of a voxel in metres
	// Depth is the number of levels above the leaves.
	Depth    int
	Interior int // number of nodes with children
	// Nodes are breadth-first, starting with the root. A node is solidNode, or the mask of its
	// children in the upper 8 bits and the index of its first child, or the index of a leaf.
	Nodes []uint32
	// Leaves are the masks of blocks that are partly solid.
	Leaves []uint64
}

// The kinds of blocks, and of the cubes of blocks above them.
const (
	kindEmpty = iota
	kindSolid
	kindMixed
)

// level is one level of the tree before it is written: the kind of each cube.
type level struct {
	n     [3]int // cubes along each axis
	kinds []byte
}

// at returns the index of a cube in kinds.
func (l *level) at(x, y, z int) int { return (z*l.n[1]+y)*l.n[0] + x }

// octree returns the tree of the grid's solid voxels.
func (g *grid) octree(ctx context.Context) (*Octree, error) {
	t := &Octree{Bounds: g.bounds, Resolution: g.resolution, Depth: 1}
	levels := []*level{g.blockKinds()}
	for top := levels[0]; len(levels) == 1 || !top.isRoot(); {
		top = top.parent()
		levels = append(levels, top)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if max(g.nx, g.ny, g.nz)/blockSide > maxBlocks {
		return nil, errTooManyNodes()
	}
	t.Depth = len(levels) - 1
	return t, t.flatten(g, levels)
}

// isRoot reports whether at most the first cube of the level is not empty. Then the first cube
// is the root, even if empty cubes complete the box. splat-transform stops there too, so a
// deeper tree would differ from its output.
func (l *level) isRoot() bool {
	for _, kind := range l.kinds[1:] {
		if kind != kindEmpty {
			return false
		}
	}
	return len(l.kinds) == 1 || l.kinds[0] != kindEmpty
}

// blockKinds returns the kinds of all blocks. It first combines the 16 rows of a row of blocks;
// then four bits of two words decide the kind of a block.
func (g *grid) blockKinds() *level {
	l := &level{n: [3]int{g.nx / blockSide, g.ny / blockSide, g.nz / blockSide}}
	l.kinds = make([]byte, l.n[0]*l.n[1]*l.n[2])
	anySet, allSet := make([]uint64, g.words), make([]uint64, g.words)
	for z := range l.n[2] {
		for y := range l.n[1] {
			g.combine(y, z, anySet, allSet)
			kinds := l.kinds[l.at(0, y, z):][:l.n[0]]
			for x := range kinds {
				word, shift := x>>4, (x&15)*blockSide
				switch {
				case anySet[word]>>shift&15 == 0:
				case allSet[word]>>shift&15 == 15:
					kinds[x] = kindSolid
				default:
					kinds[x] = kindMixed
				}
			}
		}
	}
	return l
}

// combine sets anySet to the bitwise or, and allSet to the bitwise and, of the rows of a row of
// blocks.
func (g *grid) combine(by, bz int, anySet, allSet []uint64) {
	for i := range anySet {
		anySet[i], allSet[i] = 0, ^uint64(0)
	}
	for z := range blockSide {
		for y := range blockSide {
			for i, w := range g.row(by*blockSide+y, bz*blockSide+z) {
				anySet[i] |= w
				allSet[i] &= w
			}
		}
	}
}

// parent returns the level above, with cubes of twice the side. Missing cubes at the end of an axis
// are empty.
func (l *level) parent() *level {
	p := &level{}
	for k, n := range l.n {
		p.n[k] = max(1, (n+1)/2)
	}
	p.kinds = make([]byte, p.n[0]*p.n[1]*p.n[2])
	for z := range p.n[2] {
		for y := range p.n[1] {
			for x := range p.n[0] {
				p.kinds[p.at(x, y, z)] = l.kindOf(x, y, z)
			}
		}
	}
	return p
}

// kindOf returns the kind of the cube above the cubes at twice these coordinates.
func (l *level) kindOf(x, y, z int) byte {
	present, solid := 0, 0
	l.visitChildren(x, y, z, func(_, child int) {
		switch l.kinds[child] {
		case kindSolid:
			solid++
			present++
		case kindMixed:
			present++
		}
	})
	switch {
	case present == 0:
		return kindEmpty
	case solid == 8:
		return kindSolid
	}
	return kindMixed
}

// visitChildren calls visit with the octant and the index of each cube of this level below
// the cube x, y, z of the level above.
func (l *level) visitChildren(x, y, z int, visit func(octant, child int)) {
	for octant := range 8 {
		cx, cy, cz := 2*x+octant&1, 2*y+octant>>1&1, 2*z+octant>>2
		if cx < l.n[0] && cy < l.n[1] && cz < l.n[2] {
			visit(octant, l.at(cx, cy, cz))
		}
	}
}

// pending is a node whose children are not written yet.
type pending struct {
	node uint32 // its index in Nodes
	cube uint32 // its index in its level
}

// flatten writes the nodes breadth-first, which is the order of the format: the children of a
// node follow each other, so that a node needs only the index of the first child and the mask.
// Empty cubes have no node, and solid cubes have no children.
func (t *Octree) flatten(g *grid, levels []*level) error {
	// The root is solid unless the cases below replace it.
	t.Nodes = []uint32{solidNode}
	var wave []pending
	switch levels[len(levels)-1].kinds[0] {
	case kindEmpty:
		t.Nodes = nil
	case kindMixed:
		wave = []pending{{0, 0}}
	}
	for i := len(levels) - 1; i > 0 && len(wave) > 0; i-- {
		var next []pending
		above, below := levels[i], levels[i-1]
		for _, p := range wave {
			first, mask := len(t.Nodes), uint32(0)
			x, y, z := int(p.cube)%above.n[0], int(p.cube)/above.n[0]%above.n[1], int(p.cube)/above.n[0]/above.n[1]
			below.visitChildren(x, y, z, func(octant, child int) {
				kind := below.kinds[child]
				if kind == kindEmpty {
					return
				}
				mask |= 1 << octant
				switch {
				case kind == kindSolid:
					t.Nodes = append(t.Nodes, solidNode)
				case i == 1:
					t.Nodes = append(t.Nodes, uint32(len(t.Leaves)))
					n := below.n
					t.Leaves = append(t.Leaves, g.block(child%n[0], child/n[0]%n[1], child/n[0]/n[1]))
				default:
					next = append(next, pending{uint32(len(t.Nodes)), uint32(child)})
					t.Nodes = append(t.Nodes, 0)
				}
			})
			t.Nodes[p.node] = mask<<childShift | uint32(first)
			t.Interior++
			if len(t.Nodes) > maxNodes {
				return errTooManyNodes()
			}
		}
		wave = next
	}
	return nil
}
