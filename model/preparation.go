package model

// PreparationStep is a step of the background work on a stored file.
type PreparationStep string

// File.Preparation returns only the steps that the file needs.
const (
	StepFacts     PreparationStep = "facts"     // inspects the file
	StepPoster    PreparationStep = "poster"    // draws the posters
	StepView      PreparationStep = "view"      // makes the streamed SOG that viewers load
	StepCollision PreparationStep = "collision" // makes what visitors walk on, and finds their start
)

// PreparationState says how far a step is. A step that does not apply to a file has no state.
type PreparationState string

// The states. A failed step leaves the file as it is.
const (
	StepPending PreparationState = "pending"
	StepReady   PreparationState = "ready"
	StepFailed  PreparationState = "failed"
)

// Preparation is a step with its state.
type Preparation struct {
	Step    PreparationStep
	State   PreparationState
	Message string
}

// Failures are the reasons why steps were given up.
type Failures map[PreparationStep]string

// HasPoster reports whether the preparation makes a poster of a file with these facts.
func (f *FileFacts) HasPoster() bool {
	switch f.Format {
	case FormatJPEG, FormatPNG, FormatGIF, FormatWebP:
		return true
	case FormatInvalid:
		return false
	}
	// Only the Gaussians of a glTF can be drawn, so a model without them has no poster.
	return f.Splats > 0
}

// HasCollision reports whether the preparation makes a collision of a file with these facts.
func (f *FileFacts) HasCollision() bool { return f.Format != FormatInvalid && f.Splats > 0 }

// hasView reports whether viewers need another file: a streamed SOG of Gaussians, unless the file is
// one itself, or a glTF of the mesh of a PLY.
func (f *FileFacts) hasView() bool {
	return f.HasCollision() && f.Format != FormatStreamedSOG || f.isMeshPLY()
}

// isMeshPLY reports whether the file is a PLY with a mesh.
func (f *FileFacts) isMeshPLY() bool { return f.Format == FormatMeshPLY && f.Triangles > 0 }

// Preparation returns the steps of the file's preparation, in their order. Until the facts are
// known, StepFacts is the only step.
func (f *File) Preparation() []*Preparation {
	steps := []*Preparation{f.step(StepFacts, f.Facts != nil, "The file is being inspected", "The file was inspected")}
	if f.Facts == nil {
		return steps
	}
	if f.Facts.HasPoster() {
		steps = append(steps, f.step(StepPoster, f.HasPosters(), "The poster is being drawn", "The poster was drawn"))
	}
	if f.Facts.hasView() {
		pending, done := "The levels of detail are being made", "The levels of detail were made"
		if f.Facts.isMeshPLY() {
			pending, done = "The mesh is being prepared for viewers", "The mesh was prepared for viewers"
		}
		steps = append(steps, f.step(StepView, f.ViewKey != "", pending, done))
	}
	if f.Facts.HasCollision() {
		steps = append(steps, f.step(StepCollision, f.CollisionKey != "", "The walkable floor is being made", "The walkable floor was made"))
	}
	return steps
}

// step returns the state of a step. A step that is ready is not failed, even if it failed earlier.
func (f *File) step(step PreparationStep, ready bool, pending, done string) *Preparation {
	if ready {
		return &Preparation{step, StepReady, done}
	}
	if reason, failed := f.Failures[step]; failed {
		return &Preparation{step, StepFailed, reason}
	}
	return &Preparation{step, StepPending, pending}
}
