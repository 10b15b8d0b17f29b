// Package experience reads and writes the settings of SuperSplat's viewer (settings.json, version 2,
// and version 1 when reading): the first view, annotations, camera animation and look of a scene. It
// converts them to the entities of a space and back. Packages graph, worker and html use it.
//
// The format is documented by the types and by validateSettings of the npm package
// @playcanvas/supersplat-viewer. Its limits are of authoring: the viewer plays wider values, and so
// does Read, up to limits of our own. What is written keeps the limits of the format.
package experience

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// The limits of what is read.
const (
	// MaxBytes is the maximum size of settings, and MaxStoredBytes of those that are kept with a file.
	MaxBytes       = 1 << 20
	MaxStoredBytes = 256 << 10
	maxAnnotations = 500
	maxKeys        = 5000
	maxCoordinate  = 1e6
	minFOV, maxFOV = 10, 120
)

// Vector is a point, as x, y and z.
type Vector [3]float64

// Viewpoint is where the camera is, and what it looks at. A FOV of 0 is the space's own; otherwise it is
// the vertical field of view in degrees.
type Viewpoint struct {
	Position, Target Vector
	FOV              float64
}

// Settings are the parts of a file that a space can have. They are in the coordinates of the viewer.
type Settings struct {
	Camera      *Viewpoint // nil for none
	Annotations []Annotation
	Tracks      []Track
	// PlaysTrack reports whether the first track starts by itself.
	PlaysTrack bool
	Look       Look
}

// Annotation is a note at a point.
type Annotation struct {
	Position    Vector
	Title, Text string
	Camera      *Viewpoint // nil for none
	// EntityID is the id of the entity that was written as this annotation; "" for none.
	EntityID string
}

// Track is a camera animation.
type Track struct {
	Name     string
	Duration float64 // seconds
	Loop     string  // none, repeat or pingpong
	Step     bool    // the camera jumps from key to key
	Keys     []Key
	// IsPath reports whether a camera path of a space is this track.
	IsPath bool
}

// Key is where the camera is at a time, in seconds.
type Key struct {
	At float64
	Viewpoint
}

// The file. Unknown fields are ignored.
type document struct {
	Version            int                  `json:"version"`
	Tonemapping        string               `json:"tonemapping"`
	HighPrecision      bool                 `json:"highPrecisionRendering"`
	SoundURL           string               `json:"soundUrl,omitempty"`
	Background         background           `json:"background"`
	PostEffectSettings effects              `json:"postEffectSettings"`
	AnimTracks         []animTrack          `json:"animTracks"`
	Cameras            []initialCamera      `json:"cameras"`
	Annotations        []documentAnnotation `json:"annotations"`
	StartMode          string               `json:"startMode"`
	// Camera is of version 1.
	Camera *struct {
		camera
		StartAnim string `json:"startAnim"`
	} `json:"camera,omitempty"`
}

type camera struct {
	Position *Vector  `json:"position"`
	Target   *Vector  `json:"target"`
	FOV      *float64 `json:"fov"`
}

type initialCamera struct {
	Initial camera `json:"initial"`
}

type documentAnnotation struct {
	Position Vector          `json:"position"`
	Title    string          `json:"title"`
	Text     string          `json:"text"`
	Extras   json.RawMessage `json:"extras,omitempty"`
	Camera   initialCamera   `json:"camera"`
}

type animTrack struct {
	Name          string    `json:"name"`
	Duration      float64   `json:"duration"`
	FrameRate     float64   `json:"frameRate"`
	LoopMode      string    `json:"loopMode"`
	Interpolation string    `json:"interpolation"`
	Smoothness    float64   `json:"smoothness"`
	Keyframes     keyframes `json:"keyframes"`
}

type keyframes struct {
	Times  []float64 `json:"times"`
	Values struct {
		Position []float64 `json:"position"`
		Target   []float64 `json:"target"`
		FOV      []float64 `json:"fov,omitempty"`
	} `json:"values"`
}

// extras is what our files have in annotation.extras.
type extras struct {
	EntityID string `json:"porticoEntityId,omitempty"`
}

// The words of the format.
const (
	loopNone, loopRepeat, loopPingPong = "none", "repeat", "pingpong"
	startDefault, startTrack           = "default", "animTrack"
	interpolateStep, interpolateSpline = "step", "spline"
)

// Read reads a file. The error says what is wrong, for people.
func Read(content []byte) (*Settings, error) {
	d, err := decode(content)
	if err != nil {
		return nil, err
	}
	return d.settings()
}

// decode decodes a file, and checks that it is one.
func decode(content []byte) (*document, error) {
	if len(content) > MaxBytes {
		return nil, fmt.Errorf("have more than %d bytes", MaxBytes)
	}
	var d document
	if err := json.Unmarshal(content, &d); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf("have a wrong type at %s", wrong.Field)
		}
		return nil, errors.New("are not a JSON object")
	}
	var known map[string]json.RawMessage
	if json.Unmarshal(content, &known) != nil || known["camera"] == nil && known["cameras"] == nil && known["version"] == nil {
		return nil, errors.New("are not settings of SuperSplat's viewer")
	}
	if d.Version > 2 || d.Version < 0 {
		return nil, fmt.Errorf("have the version %d, and only 1 and 2 are known", d.Version)
	}
	if len(d.Annotations) > maxAnnotations {
		return nil, fmt.Errorf("have more than %d annotations", maxAnnotations)
	}
	return &d, nil
}

// settings returns what a space can have of the file.
func (d *document) settings() (*Settings, error) {
	s := &Settings{PlaysTrack: d.StartMode == startTrack, Look: d.look()}
	cameras := d.Cameras
	if d.Version < 2 && d.Camera != nil {
		cameras, s.PlaysTrack = []initialCamera{{d.Camera.camera}}, d.Camera.StartAnim == startTrack
	}
	if len(cameras) > 0 {
		s.Camera = cameras[0].Initial.viewpoint()
	}
	for i, a := range d.Annotations {
		if !isPlace(a.Position) {
			return nil, fmt.Errorf("have a wrong position of annotation %d", i+1)
		}
		var extra extras
		_ = json.Unmarshal(a.Extras, &extra) // other programs have extras of their own
		s.Annotations = append(s.Annotations, Annotation{a.Position, storable(a.Title), storable(a.Text), a.Camera.Initial.viewpoint(), extra.EntityID})
	}
	for i, track := range d.AnimTracks {
		read, err := track.read(d.Version)
		if err != nil {
			return nil, fmt.Errorf("have a wrong animTrack %d: %w", i+1, err)
		}
		if read != nil {
			s.Tracks = append(s.Tracks, *read)
		}
	}
	return s, nil
}

// storable returns a text without the character that Postgres cannot store.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// viewpoint returns the camera; nil for one that has no position or looks nowhere.
func (c camera) viewpoint() *Viewpoint {
	if c.Position == nil || c.Target == nil || !isPlace(*c.Position) || !isPlace(*c.Target) || *c.Position == *c.Target {
		return nil
	}
	v := &Viewpoint{Position: *c.Position, Target: *c.Target}
	if c.FOV != nil && *c.FOV >= minFOV && *c.FOV <= maxFOV {
		v.FOV = *c.FOV
	}
	return v
}

func isPlace(v Vector) bool {
	for _, coordinate := range v {
		if math.Abs(coordinate) > maxCoordinate {
			return false
		}
	}
	return true
}

// read returns the track; nil for one without keys, or of something else than the camera.
func (t animTrack) read(version int) (*Track, error) {
	count, values := len(t.Keyframes.Times), t.Keyframes.Values
	if count == 0 || len(values.Position) == 0 {
		return nil, nil
	}
	if count > maxKeys || len(values.Position) != 3*count || len(values.Target) != 3*count || len(values.FOV) != 0 && len(values.FOV) != count {
		return nil, fmt.Errorf("each of up to %d keys needs a position and a target", maxKeys)
	}
	rate, err := t.rate(version)
	if err != nil {
		return nil, err
	}
	track := &Track{Name: storable(t.Name), Duration: t.Duration, Loop: t.LoopMode, Step: t.Interpolation == interpolateStep}
	for i := range t.Keyframes.Times {
		key := t.key(i, rate)
		if !key.isNear() || i > 0 && key.At < track.Keys[i-1].At {
			return nil, errors.New("the times must ascend, and the places be near")
		}
		track.Keys = append(track.Keys, key)
	}
	track.Duration = max(track.Duration, track.Keys[count-1].At)
	return track, nil
}

// rate returns how many frames a second has. Times of version 1 without a rate are seconds.
func (t animTrack) rate(version int) (float64, error) {
	switch {
	case t.FrameRate < 0 || t.FrameRate > 1000:
		return 0, errors.New("the frameRate must be 1 to 1000")
	case t.FrameRate > 0:
		return t.FrameRate, nil
	case version < 2:
		return 1, nil
	}
	return frameRate, nil
}

// key returns a key of a track with all its values.
func (t animTrack) key(i int, rate float64) Key {
	key, values := Key{At: t.Keyframes.Times[i] / rate}, t.Keyframes.Values
	copy(key.Position[:], values.Position[3*i:])
	copy(key.Target[:], values.Target[3*i:])
	if len(values.FOV) > 0 && values.FOV[i] >= minFOV && values.FOV[i] <= maxFOV {
		key.FOV = values.FOV[i]
	}
	return key
}

// isNear reports whether the key is within the limits of time and space.
func (k Key) isNear() bool {
	return isPlace(k.Position) && isPlace(k.Target) && k.At >= 0 && k.At <= maxCoordinate
}
