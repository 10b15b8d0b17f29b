package gltf

import (
	"context"
	"errors"
	"math"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/meshopt"
)

// affine is an affine transform: three rows of a linear map and an offset.
type affine [3][4]float64

// identity is the transform that changes nothing.
var identity = affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}

// multiply returns the transform that applies b first and then a, as for a child b of the
// parent a.
func (a *affine) multiply(b *affine) (c affine) {
	for i := range 3 {
		for j := range 4 {
			c[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j] + a[i][2]*b[2][j]
		}
		c[i][3] += a[i][3]
	}
	return c
}

// local returns the transform of a node (section 3.5.3). It leaves out the last row of a matrix,
// which is constant. checkNodes has checked the lengths of the lists.
func (n *node) local() affine {
	if m := n.Matrix; m != nil {
		return affine{{m[0], m[4], m[8], m[12]}, {m[1], m[5], m[9], m[13]}, {m[2], m[6], m[10], m[14]}}
	}
	a := identity
	if q := n.Rotation; q != nil {
		x, y, z, w := q[0], q[1], q[2], q[3]
		a = affine{
			{1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w)},
			{2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w)},
			{2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y)},
		}
	}
	// The order is scale, rotation, translation: scaling first multiplies the columns.
	for i := range 3 {
		for j := range n.Scale {
			a[i][j] *= n.Scale[j]
		}
		if n.Translation != nil {
			a[i][3] = n.Translation[i]
		}
	}
	return a
}

// bounds returns the box around the default scene, or nil if it is unknown.
func (k *checker) bounds(ctx context.Context) (*gaussian.Bounds, error) {
	if len(k.Scenes) == 0 {
		return nil, nil //nolint:nilnil // a library of objects without a scene
	}
	boxes := k.meshBoxes()
	box := newBox()
	var repeated []func() error
	data := &buffers{checker: k, ctx: ctx, files: map[int]folder.File{}, decoded: map[integer]*meshopt.View{}}
	err := k.walk(ctx, func(n *node, transform *affine) {
		switch {
		case n.Mesh == nil:
		case n.Extensions.Instancing == nil:
			box.addTransformed(&boxes[*n.Mesh], transform)
		default:
			outer := *transform
			repeated = append(repeated, func() error { return k.addInstances(ctx, data, &box, &boxes[*n.Mesh], n.Extensions.Instancing, &outer) })
		}
	})
	for _, add := range repeated {
		if err != nil {
			break
		}
		err = add()
	}
	if err = errors.Join(err, data.close()); err != nil {
		return nil, err
	}
	return box.result(k)
}

// walk calls visit with each node of the default scene and the node's transform to the scene. It
// refuses a node that it reaches twice, so it ends for any graph of nodes. checkScenes and
// checkNodes have checked the indices.
func (k *checker) walk(ctx context.Context, visit func(n *node, transform *affine)) error {
	first := integer(0) // viewers show the first scene if no default is given
	if k.Scene != nil {
		first = *k.Scene
	}
	type pending struct {
		node  integer
		outer affine
	}
	// The stack is on the heap, because a hostile tree may be a million nodes deep.
	var stack []pending
	for _, n := range k.Scenes[first].Nodes {
		stack = append(stack, pending{n, identity})
	}
	visited := make([]bool, len(k.Nodes))
	for done := 0; len(stack) > 0; done++ {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if visited[top.node] {
			return k.damaged("node %d is in scene %d twice, or its own ancestor", top.node, first)
		}
		visited[top.node] = true
		if err := ctx.Err(); done%1024 == 0 && err != nil {
			return err
		}
		n := &k.Nodes[top.node]
		local := n.local()
		transform := top.outer.multiply(&local)
		visit(n, &transform)
		for _, child := range n.Children {
			stack = append(stack, pending{child, transform})
		}
	}
	return nil
}

// box is a bounding box. It is unknown if the size of a part is unknown, because a box around the
// other parts would be too small.
type box struct {
	min, max [3]float64
	unknown  bool
}

// newBox returns an empty box, whose minimum is above its maximum.
func newBox() box {
	far := math.Inf(1)
	return box{min: [3]float64{far, far, far}, max: [3]float64{-far, -far, -far}}
}

// meshBoxes returns the boxes of all meshes. Accessors of positions must have a range (section
// 3.6.2.5). The positions of a primitive without accessor are in an unknown extension.
func (k *checker) meshBoxes() []box {
	boxes := make([]box, len(k.Meshes))
	for i, m := range k.Meshes {
		b := newBox()
		for _, p := range m.Primitives {
			accessor := p.Attributes.Position
			if accessor == nil {
				b.unknown = true
				continue
			}
			a := &k.Accessors[*accessor]
			if len(a.Min) != 3 || len(a.Max) != 3 {
				b.unknown = true
				continue
			}
			unit := a.unit()
			for axis := range 3 {
				b.min[axis] = min(b.min[axis], a.Min[axis]*unit)
				b.max[axis] = max(b.max[axis], a.Max[axis]*unit)
			}
		}
		boxes[i] = b
	}
	return boxes
}

// unit returns the factor from stored values to values. It is less than 1 for normalized integers
// (section 3.6.2.2 and KHR_mesh_quantization).
func (a *accessor) unit() float64 {
	if !a.Normalized {
		return 1
	}
	switch a.ComponentType {
	case typeByte:
		return 1.0 / 127
	case typeUnsignedByte:
		return 1.0 / 255
	case typeShort:
		return 1.0 / 32767
	case typeUnsignedShort:
		return 1.0 / 65535
	default:
		return 1
	}
}

// addTransformed extends the box to the corners of another, transformed one. Under a
// rotation the result is larger than the box of the vertices.
func (b *box) addTransformed(other *box, transform *affine) {
	b.unknown = b.unknown || other.unknown
	if other.min[0] > other.max[0] {
		return // empty
	}
	// The sums of the smaller and of the larger products of a row are the minimum and the maximum
	// of all eight transformed corners (James Arvo, "Transforming Axis-Aligned Bounding Boxes",
	// Graphics Gems, 1990).
	for i, row := range transform {
		low, high := row[3], row[3]
		for j, factor := range row[:3] {
			low += min(factor*other.min[j], factor*other.max[j])
			high += max(factor*other.min[j], factor*other.max[j])
		}
		b.min[i], b.max[i] = min(b.min[i], low), max(b.max[i], high)
	}
}

// result returns the bounds, or an error if they are not finite.
func (b *box) result(k *checker) (*gaussian.Bounds, error) {
	if b.unknown || b.min[0] > b.max[0] {
		return nil, nil //nolint:nilnil // an empty scene, or one of unknown size
	}
	for axis := range 3 {
		// size-size is NaN unless size is finite.
		if size := b.max[axis] - b.min[axis]; size-size != 0 || size < 0 {
			return nil, k.damaged("its nodes are placed at infinity")
		}
	}
	return &gaussian.Bounds{Min: b.min, Max: b.max}, nil
}
