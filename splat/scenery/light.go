package scenery

import "math"

var (
	// sun is the direction to the sun, low in the west.
	sun = vec{-0.62, 0.5, 0.45}.unit()
	// sunlight, skylight and bounced are linear light: red, green and blue. bounced comes from the
	// ground and the walls.
	sunlight = vec{2.3, 1.72, 1.0}
	skylight = vec{0.5, 0.62, 0.86}
	bounced  = vec{0.42, 0.32, 0.21} // from the ground and the walls
)

// shade returns the colour of a point of a surface, from 0 to 1.
func (p place) shade(s sample, colour vec) vec {
	from := s.point.add(s.normal.multiply(0.03))
	light := skylight.mix(bounced, 0.5-0.5*s.normal[1]).multiply(p.openness(from, s.normal))
	if facing := s.normal.dot(sun); facing > 0 && !p.hidden(from, sun, 60) {
		light = light.add(sunlight.multiply(facing))
	}
	return tone(colour.by(colour).by(light)) // colours are in sRGB, light is linear
}

// openness returns the share of the sky light that reaches a point (ambient occlusion). The rays
// are spread around the normal and turned by a hash of the point, so that neighbours do not have
// the same error.
func (p place) openness(from, normal vec) float64 {
	side := normal.cross(vec{0.31, 0.17, 0.93}).unit()
	other := normal.cross(side)
	free := 0.0
	const rays = 8
	for i := range rays {
		angle := 2*math.Pi*float64(i)/rays + 6*hash(int(from[0]*91), int(from[1]*91), int(from[2]*91))
		direction := normal.add(side.multiply(math.Cos(angle))).add(other.multiply(math.Sin(angle))).unit()
		if !p.hidden(from, direction, 3.2) {
			free++
		}
	}
	return 0.4 + 0.6*free/rays
}

// hidden reports whether a ray hits a shape within a distance.
func (p place) hidden(from, direction vec, reach float64) bool {
	return p.shadows.hides(from, direction, reach)
}

// tone maps unbounded linear light to the range and the gamma of screens. The curve is the
// approximation of ACES by Krzysztof Narkowicz ("ACES Filmic Tone Mapping Curve").
func tone(light vec) vec {
	var out vec
	for k, v := range light {
		v *= 1.05
		v = v * (2.51*v + 0.03) / (v*(2.43*v+0.59) + 0.14)
		out[k] = math.Pow(min(max(v, 0), 1), 1/2.0)
	}
	return out
}
