package spatial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"portico/splat"
	"portico/splat/folder"
)

// collisionFlags are the flags of a collision. The flags of single steps have the names that
// splat-transform uses. If any of these flags is set, only the given steps run.
type collisionFlags struct {
	Scene             string  `help:"Kind of the capture, for a collision: auto, indoor, outdoor or object." enum:"auto,indoor,outdoor,object" default:"auto"`
	VoxelSize         float64 `help:"Edge of a voxel in metres. Default: 0.05, or more for a large capture." placeholder:"METRES"`
	VoxelOpacity      float64 `help:"Minimum opacity of a solid voxel." default:"0.1" placeholder:"SHARE"`
	SeedPos           string  `help:"Free position of the eye where people start, in the coordinates of viewers." placeholder:"X,Y,Z"`
	VoxelExternalFill float64 `help:"Fill the exterior of a room, with this radius." placeholder:"METRES"`
	VoxelFloorFill    float64 `help:"Fill the volume below floors, with this radius." placeholder:"METRES"`
	VoxelCarve        string  `help:"Carve the volume that a person of this height and radius can reach." placeholder:"HEIGHT,RADIUS"`
	CollisionMesh     string  `help:"Mesh of FILE.collision.glb: faces of the voxels, or auto for the mesh that the exporter added, if there is one." enum:"auto,faces" default:"auto"`
}

// options returns the options of the collision. If onlyGivenSteps is set, the result has only the
// steps that flags give, even if no flag gives one. The zero value of a number means that its flag
// was not given.
//
// The rules of the flags:
//
//	sizes and radii    finite and not negative; 0 is not given
//	opacity            above 0 and below 1
//	positions          three finite numbers
func (f collisionFlags) options(onlyGivenSteps bool) (o splat.CollisionOptions, err error) {
	for _, size := range []float64{f.VoxelSize, f.VoxelExternalFill, f.VoxelFloorFill} {
		if !isFinite(size) {
			return o, errors.New("--voxel-size, --voxel-external-fill and --voxel-floor-fill must be finite numbers")
		}
		// Later code takes zero for "not given" and every other number for a size.
		if size < 0 {
			return o, errors.New("--voxel-size, --voxel-external-fill and --voxel-floor-fill must not be negative")
		}
	}
	// At 0 every voxel would be solid, and at 1 none.
	if !(f.VoxelOpacity > 0 && f.VoxelOpacity < 1) { // NaN is refused too
		return o, fmt.Errorf("--voxel-opacity=%g: must be above 0 and below 1", f.VoxelOpacity)
	}
	if f.Scene != "auto" {
		o.Scene = splat.Scene(f.Scene)
	}
	o.Faces = f.CollisionMesh == "faces"
	o.Resolution, o.Opacity = f.VoxelSize, f.VoxelOpacity
	seed := [3]float64{}
	if f.SeedPos != "" {
		if err := parseNumbers(f.SeedPos, seed[:]); err != nil {
			return o, fmt.Errorf("--seed-pos: %w", err)
		}
		o.Start = &seed
	}
	o.Steps, err = f.steps(onlyGivenSteps, seed)
	return o, err
}

// steps returns the steps that the flags give. Without such a flag it returns nil, which selects
// the default steps, unless onlyGivenSteps is set.
func (f collisionFlags) steps(onlyGivenSteps bool, seed [3]float64) (*splat.CollisionSteps, error) {
	if f.VoxelExternalFill == 0 && f.VoxelFloorFill == 0 && f.VoxelCarve == "" && !onlyGivenSteps {
		return nil, nil
	}
	s := &splat.CollisionSteps{
		Resolution: f.VoxelSize, Opacity: f.VoxelOpacity,
		ExteriorRadius: f.VoxelExternalFill, FillFloor: f.VoxelFloorFill > 0, FloorRadius: f.VoxelFloorFill, Seed: seed,
	}
	if s.Resolution == 0 {
		s.Resolution = splat.DefaultVoxelSize
	}
	if f.VoxelCarve != "" {
		var capsule [2]float64
		if err := parseNumbers(f.VoxelCarve, capsule[:]); err != nil {
			return nil, fmt.Errorf("--voxel-carve: %w", err)
		}
		s.Capsule.Height, s.Capsule.Radius = capsule[0], capsule[1]
	}
	return s, nil
}

// isFinite reports whether the number is neither infinite nor NaN.
func isFinite(number float64) bool { return !math.IsInf(number, 0) && !math.IsNaN(number) }

// parseNumbers parses exactly len(numbers) finite numbers, separated by commas, from a text.
func parseNumbers(text string, numbers []float64) (err error) {
	parts := strings.Split(text, ",")
	if len(parts) != len(numbers) {
		return fmt.Errorf("%q has %d numbers, and must have %d", text, len(parts), len(numbers))
	}
	for i, part := range parts {
		numbers[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !isFinite(numbers[i]) {
			return fmt.Errorf("%q is not a finite number", part)
		}
	}
	return nil
}

// collisionBinary returns the path of the binary file that belongs to the JSON file of a
// collision.
func collisionBinary(path string) string {
	return strings.TrimSuffix(path, splat.CollisionSuffix) + splat.CollisionBinarySuffix
}

// writeCollision writes the two files of a collision.
func (t target) writeCollision(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (result conversion, err error) {
	// Viewers derive the name of the binary file from the name of the JSON file.
	folderOnDisk, err := folder.OpenLocal(filepath.Dir(t.path))
	if err != nil {
		return conversion{}, err
	}
	defer func() { err = errors.Join(err, folderOnDisk.Close()) }()
	to := &countingFolder{Writer: folderOnDisk}
	result.Primary = filepath.Base(t.path)
	result.Facts, result.Start, err = capture.WriteCollision(ctx, to, strings.TrimSuffix(result.Primary, splat.CollisionSuffix), t.collision, o)
	result.Files, result.Bytes = to.files, to.bytes
	return result, err
}

func (t target) writeCollisionMesh(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (conversion, error) {
	result := conversion{Primary: filepath.Base(t.path), Files: 1}
	size, err := writeFile(t.path, func(w io.Writer) (err error) {
		result.Facts, result.Start, err = capture.WriteCollisionMesh(ctx, w, t.collision, o)
		return err
	})
	result.Bytes = size
	return result, err
}
