package lcc

import (
	"context"
	"math"

	"portico/splat/folder"
	"portico/splat/input"
)

// The files that some exporters write beside the capture. The white paper does not describe
// them.
const (
	attributesName = "attrs.lcp"
	// ThumbnailName is the picture that the exporter made.
	ThumbnailName = "thumb.jpg"
)

// maxAttributesBytes is the maximum size of attrs.lcp. Real files have half a kilobyte, and the
// poses of the scan are in another file.
const maxAttributesBytes = 1 << 20

// Start is where the owner of a capture wants visitors to start.
type Start struct {
	// Position is the eye, in metres with z up, as in the file. Target is a point one metre ahead.
	Position, Target [3]float64
}

// sceneAttributes is the part of attrs.lcp that is read: the pose of the camera at the start.
// Rotations are quaternions x, y, z, w. They rotate a camera that looks along -z with y up, as in
// glTF: for a level view, exporters write a quarter turn about x.
type sceneAttributes struct {
	SpawnPoint *struct {
		Position []float64 `json:"position"`
		Rotation []float64 `json:"rotation"`
	} `json:"spawnPoint"`
}

// readStart returns the start of a capture, or nil if it has no valid start. The file only
// suggests a view, so a fault in it is not an error of the capture.
func readStart(ctx context.Context, files folder.Reader) (*Start, error) {
	f, err := openOptional(ctx, files, attributesName)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	if f.Size() > maxAttributesBytes {
		return nil, nil //nolint:nilnil // not what exporters write
	}
	data := make([]byte, f.Size())
	if err := readAt(f, data, 0, attributesName); err != nil {
		return nil, err
	}
	var a sceneAttributes
	if input.DecodeTolerantJSON(data, &a) != nil || a.SpawnPoint == nil {
		return nil, nil //nolint:nilnil // without a start
	}
	position, rotation := a.SpawnPoint.Position, a.SpawnPoint.Rotation
	if len(position) != 3 || !areWithin(position, maxMagnitude) {
		return nil, nil //nolint:nilnil // without a valid position
	}
	if len(rotation) != 4 || !areWithin(rotation, 2) {
		rotation = []float64{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2} // a level view
	}
	direction := viewDirection(rotation)
	s := &Start{Position: [3]float64(position)}
	for k := range 3 {
		s.Target[k] = s.Position[k] + direction[k]
	}
	return s, nil
}

// areWithin reports whether all values are numbers from -limit to limit.
func areWithin(values []float64, limit float64) bool {
	for _, v := range values {
		if !(math.Abs(v) <= limit) { // negated to refuse NaN
			return false
		}
	}
	return true
}

// viewDirection returns the direction of -z after a rotation by a quaternion of any length. For
// a zero quaternion it returns a level view along y.
//
// It is the third column of the rotation matrix with its sign changed, divided by the square of the
// length, so that the quaternion need not have the length 1.
func viewDirection(q []float64) [3]float64 {
	x, y, z, w := q[0], q[1], q[2], q[3]
	square := x*x + y*y + z*z + w*w
	if square < 1e-12 {
		return [3]float64{0, 1, 0}
	}
	return [3]float64{-2 * (x*z + w*y) / square, -2 * (y*z - w*x) / square, 2*(x*x+y*y)/square - 1}
}
