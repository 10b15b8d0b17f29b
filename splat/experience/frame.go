package experience

import (
	"encoding/json"
	"math"
)

// Frame is where a space shows the capture that the settings are about. SuperSplat's viewer shows it at
// the origin, turned by 180 degrees about z. The zero value shows it as the viewer does.
type Frame struct {
	moved    bool
	position Vector
	rotation [3]Vector // by rows
	scale    Vector
}

// vector decodes a point as [x, y, z] or {"x", "y", "z"}.
type vector struct {
	Vector
	isSet bool
}

// UnmarshalJSON implements json.Unmarshaler. Any other value is no point.
func (v *vector) UnmarshalJSON(b []byte) error {
	var list []float64
	var named struct{ X, Y, Z *float64 }
	switch {
	case json.Unmarshal(b, &list) == nil && len(list) == 3:
		copy(v.Vector[:], list)
	case json.Unmarshal(b, &named) == nil && named.X != nil && named.Y != nil && named.Z != nil:
		v.Vector = Vector{*named.X, *named.Y, *named.Z}
	default:
		return nil
	}
	v.isSet = isPlace(v.Vector)
	return nil
}

// FrameOf returns the frame of the entity_data of a capture.
func FrameOf(data []byte) Frame {
	var placed struct{ Position, Rotation, Scale vector }
	if json.Unmarshal(data, &placed) != nil {
		return Frame{}
	}
	f := Frame{moved: true, position: placed.Position.Vector, scale: Vector{1, 1, 1}, rotation: rotation(placed.Rotation.Vector)}
	if placed.Scale.isSet {
		f.scale = placed.Scale.Vector
	}
	for _, factor := range f.scale {
		if factor == 0 {
			return Frame{}
		}
	}
	return f
}

// rotation returns the matrix of angles in degrees, about x, then y, then z.
func rotation(degrees Vector) [3]Vector {
	var sin, cos Vector
	for i, angle := range degrees {
		sin[i], cos[i] = math.Sincos(angle * math.Pi / 180)
	}
	return [3]Vector{
		{cos[1] * cos[2], sin[0]*sin[1]*cos[2] - cos[0]*sin[2], cos[0]*sin[1]*cos[2] + sin[0]*sin[2]},
		{cos[1] * sin[2], sin[0]*sin[1]*sin[2] + cos[0]*cos[2], cos[0]*sin[1]*sin[2] - sin[0]*cos[2]},
		{-sin[1], sin[0] * cos[1], cos[0] * cos[1]},
	}
}

// toSpace returns a point of the viewer in the space.
func (f Frame) toSpace(v Vector) Vector {
	if !f.moved {
		return rounded(v)
	}
	own := Vector{-v[0] * f.scale[0], -v[1] * f.scale[1], v[2] * f.scale[2]}
	out := f.position
	for i := range out {
		for j := range own {
			out[i] += f.rotation[i][j] * own[j]
		}
	}
	return rounded(out)
}

// toViewer returns a point of the space in the viewer.
func (f Frame) toViewer(v Vector) Vector {
	if !f.moved {
		return rounded(v)
	}
	var own Vector
	for i := range own {
		for j := range v {
			own[i] += f.rotation[j][i] * (v[j] - f.position[j])
		}
		own[i] /= f.scale[i]
	}
	return rounded(Vector{-own[0], -own[1], own[2]})
}

// viewToSpace and viewToViewer move both points of a viewpoint; nil stays nil.
func (f Frame) viewToSpace(v *Viewpoint) *Viewpoint { return v.moved(f.toSpace) }

func (f Frame) viewToViewer(v *Viewpoint) *Viewpoint { return v.moved(f.toViewer) }

func (v *Viewpoint) moved(by func(Vector) Vector) *Viewpoint {
	if v == nil {
		return nil
	}
	return &Viewpoint{by(v.Position), by(v.Target), v.FOV}
}
