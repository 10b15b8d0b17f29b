package experience

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
)

// The limits of what is written, which are the format's.
const (
	writtenAnnotations, writtenTracks, writtenKeys = 25, 10, 1000
	maxTitle, maxText, maxName                     = 60, 280, 120
	minDuration, maxDuration                       = 0.1, 600
	frameRate                                      = 30
	// defaultFOV is the field of view of a camera that has none.
	defaultFOV = 75
)

// Write returns the settings as a file of version 2.
func (s *Settings) Write() []byte {
	d := document{Version: 2, StartMode: startDefault, AnimTracks: []animTrack{}, Cameras: []initialCamera{}, Annotations: []documentAnnotation{}}
	s.Look.write(&d)
	fov := s.fov()
	if s.Camera != nil {
		d.Cameras = append(d.Cameras, written(*s.Camera, fov))
	}
	for _, a := range s.Annotations[:min(len(s.Annotations), writtenAnnotations)] {
		view := a.Camera
		if view == nil { // the format needs one: two metres in front of the point
			view = &Viewpoint{Position: Vector{a.Position[0], a.Position[1], a.Position[2] + 2}, Target: a.Position}
		}
		extra, err := json.Marshal(extras{a.EntityID})
		if err != nil || a.EntityID == "" { // a text cannot fail
			extra = nil
		}
		d.Annotations = append(d.Annotations, documentAnnotation{
			Position: rounded(a.Position), Title: cut(a.Title, maxTitle), Text: cut(a.Text, maxText), Extras: extra, Camera: written(*view, fov),
		})
	}
	for _, track := range s.Tracks[:min(len(s.Tracks), writtenTracks)] {
		if len(track.Keys) > 0 {
			d.AnimTracks = append(d.AnimTracks, track.write(fov))
		}
	}
	if s.PlaysTrack && len(d.AnimTracks) > 0 {
		d.StartMode = startTrack
	}
	content, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		panic("experience: " + err.Error()) // its numbers are finite and its texts are valid
	}
	return append(content, '\n')
}

// fov returns the field of view of cameras that have none.
func (s *Settings) fov() float64 {
	if s.Camera != nil && s.Camera.FOV != 0 {
		return s.Camera.FOV
	}
	return defaultFOV
}

// HasPath reports whether a camera path of the settings, which are those of a space, is written as the
// track: an import of the track would add the path a second time.
func (s *Settings) HasPath(track Track) bool {
	wanted := marshal(track.write(s.fov()))
	return slices.ContainsFunc(s.Tracks, func(t Track) bool { return t.IsPath && bytes.Equal(marshal(t.write(s.fov())), wanted) })
}

func written(v Viewpoint, fov float64) initialCamera {
	position, target := rounded(v.Position), rounded(v.Target)
	if v.FOV != 0 {
		fov = v.FOV
	}
	return initialCamera{camera{&position, &target, &fov}}
}

func (t Track) write(fov float64) animTrack {
	out := animTrack{
		Name: cut(t.Name, maxName), FrameRate: frameRate, LoopMode: t.Loop, Interpolation: interpolateSpline, Smoothness: 1,
		Duration: min(max(t.Duration, minDuration), maxDuration),
	}
	if t.Step {
		out.Interpolation = interpolateStep
	}
	values, last := &out.Keyframes.Values, -1.0
	for _, key := range t.Keys {
		frame := math.Round(key.At * frameRate)
		if frame <= last || frame > maxDuration*frameRate || len(out.Keyframes.Times) == writtenKeys {
			continue
		}
		last = frame
		position, target := rounded(key.Position), rounded(key.Target)
		out.Keyframes.Times = append(out.Keyframes.Times, frame)
		values.Position, values.Target = append(values.Position, position[:]...), append(values.Target, target[:]...)
		if key.FOV == 0 {
			key.FOV = fov
		}
		values.FOV = append(values.FOV, key.FOV)
	}
	return out
}

// rounded returns the point in steps of a micrometre.
func rounded(v Vector) Vector {
	for i := range v {
		v[i] = math.Round(v[i]*1e6)/1e6 + 0 // no -0
	}
	return v
}

// cut returns at most maximum characters of a text, as JavaScript counts them.
func cut(text string, maximum int) string {
	units := 0
	for i, c := range text {
		units++
		if c > 0xFFFF {
			units++
		}
		if units > maximum {
			return text[:i]
		}
	}
	return text
}
