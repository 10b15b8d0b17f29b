package model

import (
	"fmt"
	"math"
)

// Start is where a visitor of a capture starts. Its coordinates are the viewer's, in metres: y is
// up, and the data of a PLY is rotated by 180 degrees about z.
type Start struct {
	// Position is the position of the eyes, and Target is what they look at.
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
	// Up is the direction that is up in the capture. If it is not y, visitors can walk only
	// after the capture was rotated.
	Up [3]float64 `json:"up"`
	// Certainty is how sure the search is that Up is right, from 0 to 1; 0 in files that an earlier
	// version has prepared. Below CertainUp, Up is the direction of the file's axes.
	Certainty float64 `json:"certainty,omitempty"`
	Scene     Scene   `json:"scene"`
	// WalkableArea is the area that visitors can reach from Position, in square metres; 0 for
	// an object.
	WalkableArea float64 `json:"walkable_area"`
	// DoubtfulScale reports whether the capture's unit is probably not the metre.
	DoubtfulScale bool `json:"doubtful_scale,omitempty"`
	// SetByOwner reports whether the owner chose Position and Target. It is not stored.
	SetByOwner bool `json:"set_by_owner,omitempty"`
}

// Viewpoint is where to stand and what to look at, in the coordinates of Start.
type Viewpoint struct {
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
}

// FirstView returns the start of a visitor of the file: OwnStart if the owner has chosen one, or
// else Start, which may be nil.
func (f *File) FirstView() *Start {
	if f.OwnStart == nil {
		return f.Start
	}
	start := Start{Up: [3]float64{0, 1, 0}, Scene: SceneObject}
	if f.Start != nil {
		start = *f.Start
	}
	start.Position, start.Target, start.SetByOwner = f.OwnStart.Position, f.OwnStart.Target, true
	return &start
}

// UpdateFile is the input of updateFile.
type UpdateFile struct {
	ResourceKey string
	// SetStart reports whether to change the start: to Start, or if that is nil, back to the
	// start that was found.
	SetStart bool
	Start    *StartInput
}

// StartInput is a view that the owner of a file chooses.
type StartInput struct {
	Position []float64
	Target   []float64
}

// The limits of a view, in metres. Viewers lose precision beyond maxCoordinate. Below
// minViewDistance the direction from Position to Target would be rounding noise.
const (
	maxCoordinate   = 1e6
	minViewDistance = 1e-3
)

// Validate refuses a start for a file that visitors cannot enter, coordinates that viewers cannot
// show, and a target without a direction from the position.
func (in UpdateFile) Validate(file *File) error {
	if in.Start == nil {
		return nil
	}
	if !file.canHaveStart() {
		return InvalidField("start", "can be set only for a capture or a model")
	}
	if err := checkPoint("start.position", in.Start.Position); err != nil {
		return err
	}
	if err := checkPoint("start.target", in.Start.Target); err != nil {
		return err
	}
	view := in.Viewpoint()
	square := 0.0
	for k := range 3 {
		square += (view.Target[k] - view.Position[k]) * (view.Target[k] - view.Position[k])
	}
	if square < minViewDistance*minViewDistance {
		return InvalidField("start.target", "must be at least a millimetre away from the position")
	}
	return nil
}

// checkPoint refuses anything but three coordinates that a viewer can show.
func checkPoint(field string, point []float64) error {
	if len(point) != 3 {
		return InvalidField(field, "must have three numbers: x, y, z")
	}
	for _, v := range point {
		if !(math.Abs(v) <= maxCoordinate) { // also for NaN
			return InvalidField(field, fmt.Sprintf("must have finite numbers from %.0f to %.0f", -maxCoordinate, maxCoordinate))
		}
	}
	return nil
}

// Viewpoint returns the view of a valid input; nil for none.
func (in UpdateFile) Viewpoint() *Viewpoint {
	if in.Start == nil {
		return nil
	}
	return &Viewpoint{Position: [3]float64(in.Start.Position), Target: [3]float64(in.Start.Target)}
}

// canHaveStart reports whether a visitor can stand in the file or in front of it. Before the facts
// are known, every file can have a start.
func (f *File) canHaveStart() bool {
	switch f.FactsByKind().(type) {
	case nil, GaussianFacts, MeshFacts: // nil: not inspected yet
		return true
	}
	return false
}

// Scene is the kind of place that a capture shows.
type Scene string

// The kinds of places. Visitors walk in the first two, and look at an object from outside.
const (
	SceneIndoor  Scene = "indoor"
	SceneOutdoor Scene = "outdoor"
	SceneObject  Scene = "object"
)

// Eye returns Position as a list: x, y, z.
func (s *Start) Eye() []float64 { return s.Position[:] }

// LooksAt returns Target as a list: x, y, z.
func (s *Start) LooksAt() []float64 { return s.Target[:] }

// Upwards returns Up as a list: x, y, z.
func (s *Start) Upwards() []float64 { return s.Up[:] }
