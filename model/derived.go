package model

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DerivedRoot returns the folder, as a resource key, of the objects derived from the file, such as
// its posters and its view. Keys of uploads begin with api_uploads, and no two files have the same
// upload, so no other key is in this folder.
func (f *File) DerivedRoot() string { return "derived/" + f.UploadID + "/" }

// DerivedStorageRoot returns DerivedRoot as a prefix of storage keys, which start with the account.
func (f *File) DerivedStorageRoot() string { return f.UserID + "/" + f.DerivedRoot() }

// PosterStorageKey returns the poster's key in the store; empty while there is none.
func (f *File) PosterStorageKey() string { return f.derivedKey(f.PosterKey) }

// CollisionStorageKey returns the key in the store of the collision's first object; empty
// while there is none.
func (f *File) CollisionStorageKey() string { return f.derivedKey(f.CollisionKey) }

// ViewStorageKey returns the key in the store of the object that a viewer loads: the first
// object of the view, or the file's own if it has none.
func (f *File) ViewStorageKey() string {
	if f.ViewKey == "" {
		return f.StorageKey()
	}
	return f.derivedKey(f.ViewKey)
}

// NeedsView reports whether the file needs a view and has none yet. Every file of Gaussians needs
// one, and the mesh of a PLY, except a streamed SOG: viewers load streamed SOG level by level, so that all captures of a
// space share one budget of Gaussians. Before the facts are known, the name decides.
func (f *File) NeedsView() bool {
	if f.ViewKey != "" {
		return false
	}
	if f.Facts != nil {
		return f.Facts.hasView()
	}
	return extensionOf(f.ResourceKey).has(gaussiansOnly)
}

// ViewName returns the name of the first object of the file's view. Viewers recognise the format by
// it.
func (f *File) ViewName() string {
	if f.Facts != nil && f.Facts.isMeshPLY() {
		return "mesh.glb"
	}
	return "lod-meta.json"
}

// ViewEdits returns the edits with which the file is converted to its view. They remove Gaussians
// that are far outside, and turn a glTF, which has y up, so that the view has y down like every
// streamed SOG.
func (f *File) ViewEdits() []Edit {
	if f.Facts != nil && f.Facts.isMeshPLY() {
		return nil
	}
	edits := []Edit{{Name: "filter-outliers"}}
	if f.Facts != nil && (f.Facts.Format == FormatGLB || f.Facts.Format == FormatGLTF) {
		edits = append(edits, Edit{Name: "rotate", Value: "0,0,180"})
	}
	return edits
}

// FileOf returns the owner and the upload id of the file that an object in the store belongs to.
// The object is the file itself, or was extracted or derived from it. ok is false for other keys.
func FileOf(storageKey string) (userID, id string, ok bool) {
	parts := strings.SplitN(storageKey, "/", 4)
	switch {
	case len(parts) >= 3 && parts[1] == "api_uploads":
		id, _, ok = strings.Cut(parts[2], "_")
	case len(parts) == 4 && parts[1] == "derived":
		id, ok = parts[2], true
	}
	return parts[0], id, ok
}

func (f *File) derivedKey(key string) string {
	if key == "" {
		return ""
	}
	return f.UserID + "/" + key
}

// derivedGrace is longer than any attempt that makes a poster or a view.
const derivedGrace = 24 * time.Hour

// DerivedUntil returns the time after which an attempt that derives objects from a file now has
// ended. If the file is deleted now, its attempts have noticed that by then, or were killed.
func DerivedUntil(now time.Time) time.Time { return now.Add(derivedGrace) }

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

// Poster is a picture of a file in one size, as clients see it.
type Poster struct {
	URL    string `json:"url" jsonschema:"The picture's address, signed like view_url."`
	Width  int    `json:"width" jsonschema:"The width in pixels."`
	Height int    `json:"height" jsonschema:"The height in pixels."`
}

// BuiltInPicture is a picture that comes with the server, a JPEG.
type BuiltInPicture struct {
	Poster
	Content []byte
}

// Posters are the stored pictures of a file.
type Posters struct {
	// From is the viewpoint of the pictures; nil if they show the whole subject.
	From *PosterView `json:"from,omitempty"`
	// Sizes has the picture in each size. The first is the picture of File.PosterKey.
	Sizes []StoredPoster `json:"sizes"`
	// Turntable is the picture in motion; nil for none, as for an image.
	Turntable *StoredTurntable `json:"turntable,omitempty"`
}

// StoredPoster is a stored picture of a file.
type StoredPoster struct {
	Key    string `json:"key"` // in the form of a resource key
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bytes  int64  `json:"bytes"`
}

// TurntableFrames is the number of frames of every turntable. The style sheets of the gallery and the
// console have it too.
const TurntableFrames = 24

// Turntable is a strip of frames that turn the subject of a poster once, as clients see it.
type Turntable struct {
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Frames int    `json:"frames"`
}

// StoredTurntable is a stored strip of frames, one below the other. The size is that of a frame.
type StoredTurntable struct {
	StoredPoster
	Frames int `json:"frames"`
}

// Objects returns all stored pictures; none for nil.
func (p *Posters) Objects() []StoredPoster {
	switch {
	case p == nil:
		return nil
	case p.Turntable == nil:
		return p.Sizes
	}
	return append(slices.Clone(p.Sizes), p.Turntable.StoredPoster)
}

// bytes returns the size of all pictures.
func (p *Posters) bytes() (sum int64) {
	for _, picture := range p.Objects() {
		sum += picture.Bytes
	}
	return sum
}

// Growth returns the size of the pictures minus the size of the pictures that they replace, in
// bytes. replaced may be nil.
func (p *Posters) Growth(replaced *Posters) int64 { return p.bytes() - replaced.bytes() }

// AtLeast returns the smallest picture of at least the width, or the widest one if all are smaller.
func (p *Posters) AtLeast(width int) (best StoredPoster) {
	for _, picture := range p.Sizes {
		switch {
		case best.Key == "",
			best.Width < width && picture.Width > best.Width,
			picture.Width >= width && picture.Width < best.Width:
			best = picture
		}
	}
	return best
}

// PosterView is the viewpoint of a poster, in the coordinates of Start.
type PosterView struct {
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
	Up       [3]float64 `json:"up"`
}

// PosterView returns the viewpoint of the file's poster: its first view, so that the page of a space
// begins with the same picture. It returns nil for a poster that shows the whole subject: before
// there is a view, and for objects that an earlier version has prepared, whose Up was a guess.
func (f *File) PosterView() *PosterView {
	start := f.FirstView()
	if start == nil || f.Facts == nil || f.Facts.Splats == 0 {
		return nil
	}
	if start.Scene == SceneObject && start.Certainty == 0 && !start.SetByOwner {
		return nil
	}
	return &PosterView{start.Position, start.Target, start.Up}
}

// LooksAround reports whether the poster of the file is taken from inside a place. That of an object
// looks at it from outside.
func (f *File) LooksAround() bool { return f.PosterView() != nil && f.FirstView().Scene != SceneObject }

// HasPosters reports whether the file has posters that show its current PosterView.
func (f *File) HasPosters() bool {
	return f.Posters != nil && f.Posters.From.equal(f.PosterView())
}

// NeedsPosters reports whether a worker should draw posters of the file, whose facts are known.
func (f *File) NeedsPosters() bool { return !f.HasPosters() && f.Facts.HasPoster() }

// equal reports whether two viewpoints are the same.
func (v *PosterView) equal(other *PosterView) bool {
	if v == nil || other == nil {
		return v == other
	}
	return *v == *other
}

// Match reports whether the posters show the current PosterView of the file.
func (p *Posters) Match(f *File) bool { return p.From.equal(f.PosterView()) }

// WarningWholeZip is the warning of a zip that was not extracted.
const WarningWholeZip = "The file is a zip without a manifest that viewers know (.lcc2, .lcc, lod-meta.json, " +
	"meta.json or .gltf) and not of one capture, so it cannot be viewed. Upload a zip with a manifest or one capture"

// warningSeveralCaptures is the warning of a zip with these captures.
const warningSeveralCaptures = "The zip has several captures: %s. Choose one of them on the page of the file"

// maxNamedCaptures is the maximum number of captures that the warning names.
const maxNamedCaptures = 8

// Warning returns the reason why spaces cannot show the file; nil if none is known. Damage is known
// once the file was inspected, soon after its upload.
func (f *File) Warning() *string {
	var text string
	switch {
	case len(f.Captures) > 0:
		text = fmt.Sprintf(warningSeveralCaptures, f.captureNames())
	case strings.EqualFold(path.Ext(f.ResourceKey), ".zip"):
		text = WarningWholeZip
	case f.Facts != nil && f.Facts.Format == FormatInvalid:
		text = fmt.Sprintf("The file is damaged and may not be viewable: %s", f.Facts.Fault)
	default:
		return nil
	}
	return &text
}

// captureNames returns the names of the first captures of a zip, quoted.
func (f *File) captureNames() string {
	var names []string
	for _, capture := range f.Captures[:min(len(f.Captures), maxNamedCaptures)] {
		names = append(names, strconv.Quote(capture.Name))
	}
	if more := len(f.Captures) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// CompletedMessage returns the last message of the job that made the file, with the warning
// if there is one.
func (f *File) CompletedMessage() string {
	if warning := f.Warning(); warning != nil {
		return "Completed. " + *warning
	}
	return "Completed"
}
