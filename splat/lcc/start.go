package lcc

import (
	"context"
	"math"

	"portico/splat/folder"
	"portico/splat/input"
)

// Files that some exporters write beside the capture. The white paper does not describe
// them.
const (
	attributesName = "attrs.lcp"
	// ThumbnailName is the picture that the exporter made.
	ThumbnailName = "thumb.jpg"
)

// maxAttributesBytes is the maximum size of attrs.lcp. Real ones have half a kilobyte, and
// their poses are in a file of their own.
const maxAttributesBytes = 1 << 20

// Start is the place from which the owner of a capture wants it to be seen.
type Start struct {
	// Position is in metres with z up, as in the file, and Target a point one metre ahead.
	Position, Target [3]float64
}

// sceneAttributes is the part of attrs.lcp that is read: the start, as a person in it sees
// the scene. Rotations are x, y, z, w and turn a camera that looks along -z with y up, as
// in glTF: exporters write a quarter turn about x for a level view.
type sceneAttributes struct {
	SpawnPoint *struct {
		Position []float64 `json:"position"`
		Rotation []float64 `json:"rotation"`
	} `json:"spawnPoint"`
}

// readStart returns the start of a capture, or nil if it has none that can be used. A file
// that only suggests a view is no reason to refuse the capture.
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
		return nil, nil //nolint:nilnil // nowhere
	}
	if len(rotation) != 4 || !areWithin(rotation, 2) {
		rotation = []float64{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2} // level
	}
	ahead := lookingAlong(rotation)
	s := &Start{Position: [3]float64(position)}
	for k := range 3 {
		s.Target[k] = s.Position[k] + ahead[k]
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

// lookingAlong returns the direction of -z after a rotation of any length. No rotation
// gives a level view along y.
func lookingAlong(q []float64) [3]float64 {
	x, y, z, w := q[0], q[1], q[2], q[3]
	square := x*x + y*y + z*z + w*w
	if square < 1e-12 {
		return [3]float64{0, 1, 0}
	}
	return [3]float64{-2 * (x*z + w*y) / square, -2 * (y*z - w*x) / square, 2*(x*x+y*y)/square - 1}
}
