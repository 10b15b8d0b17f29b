package lcc

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"portico/splat/folder"
	"portico/splat/input"
)

const collisionName = "collision.lci"

// The header of collision.lci (white paper, section "Collision.lci Data Section").
const (
	collisionMagic  = 0x6c6c6f63 // "coll"
	collisionHead   = 48         // bytes before the headers of the meshes
	meshHead        = 40         // bytes for each mesh
	vertexSize      = 12
	faceSize        = 12
	maxMeshes       = 1 << 20
	maxCollisionVer = 2
)

// Collision describes the meshes with which people in a capture collide: one for each cell.
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

// readCollision returns the description of the collision meshes, or nil if there are none.
// It reads only the headers, and checks that every mesh is within the file and that no two
// share bytes. A file that cannot be read is reported as a fault and not as an error: the
// capture is shown without it.
func readCollision(ctx context.Context, files folder.Reader) (found *Collision, fault *input.Error, err error) {
	f, err := openOptional(ctx, files, collisionName)
	if f == nil || err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // read only
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
	case version < 1 || version > maxCollisionVer:
		return nil, input.Errorf(collisionName, "is of version %d; versions 1 and 2 can be read", version), nil
	case count > maxMeshes || int64(count)*meshHead > f.Size()-collisionHead:
		return nil, input.CutOff(collisionName, "it claims %d meshes", count), nil
	}
	heads := make([]byte, int(count)*meshHead)
	if err := readAt(f, heads, collisionHead, collisionName); err != nil {
		return nil, nil, err
	}
	meshes := make([]collisionMesh, count)
	for i := range meshes {
		b := heads[i*meshHead:]
		meshes[i] = collisionMesh{le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint32(b[24:]), le.Uint32(b[28:]), le.Uint32(b[32:])}
	}
	if fault := checkMeshes(meshes, uint64(f.Size())); fault != nil {
		return nil, fault, nil
	}
	found = &Collision{Meshes: len(meshes)}
	for _, m := range meshes {
		found.Vertices += int64(m.vertices)
		found.Triangles += int64(m.faces)
	}
	return found, nil, nil
}

// checkMeshes checks that all meshes are within the file and apart from each other.
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
