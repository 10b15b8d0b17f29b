package gltf

import (
	"context"
	"math"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/spz"
)

// maxReuse limits how many times the bytes of a file may be read as Gaussians. A scene may contain
// a mesh several times, and primitives may share an accessor. Without a limit, a small file could
// have any number of Gaussians.
const maxReuse = 16

// maxInstances is the maximum number of primitives with Gaussians in a scene. Read compares
// each number with each of them. Real files have a few.
const maxInstances = 1024

// minGaussianBytes is the minimum size of a Gaussian in a file: one byte for each component of all
// attributes.
const minGaussianBytes = 14

// placed is a primitive with Gaussians at a node of the scene.
type placed struct {
	primitive *primitive
	transform affine
}

// gaussianPrimitives returns the primitives with Gaussians of the default scene, or of all
// meshes in a file without a scene.
func (k *checker) gaussianPrimitives(ctx context.Context) (all []placed, err error) {
	add := func(shape *mesh, transform affine) {
		for i := range shape.Primitives {
			if p := &shape.Primitives[i]; p.isGaussian() {
				all = append(all, placed{p, transform})
			}
		}
	}
	// A file without scenes is a library of meshes (section 3.5.1); converters show all of them.
	if len(k.Scenes) == 0 {
		for i := range k.Meshes {
			add(&k.Meshes[i], identity)
		}
		return all, nil
	}
	err = k.walk(ctx, func(n *node, transform *affine) {
		if n.Mesh != nil {
			add(&k.Meshes[*n.Mesh], *transform)
		}
	})
	return all, err
}

// instance is a part of the source: the Gaussians of one primitive at one node.
type instance struct {
	count, degree int
	// transform converts from the axes of the primitive.
	transform *gaussian.Similarity
	// read sets a cloud to Gaussians of the primitive by their numbers.
	read func(ctx context.Context, numbers []uint32, c *gaussian.Cloud) error
}

// openInstances opens all primitives with Gaussians. A primitive without Gaussians has no instance.
func (f *File) openInstances(ctx context.Context, all []placed) error {
	if len(all) > maxInstances {
		return input.Errorf(f.checker.name, "has %d primitives with Gaussians; at most %d can be read", len(all), maxInstances).
			Advise("Merge them and export it again")
	}
	used, allowed := int64(0), maxReuse*f.buffers.size()
	f.Offset = offsetOf(&all[0].transform)
	for _, p := range all {
		for axis, v := range f.Offset {
			p.transform[axis][3] -= v
		}
		one, size, err := f.openInstance(ctx, p)
		if err != nil {
			return err
		}
		if used += size; used > allowed {
			return input.Damaged(f.checker.name, "it uses its data more than %d times", maxReuse)
		}
		if one.count == 0 {
			continue
		}
		f.count += one.count
		f.degree = max(f.degree, one.degree)
		f.instances = append(f.instances, one)
	}
	switch {
	case f.count == 0:
		return input.Errorf(f.checker.name, "has Gaussians in no node of its scene").Advise("Export it again")
	case f.count > math.MaxUint32:
		return input.Errorf(f.checker.name, "is too large: it has %d Gaussians, at most %d can be read", f.count, uint32(math.MaxUint32))
	}
	return nil
}

// offsetOf returns how far a node is from the origin, in whole kilometres. Coordinates of a map are
// so far from it that a float32 has steps of centimetres to metres there.
func offsetOf(transform *affine) (offset [3]float64) {
	const far, whole = 10_000, 1000
	for axis := range offset {
		if v := transform[axis][3]; math.Abs(v) > far {
			offset[axis] = math.Round(v/whole) * whole
		}
	}
	return offset
}

// openInstance opens a primitive, and returns the minimum size of its data in bytes.
func (f *File) openInstance(ctx context.Context, p placed) (one instance, size int64, err error) {
	extension, compressed, err := f.checker.parseExtension(p.primitive)
	if err != nil {
		return one, 0, err
	}
	if extension.ColorSpace == linearColours {
		defer func() {
			if read := one.read; read != nil {
				one.read = func(ctx context.Context, numbers []uint32, c *gaussian.Cloud) error {
					err := read(ctx, numbers, c)
					toDisplay(c)
					return err
				}
			}
		}()
	}
	if compressed == nil {
		t, err := f.checker.newTable(ctx, f.buffers, p.primitive)
		if err != nil {
			return one, 0, err
		}
		one = instance{count: t.count, degree: t.degree, read: t.read}
		one.transform, err = f.checker.similarity(&p.transform)
		return one, minGaussianBytes * int64(t.count), err
	}
	opened, err := f.openSPZ(ctx, compressed.BufferView)
	if err != nil {
		return one, 0, err
	}
	one = instance{count: opened.Levels()[0], degree: min(opened.Degree(), maxDegree)}
	one.read = func(ctx context.Context, numbers []uint32, c *gaussian.Cloud) error {
		return opened.Read(ctx, 0, numbers, c)
	}
	transform := p.transform.multiply(spzAxes(extension))
	one.transform, err = f.checker.similarity(&transform)
	return one, int64(f.checker.BufferViews[compressed.BufferView].ByteLength), err
}

// openSPZ opens the SPZ file in a buffer view, once for all primitives that share it.
func (f *File) openSPZ(ctx context.Context, view integer) (*spz.File, error) {
	if opened, ok := f.compressed[view]; ok {
		return opened, nil
	}
	data, err := f.buffers.view(view)
	if err != nil {
		return nil, err
	}
	opened, err := spz.Open(ctx, data, f.checker.name)
	if err != nil {
		return nil, err
	}
	f.compressed[view] = opened
	return opened, nil
}

// spzAxes returns the transform from the axes of package spz (right, down, front) to the axes of
// glTF. The draft requires that writers convert to left, up, front: (x, y, z) becomes (-x, -y, z).
// CesiumJS and the files of Cesium ion follow an earlier draft without a kernel, and use the stored
// values without conversion: (x, y, z) becomes (x, -y, -z). Half a turn about y lies between the
// two.
func spzAxes(e gaussianExtension) *affine {
	if e.Kernel != "" {
		return &affine{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}
	}
	return &affine{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}
}

// similarity returns the transform from a primitive to the axes of package gaussian. The
// specification allows only rotations, positive scales and translations ("Ellipse Kernel"): a
// scale that differs between axes would change the shape of each Gaussian.
func (k *checker) similarity(m *affine) (*gaussian.Similarity, error) {
	// From the axes of glTF to the axes of package gaussian: half a turn about z, as toGLTF.
	turned := affine{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}
	m2 := turned.multiply(m)
	var lengths [3]float64
	for j := range 3 {
		lengths[j] = math.Sqrt(m2[0][j]*m2[0][j] + m2[1][j]*m2[1][j] + m2[2][j]*m2[2][j])
	}
	scale := (lengths[0] + lengths[1] + lengths[2]) / 3
	const tolerance = 1e-3
	determinant := m2[0][0]*(m2[1][1]*m2[2][2]-m2[1][2]*m2[2][1]) -
		m2[0][1]*(m2[1][0]*m2[2][2]-m2[1][2]*m2[2][0]) + m2[0][2]*(m2[1][0]*m2[2][1]-m2[1][1]*m2[2][0])
	// The determinant of a rotation is 1. It is less if the axes are not at right angles, and
	// -1 for a reflection. The condition is negated so that it also refuses NaN.
	if !(scale > 1e-9 && scale < 1e9 && math.Abs(determinant/(scale*scale*scale)-1) < tolerance &&
		max(lengths[0], lengths[1], lengths[2])-min(lengths[0], lengths[1], lengths[2]) < tolerance*scale) {
		return nil, input.Errorf(k.name, "has Gaussians in a node that stretches or mirrors them, which cannot be read").
			Advise("Apply the transforms of the nodes and export it again")
	}
	var rotation [3][3]float64
	for i := range 3 {
		for j := range 3 {
			rotation[i][j] = m2[i][j] / scale
		}
		if v := m2[i][3]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, k.damaged("its nodes are placed at infinity")
		}
	}
	q := gaussian.QuaternionOf(rotation)
	return gaussian.NewSimilarity(scale, [4]float32{float32(q[0]), float32(q[1]), float32(q[2]), float32(q[3])},
		[3]float64{m2[0][3], m2[1][3], m2[2][3]}), nil
}
