package experience

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

// MaxPathBytes is the maximum size of a camera path (.path) that becomes a track.
const MaxPathBytes = 1 << 20

// The limits of a path, as in web/space/src/guide/sequence.ts, which plays paths and has the same formula.
const (
	maxPathKeys  = 2000
	maxPathFrame = 1e6
	maxPathFPS   = 1000
	// pathStep is the longest time between two keys that a track gets of a path, in seconds: the splines
	// of the two formats differ between keys.
	pathStep = 0.25
	// pathTarget is how far before the camera of a path its target is, in metres.
	pathTarget = 4
)

// pathTrack has the keys of one property, in ascending order of frames.
type pathTrack struct {
	keys   []pathKey
	isTurn bool // of rotations: quaternions
}

type pathKey struct {
	frame float64
	value []float64
}

// path is the camera of a camera path.
type path struct {
	name                    string
	fps                     float64
	position, rotation, fov pathTrack
}

// readPath reads the camera of a camera path; nil for a file that moves no camera.
func readPath(content []byte) *path {
	type property struct {
		Keyframes []struct {
			FrameNumber  float64
			KeyframeData json.RawMessage
		}
	}
	var file struct {
		Name     string
		Disabled bool
		Data     struct {
			FPS        *float64
			Entities   map[string]map[string]property
			Properties map[string]property // of older files
		}
	}
	if len(content) > MaxPathBytes || json.Unmarshal(content, &file) != nil || file.Disabled {
		return nil
	}
	camera := file.Data.Entities["main-camera"]
	if file.Data.Entities == nil {
		camera = file.Data.Properties
	}
	p := &path{name: file.Name, fps: 30}
	if fps := file.Data.FPS; fps != nil {
		p.fps = *fps
	}
	if !(p.fps > 0 && p.fps <= maxPathFPS) {
		return nil
	}
	for _, track := range []struct {
		name string
		axes []string
		into *pathTrack
	}{{"position", []string{"x", "y", "z"}, &p.position}, {"rotation", []string{"x", "y", "z", "w"}, &p.rotation}, {"fov", nil, &p.fov}} {
		track.into.isTurn = len(track.axes) == 4
		for _, key := range camera[track.name].Keyframes {
			value := readPathValue(key.KeyframeData, track.axes)
			if value == nil || !(key.FrameNumber >= 0 && key.FrameNumber <= maxPathFrame) || len(track.into.keys) == maxPathKeys {
				return nil
			}
			track.into.keys = append(track.into.keys, pathKey{key.FrameNumber, value})
		}
		slices.SortStableFunc(track.into.keys, func(a, b pathKey) int { return cmp.Compare(a.frame, b.frame) })
	}
	if len(p.position.keys) == 0 {
		return nil
	}
	return p
}

// readPathValue returns the numbers of a key; nil if it lacks one.
func readPathValue(raw json.RawMessage, axes []string) []float64 {
	if axes == nil {
		var number float64
		if json.Unmarshal(raw, &number) != nil {
			return nil
		}
		return []float64{number}
	}
	var named map[string]any
	if json.Unmarshal(raw, &named) != nil {
		return nil
	}
	values := make([]float64, 0, len(axes))
	for _, axis := range axes {
		number, ok := named[axis].(float64)
		if !ok || math.Abs(number) > maxCoordinate {
			return nil
		}
		values = append(values, number)
	}
	if len(axes) == 4 && !normalise(values) {
		return nil
	}
	return values
}

// normalise scales a vector to the length 1, and reports whether it has a length.
func normalise(v []float64) bool {
	var sum float64
	for _, n := range v {
		sum += n * n
	}
	length := math.Sqrt(sum)
	if length < 1e-9 {
		return false
	}
	for i := range v {
		v[i] /= length
	}
	return true
}

// at returns the value at a frame: uniform Catmull-Rom, which repeats the keys at the ends, and rests
// before the first and after the last. Of two keys on one frame the later one counts from there on. It
// returns nil without keys.
func (t pathTrack) at(frame float64) []float64 {
	if len(t.keys) == 0 {
		return nil
	}
	next := slices.IndexFunc(t.keys, func(k pathKey) bool { return k.frame > frame })
	if next <= 0 {
		if next == 0 {
			return t.keys[0].value
		}
		return t.keys[len(t.keys)-1].value
	}
	from, to := t.keys[next-1], t.keys[next]
	before, after := from, to
	if next >= 2 {
		before = t.keys[next-2]
	}
	if next+1 < len(t.keys) {
		after = t.keys[next+1]
	}
	points := [4][]float64{before.value, from.value, to.value, after.value}
	if t.isTurn {
		for i := 1; i < len(points); i++ {
			points[i] = alignedTo(points[i-1], points[i])
		}
	}
	f := (frame - from.frame) / (to.frame - from.frame)
	value := make([]float64, len(from.value))
	for i := range value {
		a, b, c, d := points[0][i], points[1][i], points[2][i], points[3][i]
		start, end, way := (c-a)/2, (d-b)/2, c-b
		value[i] = b + f*(start+f*(3*way-2*start-end+f*(start+end-2*way)))
	}
	if t.isTurn && !normalise(value) {
		return []float64{0, 0, 0, 1}
	}
	return value
}

// alignedTo returns a rotation in the hemisphere of another.
func alignedTo(other, rotation []float64) []float64 {
	var dot float64
	for i := range rotation {
		dot += rotation[i] * other[i]
	}
	if dot >= 0 {
		return rotation
	}
	negated := make([]float64, len(rotation))
	for i := range rotation {
		negated[i] = -rotation[i]
	}
	return negated
}

// frames returns the frames at which a track gets keys: those of the path, and more where they are far
// apart.
func (p *path) frames() []float64 {
	var all []float64
	for _, track := range []pathTrack{p.position, p.rotation, p.fov} {
		for _, key := range track.keys {
			all = append(all, key.frame)
		}
	}
	all = append(all, 0)
	slices.Sort(all)
	all = slices.Compact(all)
	step := max(pathStep*p.fps, all[len(all)-1]/(writtenKeys/2))
	frames := all[:1:1]
	for _, frame := range all[1:] {
		last := frames[len(frames)-1]
		parts := math.Ceil((frame - last) / step)
		for i := 1.0; i <= parts; i++ {
			frames = append(frames, last+(frame-last)*i/parts)
		}
	}
	return frames
}

// view returns the camera at a frame, in the space.
func (p *path) view(frame float64) Viewpoint {
	var v Viewpoint
	copy(v.Position[:], p.position.at(frame))
	ahead := Vector{0, 0, -1} // what a camera without a rotation looks at
	if q := p.rotation.at(frame); q != nil {
		x, y, z, w := q[0], q[1], q[2], q[3]
		ahead = Vector{-2 * (x*z + w*y), -2 * (y*z - w*x), -(1 - 2*(x*x+y*y))}
	}
	for i := range ahead {
		v.Target[i] = v.Position[i] + pathTarget*ahead[i]
	}
	if fov := p.fov.at(frame); fov != nil {
		v.FOV = clamp(fov[0], minFOV, maxFOV)
	}
	return v
}

// addPath adds a camera path as a track.
func (s *Settings) addPath(e Entity, f Frame) {
	var data struct {
		DisplayName, Name               string
		AutoPlay, Loop, Reverse, Hidden bool
	}
	p := readPath(e.Path)
	if p == nil || json.Unmarshal(e.Data, &data) != nil || data.Hidden {
		return
	}
	track := Track{Name: cmp.Or(data.DisplayName, data.Name, p.name), Loop: loopNone, IsPath: true}
	if data.Loop {
		track.Loop = loopRepeat
	}
	frames := p.frames()
	last := frames[len(frames)-1]
	track.Duration = last / p.fps
	for _, frame := range frames {
		view := p.view(frame)
		if data.Reverse {
			frame = last - frame
		}
		track.Keys = append(track.Keys, Key{frame / p.fps, *f.viewToViewer(&view)})
	}
	if data.Reverse {
		slices.Reverse(track.Keys)
	}
	s.addTrack(track, data.AutoPlay)
}
