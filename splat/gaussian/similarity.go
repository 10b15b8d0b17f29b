package gaussian

import "math"

// Similarity scales Gaussians about the origin, then rotates them and then moves them.
// NewSimilarity returns one. It is immutable, so it is safe for concurrent use.
type Similarity struct {
	rotation *Rotation
	scale    float32
	logScale float32
	offset   [3]float32
}

// NewSimilarity returns the transform by a scale, which must be positive, a rotation x,
// y, z, w of any length, and an offset.
func NewSimilarity(scale float64, rotation [4]float32, offset [3]float64) *Similarity {
	s := &Similarity{rotation: NewRotation(rotation), scale: float32(scale), logScale: float32(math.Log(scale))}
	for k, v := range offset {
		s.offset[k] = float32(v)
	}
	return s
}

// maxPosition is the maximum coordinate of a transformed position. It is far outside of every
// capture, and rotating it does not overflow.
const maxPosition = 1e30

// clampPosition limits a coordinate to maxPosition, because a position that is not finite marks a
// Gaussian that is left out.
func clampPosition(v float32) float32 { return min(max(v, -maxPosition), maxPosition) }

// Apply transforms the cloud in place: positions, scales, rotations and harmonics.
func (s *Similarity) Apply(c *Cloud) {
	for i := range c.Positions {
		c.Positions[i] = clampPosition(c.Positions[i] * s.scale)
	}
	for i := range c.Scales {
		c.Scales[i] += s.logScale
	}
	s.rotation.Apply(c)
	for i := range c.Positions {
		c.Positions[i] = clampPosition(c.Positions[i] + s.offset[i%3])
	}
}

// ApplyPositions transforms positions as Apply does. Positions that LeaveOut has marked
// stay marked.
func (s *Similarity) ApplyPositions(positions []float32) {
	for i := 0; i+3 <= len(positions); i += 3 {
		p := (*[3]float32)(positions[i:])
		leftOut := IsLeftOut(p[:])
		for k := range p {
			p[k] = clampPosition(p[k] * s.scale)
		}
		s.rotation.rotatePosition(p)
		for k := range p {
			p[k] = clampPosition(p[k] + s.offset[k])
		}
		if leftOut {
			LeaveOut(p[:])
		}
	}
}
