package scenery

import "math"

// paint returns the colour of a surface at a point. Red, green and blue are from 0 to 1, in sRGB.
type paint func(s sample) vec

// plain returns a colour with the variation of a natural material.
func plain(colour vec, unevenness float64) paint {
	return func(s sample) vec {
		return colour.multiply(1 + unevenness*(2*grain(s.point.multiply(3))-1))
	}
}

// blocks returns the paint of a wall or a floor of stones with joints. width and height are the
// size of a stone in metres. Rows are shifted by half a stone.
func blocks(colour vec, width, height float64) paint {
	return func(s sample) vec {
		across, up := s.point[0], s.point[1]
		switch {
		case math.Abs(s.normal[1]) > 0.7:
			up = s.point[2]
		case math.Abs(s.normal[0]) > 0.7:
			across = s.point[2]
		}
		row := math.Floor(up / height)
		column := math.Floor(across/width + 0.5*math.Mod(math.Abs(row), 2))
		tint := 0.86 + 0.24*hash(int(row), int(column), 5) + 0.16*(grain(s.point.multiply(4))-0.5)
		x, y := across/width+0.5*math.Mod(math.Abs(row), 2)-column, up/height-row
		if min(x, 1-x)*width < 0.012 || min(y, 1-y)*height < 0.012 {
			tint *= 0.72
		}
		return colour.multiply(tint)
	}
}

// tiles returns the paint of a roof of round tiles. axis is the direction of its slope.
func tiles(axis int) paint {
	return func(s sample) vec {
		along := s.point[2-axis]
		ridge := math.Abs(math.Sin(along * math.Pi / 0.24))
		row := hash(int(math.Floor(s.point[axis]/0.4)), int(math.Floor(along/0.24)), 3)
		return vec{0.6, 0.33, 0.22}.multiply((0.5 + 0.5*ridge) * (0.8 + 0.4*row))
	}
}

// leaves returns the paint of foliage, between two colours.
func leaves(dark, bright vec) paint {
	return func(s sample) vec {
		p := s.point.multiply(23)
		return dark.mix(bright, hash(int(math.Floor(p[0])), int(math.Floor(p[1])), int(math.Floor(p[2]))))
	}
}

// water is the paint of water that reflects the sky and the sun.
func water(s sample) vec {
	ripple := noise(vec{3 * s.point[0], 0, 7 * s.point[2]})
	colour := vec{0.1, 0.3, 0.33}.mix(vec{0.42, 0.55, 0.6}, ripple*ripple)
	if glint := noise(vec{9 * s.point[0], 1, 21 * s.point[2]}); glint > 0.8 {
		colour = colour.mix(vec{1, 0.9, 0.7}, (glint-0.8)*4)
	}
	return colour
}

// sky is the evening sky with some clouds.
func sky(s sample) vec {
	up := s.point.unit()
	height := max(up[1], 0)
	colour := vec{0.98, 0.83, 0.66}.mix(vec{0.64, 0.76, 0.88}, min(1, height*3.2)).mix(vec{0.27, 0.48, 0.76}, min(1, height*1.25))
	glow := math.Pow(max(0, up.dot(sun)), 6)
	colour = colour.mix(vec{1, 0.87, 0.62}, 0.55*glow)
	cloud := grain(vec{up[0] * 4 / (height + 0.25), 3.1, up[2] * 4 / (height + 0.25)})
	return colour.mix(vec{1, 0.93, 0.86}, min(0.85, max(0, (cloud-0.52)*4)))
}

// hills is the paint of distant hills, whose colour is faded by the air.
func hills(s sample) vec {
	near := vec{0.3, 0.37, 0.27}.mix(vec{0.4, 0.41, 0.28}, grain(s.point.multiply(0.12)))
	return near.mix(vec{0.68, 0.7, 0.72}, 0.55)
}
