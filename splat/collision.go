package splat

import (
	"bytes"
	"context"
	"io"

	"portico/splat/folder"
	"portico/splat/gltf"
	"portico/splat/voxel"
)

// The endings of the names of a collision's files. Viewers load the first and find the
// second by its name.
const (
	CollisionSuffix       = voxel.JSONSuffix
	CollisionBinarySuffix = voxel.BinarySuffix
	// CollisionMeshSuffix is the ending of a mesh, which is one file.
	CollisionMeshSuffix = ".collision.glb"
)

// DefaultVoxelSize is the side of a voxel in metres, as in splat-transform.
const DefaultVoxelSize = voxel.DefaultResolution

// Scene is the kind of a capture: indoor, outdoor or object.
type Scene = voxel.Scene

// Start is the view that a visitor of a capture has first.
type Start = voxel.Start

// CollisionSteps says exactly how a collision is made.
type CollisionSteps = voxel.Steps

// CollisionOptions are the options of a collision. The zero value finds everything in the
// capture.
type CollisionOptions struct {
	voxel.Options

	// Steps are carried out as they are, without looking at the capture, if they are
	// not nil. There is no start then.
	Steps *CollisionSteps
	// Faces makes a mesh of the voxels' faces although the exporter of the capture added a
	// mesh of its own.
	Faces bool
}

// WriteCollision writes the space that the Gaussians fill as a sparse voxel octree, which
// viewers walk on. It writes two files: the name with CollisionBinarySuffix, and then with
// CollisionSuffix. It returns the facts of the result and the start, which is nil if Steps
// are given. The start is at the view that the file suggests, if a person can stand there.
// WriteCollision returns the same errors as WriteStreamedSOG.
func (c *Capture) WriteCollision(ctx context.Context, to folder.Writer, name string, v CollisionOptions, o ConvertOptions) (Facts, *Start, error) {
	if err := c.mustHoldGaussians(); err != nil {
		return Facts{}, nil, err
	}
	made, err := c.collision(ctx, v, voxel.Work{Workers: o.workers(), Progress: o.Progress})
	if err != nil {
		return Facts{}, nil, err
	}
	document, err := made.JSON()
	if err != nil {
		return Facts{}, nil, err
	}
	from, write := io.Pipe()
	go func() { write.CloseWithError(made.WriteBinary(write)) }()
	err = to.Put(ctx, name+CollisionBinarySuffix, made.BinarySize(), from)
	from.Close() //nolint:errcheck // never fails
	if err != nil {
		return Facts{}, nil, err
	}
	err = to.Put(ctx, name+CollisionSuffix, int64(len(document)), bytes.NewReader(document))
	return Facts{
		Format: FormatVoxels, Version: "1.1", Attribution: c.Facts.Attribution,
		Bounds: &Bounds{Min: made.Bounds.Min, Max: made.Bounds.Max},
	}, made.Start, err
}

// collision makes the collision by the steps that are given, or that fit the capture.
func (c *Capture) collision(ctx context.Context, v CollisionOptions, w voxel.Work) (*voxel.Collision, error) {
	if v.Steps != nil {
		return voxel.Voxelize(ctx, c.source, *v.Steps, w)
	}
	if view := c.view.inViewer(); view != nil && v.View == nil {
		v.View = &voxel.View{Position: view.Position, Target: view.Target}
	}
	return voxel.Build(ctx, c.source, v.Options, w)
}

// WriteCollisionMesh writes what people collide with as a GLB of triangles, in the axes of
// viewers: the mesh that the exporter of the capture added, or the faces of the voxels of
// WriteCollision, which are watertight. It returns what WriteCollision does; there is no
// start with an exporter's mesh.
func (c *Capture) WriteCollisionMesh(ctx context.Context, to io.Writer, v CollisionOptions, o ConvertOptions) (Facts, *Start, error) {
	if err := c.mustHoldGaussians(); err != nil {
		return Facts{}, nil, err
	}
	mesh, start, err := c.collisionMesh(ctx, v, o)
	if err != nil {
		return Facts{}, nil, err
	}
	box, err := gltf.WriteTriangles(to, mesh)
	return Facts{
		Format: FormatGLB, Version: "2.0", Attribution: c.Facts.Attribution, Bounds: &Bounds{Min: box.Min, Max: box.Max},
		Meshes: 1, Vertices: int64(len(mesh.Positions) / 3), Triangles: int64(len(mesh.Indices) / 3),
	}, start, err
}

// collisionMesh returns the mesh of WriteCollisionMesh.
func (c *Capture) collisionMesh(ctx context.Context, v CollisionOptions, o ConvertOptions) (gltf.Triangles, *Start, error) {
	if c.triangles != nil && !v.Faces && v.Steps == nil {
		mesh, err := c.triangles(ctx)
		return mesh, nil, err
	}
	made, err := c.collision(ctx, v, voxel.Work{Workers: o.workers(), Progress: o.Progress})
	if err != nil {
		return gltf.Triangles{}, nil, err
	}
	return gltf.Triangles(made.Faces()), made.Start, nil
}
