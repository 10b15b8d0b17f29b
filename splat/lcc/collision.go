package lcc

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"portico/splat/folder"
	"portico/splat/input"
)

// collisionName is the file with the collision meshes.
const collisionName = "collision.lci"

// The header of collision.lci (white paper, section "Collision.lci Data Section").
const (
	collisionMagic      = 0x6c6c6f63 // "coll"
	collisionHead       = 48         // bytes before the headers of the meshes
	meshHead            = 40         // bytes for each mesh
	vertexSize          = 12
	faceSize            = 12
	maxMeshes           = 1 << 20
	maxCollisionVersion = 2
)

// Collision describes the meshes with which visitors of a capture collide: one for each cell.
type Collision struct {
	Meshes              int
	Vertices, Triangles int64
}

// collisionMesh is a mesh in the file: vertices, then faces, then a tree of boxes, which
// is not read.
type collisionMesh struct {
	offset, size     uint64
	vertices, faces  uint32
	boundingTreeSize uint32
}

// readCollision returns the description of the collision meshes, or nil if they have no triangles:
// nothing collides with such meshes, so the collision must be made from the Gaussians. It reads
// only the headers, and checks that every mesh is within the file and that no two meshes share
// bytes. A file that cannot be read is a fault and not an error: the capture is shown without its
// collision.
func readCollision(ctx context.Context, files folder.Reader) (found *Collision, fault *input.Error, err error) {
	f, err := openOptional(ctx, files, collisionName)
	if f == nil || err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	meshes, fault, err := readMeshes(f)
	if meshes == nil {
		return nil, fault, err
	}
	found = &Collision{Meshes: len(meshes)}
	for _, m := range meshes {
		found.Vertices += int64(m.vertices)
		found.Triangles += int64(m.faces)
	}
	if found.Triangles == 0 {
		return nil, nil, nil
	}
	return found, nil, nil
}

// readMeshes reads and checks the headers of the meshes.
func readMeshes(f folder.File) (meshes []collisionMesh, fault *input.Error, err error) {
	if f.Size() < collisionHead {
		return nil, input.CutOff(collisionName, "it ends within its header"), nil
	}
	head := make([]byte, collisionHead)
	if err := readAt(f, head, 0, collisionName); err != nil {
		return nil, nil, err
	}
	le := binary.LittleEndian
	count := le.Uint32(head[44:])
	switch version := le.Uint32(head[4:]); {
	case le.Uint32(head) != collisionMagic:
		return nil, input.Damaged(collisionName, "it does not start like a collision file"), nil
	case version < 1 || version > maxCollisionVersion:
		return nil, input.Errorf(collisionName, "is of version %d; versions 1 and 2 can be read", version), nil
	case count > maxMeshes || int64(count)*meshHead > f.Size()-collisionHead:
		return nil, input.CutOff(collisionName, "it claims %d meshes", count), nil
	}
	heads := make([]byte, int(count)*meshHead)
	if err := readAt(f, heads, collisionHead, collisionName); err != nil {
		return nil, nil, err
	}
	meshes = make([]collisionMesh, count)
	for i := range meshes {
		b := heads[i*meshHead:]
		meshes[i] = collisionMesh{le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint32(b[24:]), le.Uint32(b[28:]), le.Uint32(b[32:])}
	}
	if fault := checkMeshes(meshes, uint64(f.Size())); fault != nil {
		return nil, fault, nil
	}
	return meshes, nil, nil
}

// checkMeshes checks that all meshes are within the file and that no two overlap.
func checkMeshes(meshes []collisionMesh, size uint64) *input.Error {
	inOrder := slices.SortedFunc(slices.Values(meshes), func(a, b collisionMesh) int { return cmp.Compare(a.offset, b.offset) })
	end := uint64(collisionHead) + meshHead*uint64(len(meshes))
	for _, m := range inOrder {
		// The counts have 32 bits, so their products do not overflow 64.
		need := vertexSize*uint64(m.vertices) + faceSize*uint64(m.faces) + uint64(m.boundingTreeSize)
		switch {
		case m.size < need:
			return input.Damaged(collisionName, "a mesh of %d bytes claims %d vertices and %d triangles", m.size, m.vertices, m.faces)
		case m.size > size || m.offset > size-m.size:
			return input.CutOff(collisionName, "a mesh ends after the file")
		case m.offset < end:
			return input.Damaged(collisionName, "two of its parts overlap")
		}
		end = m.offset + m.size
	}
	return nil
}

// maxCorners is the maximum number of vertices and triangles together. Each has 12 bytes in
// memory. Real captures have a few hundred thousand.
const maxCorners = 1 << 26

// CollisionMesh reads the collision meshes as one mesh: positions in metres with z up, as in the
// file, and three indices for each triangle. Both are nil for a capture without meshes. A damaged
// file is an *input.Error.
//
// A mesh numbers its vertices from 0. The result has the vertices of all meshes, so the indices of
// each are moved up by the number of vertices before it.
func (c *Capture) CollisionMesh(ctx context.Context, files folder.Reader) (positions []float32, indices []uint32, err error) {
	if c.collision == nil {
		return nil, nil, nil
	}
	if c.collision.Vertices+c.collision.Triangles > maxCorners {
		return nil, nil, input.Errorf(collisionName, "has too many vertices and triangles")
	}
	f, err := openOptional(ctx, files, collisionName)
	if f == nil || err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	meshes, fault, err := readMeshes(f)
	if fault != nil {
		return nil, nil, fault
	}
	if err != nil {
		return nil, nil, err
	}
	for _, m := range meshes {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		b := make([]byte, vertexSize*int(m.vertices)+faceSize*int(m.faces))
		if err := readAt(f, b, int64(m.offset), collisionName); err != nil {
			return nil, nil, err
		}
		first := uint32(len(positions) / 3)
		for range 3 * m.vertices {
			v := math.Float32frombits(binary.LittleEndian.Uint32(b))
			if !(math.Abs(float64(v)) <= maxMagnitude) {
				return nil, nil, input.Damaged(collisionName, "a vertex has no finite position")
			}
			positions, b = append(positions, v), b[4:]
		}
		for range 3 * m.faces {
			i := binary.LittleEndian.Uint32(b)
			if i >= m.vertices {
				return nil, nil, input.Damaged(collisionName, "a triangle refers to vertex %d of %d", i, m.vertices)
			}
			indices, b = append(indices, first+i), b[4:]
		}
	}
	return positions, indices, nil
}
