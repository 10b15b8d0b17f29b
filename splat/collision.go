package splat

import (
	"bytes"
	"context"
	"io"

	"portico/splat/folder"
	"portico/splat/gltf"
	"portico/splat/picture"
	"portico/splat/voxel"
)

// The ends of the names of a collision's files. Viewers load the first file, and derive the
// name of the second from it.
const (
	CollisionSuffix       = voxel.JSONSuffix
	CollisionBinarySuffix = voxel.BinarySuffix
	// CollisionMeshSuffix is the end of the name of a collision mesh, which is one file.
	CollisionMeshSuffix = ".collision.glb"
)

// DefaultVoxelSize is the side of a voxel in metres, as in splat-transform.
const DefaultVoxelSize = voxel.DefaultResolution

// Scene is the kind of a capture: indoor, outdoor or object.
type Scene = voxel.Scene

// Start is the first view of a visitor of a capture.
type Start = voxel.Start

// CollisionSteps are the settings of each step of making a collision.
type CollisionSteps = voxel.Steps

// CollisionOptions are the options of a collision. With the zero value everything is derived
// from the capture.
type CollisionOptions struct {
	voxel.Options

	// Steps, if not nil, are carried out without changes instead of being chosen for the
	// capture. There is no start then.
	Steps *CollisionSteps
	// Faces makes a mesh of the voxels' faces even if the exporter of the capture added a mesh.
	Faces bool
}

// WriteCollision writes the space that the Gaussians fill as a sparse voxel octree (see package
// voxel), on which visitors walk. It writes two files: the name with CollisionBinarySuffix, and
// then the name with CollisionSuffix. It returns the facts of the result and the start, which
// is nil if Steps are given. The start is at the view that the file suggests, if a person can
// stand there. WriteCollision returns the same errors as WriteStreamedSOG.
func (c *Capture) WriteCollision(ctx context.Context, to folder.Writer, name string, v CollisionOptions, o ConvertOptions) (Facts, *Start, error) {
	if err := c.mustHaveGaussians(); err != nil {
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
	// The binary file may have hundreds of megabytes, so it is not built in memory. The goroutine
	// ends when Put has read everything, or when the pipe is closed.
	from, write := io.Pipe()
	go func() { write.CloseWithError(made.WriteBinary(write)) }()
	err = to.Put(ctx, name+CollisionBinarySuffix, made.BinarySize(), from)
	from.Close() //nolint:errcheck // never fails; it ends the goroutine if Put has failed
	if err != nil {
		return Facts{}, nil, err
	}
	// The JSON file is last: viewers load it first, and find a complete binary file then.
	err = to.Put(ctx, name+CollisionSuffix, int64(len(document)), bytes.NewReader(document))
	bounds := Bounds(made.Bounds) // a copy: a pointer into the collision would keep its voxels in memory
	return Facts{
		Format: FormatVoxels, Version: "1.1", Attribution: c.Facts.Attribution, Bounds: &bounds,
	}, made.Start, err
}

// collision makes the collision with the given steps, or with steps that are chosen for the
// capture. The view of v has precedence over the view that the file suggests.
func (c *Capture) collision(ctx context.Context, v CollisionOptions, w voxel.Work) (*voxel.Collision, error) {
	if v.Steps != nil {
		return voxel.Voxelise(ctx, c.source, *v.Steps, w)
	}
	if view := c.view.inViewer(); view != nil && v.View == nil {
		v.View = &voxel.View{Position: view.Position, Target: view.Target}
	}
	if c.up != nil {
		up := halfTurn(*c.up)
		v.Up = &up
	}
	v.Normalised = c.normalised
	made, err := voxel.Build(ctx, c.source, v.Options, w)
	if err != nil || v.Start != nil || v.View != nil || v.Scene != SceneAuto {
		return made, err
	}
	return made, c.frameSubject(ctx, made.Start)
}

// SceneAuto lets the content of the capture decide.
const SceneAuto = voxel.SceneAuto

// frameSubject makes sure that the subject is in the first view. An object is framed as in its
// poster, and so is a place that is hardly seen from where a visitor would stand.
func (c *Capture) frameSubject(ctx context.Context, start *Start) error {
	if start.Scene != voxel.SceneObject {
		camera := (&Viewpoint{start.Position, start.Target, start.Up}).camera()
		cloud, err := picture.SelectInView(ctx, c.source, picture.DefaultWidth, picture.DefaultHeight, *camera)
		if err != nil {
			return err
		}
		if seen, err := picture.ShowsSubject(ctx, cloud, *camera); seen || err != nil {
			return err
		}
		start.Scene, start.WalkableArea = voxel.SceneObject, 0
	}
	cloud, err := picture.Select(ctx, c.source)
	if err != nil {
		return err
	}
	up := halfTurn(start.Up)
	camera := picture.FacingFrom(cloud, [3]float64{-up[0], -up[1], -up[2]}, picture.DefaultWidth, picture.DefaultHeight)
	start.Position, start.Target = halfTurn(camera.Eye), halfTurn(camera.Target)
	return nil
}

// WriteCollisionMesh writes the collision as a GLB of triangles, in the axes of viewers: the
// mesh that the exporter of the capture added, or else the faces of the voxels of
// WriteCollision, which are watertight. It returns the same as WriteCollision; with an
// exporter's mesh there is no start.
func (c *Capture) WriteCollisionMesh(ctx context.Context, to io.Writer, v CollisionOptions, o ConvertOptions) (Facts, *Start, error) {
	if err := c.mustHaveGaussians(); err != nil {
		return Facts{}, nil, err
	}
	mesh, start, err := c.collisionMesh(ctx, v, o)
	if err != nil {
		return Facts{}, nil, err
	}
	box, err := gltf.WriteTriangles(to, mesh)
	return Facts{
		Format: FormatGLB, Version: "2.0", Attribution: c.Facts.Attribution, Bounds: &box,
		Meshes: 1, Vertices: int64(len(mesh.Positions) / 3), Triangles: int64(len(mesh.Indices) / 3),
	}, start, err
}

func (c *Capture) collisionMesh(ctx context.Context, v CollisionOptions, o ConvertOptions) (gltf.Triangles, *Start, error) {
	if c.triangles != nil && !v.Faces && v.Steps == nil {
		mesh, err := c.triangles(ctx)
		return mesh, nil, err
	}
	made, err := c.collision(ctx, v, voxel.Work{Workers: o.workers(), Progress: o.Progress})
	if err != nil {
		return gltf.Triangles{}, nil, err
	}
	faces := made.Faces()
	return gltf.Triangles{Positions: faces.Positions, Indices: faces.Indices}, made.Start, nil
}
