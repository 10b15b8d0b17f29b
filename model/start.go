package model

// Start is the view that a visitor of a capture has first. Its coordinates are the viewer's,
// in metres: y is up, and the data of a PLY is turned half around z.
type Start struct {
	// Position is the place of the eye, and Target what it looks at.
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
	// Up is the axis that is up in the capture. Where it is not y, people can walk once
	// the capture is turned.
	Up    [3]float64 `json:"up"`
	Scene Scene      `json:"scene"`
	// WalkableArea is the area that can be walked on from there, in square metres; 0 for
	// an object.
	WalkableArea float64 `json:"walkable_area"`
	// DoubtfulScale reports whether the capture's unit is probably not the metre.
	DoubtfulScale bool `json:"doubtful_scale,omitempty"`
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

// LooksAt returns Target as a list.
func (s *Start) LooksAt() []float64 { return s.Target[:] }

// Upwards returns Up as a list.
func (s *Start) Upwards() []float64 { return s.Up[:] }
