package scenery

import "math"

// sample is a point of a surface.
type sample struct{ point, normal vec }

// shape is a surface that Gaussians cover.
type shape interface {
	// area returns the size of the surface in square metres.
	area() float64
	// at maps two numbers from 0 to 1 evenly to a point of the surface. It returns false for a
	// point in a hole.
	pointAt(u, v float64) (sample, bool)
	// hides reports whether a ray hits the shape within a distance.
	hides(from, direction vec, reach float64) bool
}

// patch is a parallelogram with a corner and two edges.
type patch struct {
	corner, a, b vec
	// open reports whether a point is in a hole. Nil means no holes.
	open func(u, v float64) bool
}

// area implements shape. It includes the holes.
func (p patch) area() float64 {
	n := p.a.cross(p.b)
	return math.Sqrt(n.dot(n))
}

// pointAt implements shape. The normal is the direction of a x b.
func (p patch) pointAt(u, v float64) (sample, bool) {
	point := p.corner.add(p.a.multiply(u)).add(p.b.multiply(v))
	return sample{point, p.a.cross(p.b).unit()}, p.open == nil || !p.open(u, v)
}

// hides implements shape. Hits within 2 cm are ignored, because the ray starts on a surface.
func (p patch) hides(from, direction vec, reach float64) bool {
	n := p.a.cross(p.b)
	slope, distance := n.dot(direction), n.dot(p.corner.sub(from))
	if math.Abs(slope) < 1e-9 || distance*slope < 0 {
		return false // beside it, or behind the ray
	}
	t := distance / slope
	if t < 0.02 || t > reach {
		return false
	}
	at := from.add(direction.multiply(t)).sub(p.corner)
	u, v := at.dot(p.a)/p.a.dot(p.a), at.dot(p.b)/p.b.dot(p.b)
	return u >= 0 && u <= 1 && v >= 0 && v <= 1 && (p.open == nil || !p.open(u, v))
}

// column is an upright truncated cone.
type column struct {
	foot              vec
	height            float64
	radius, topRadius float64
}

// area implements shape, for a column that is much higher than its radii differ.
func (c column) area() float64 { return math.Pi * (c.radius + c.topRadius) * c.height }

// pointAt implements shape. The ends of the column have no points.
func (c column) pointAt(u, v float64) (sample, bool) {
	angle := 2 * math.Pi * u
	out := vec{math.Cos(angle), 0, math.Sin(angle)}
	r := c.radius + (c.topRadius-c.radius)*v
	normal := vec{out[0], (c.radius - c.topRadius) / c.height, out[2]}.unit()
	return sample{c.foot.add(out.multiply(r)).add(vec{0, c.height * v, 0}), normal}, true
}

// hides implements shape. It takes the column for a cylinder of the mean radius.
func (c column) hides(from, direction vec, reach float64) bool {
	o := from.sub(c.foot)
	meanRadius := (c.radius + c.topRadius) / 2
	a := direction[0]*direction[0] + direction[2]*direction[2]
	b := o[0]*direction[0] + o[2]*direction[2]
	root := b*b - a*(o[0]*o[0]+o[2]*o[2]-meanRadius*meanRadius)
	if a < 1e-9 || root < 0 {
		return false
	}
	t := (-b - math.Sqrt(root)) / a
	y := o[1] + direction[1]*t
	return t > 0.02 && t < reach && y >= 0 && y <= c.height
}

// bush is an ellipsoid of leaves with gaps between them.
type bush struct {
	centre, radii vec
	// leaves is the share of rays that hit a leaf.
	leaves float64
}

// area implements shape.
func (b bush) area() float64 {
	r := (b.radii[0] + b.radii[1] + b.radii[2]) / 3
	return 4 * math.Pi * r * r * 1.6 // leaves overlap
}

// pointAt implements shape. The points are in a layer near the ellipsoid, and their normals are
// uneven.
func (b bush) pointAt(u, v float64) (sample, bool) {
	cosine, angle := 1-2*v, 2*math.Pi*u
	sine := math.Sqrt(1 - cosine*cosine)
	out := vec{sine * math.Cos(angle), cosine, sine * math.Sin(angle)}
	key := int(u * 1e6)
	depth := 0.72 + 0.36*math.Pow(hash(key, int(v*1e6), 1), 0.6)
	// Clumps make the outline uneven.
	depth *= 0.86 + 0.28*noise(b.centre.add(out.multiply(3.5)))
	wild := vec{hash(key, 2, 7) - 0.5, hash(key, 3, 7) - 0.2, hash(key, 4, 7) - 0.5}
	normal := vec{out[0] / b.radii[0], out[1] / b.radii[1], out[2] / b.radii[2]}.unit().add(wild.multiply(1.1)).unit()
	return sample{b.centre.add(out.by(b.radii).multiply(depth)), normal}, true
}

// hides implements shape. A hash of the place where the ray enters decides whether it hits a leaf.
func (b bush) hides(from, direction vec, reach float64) bool {
	var o, d vec
	for k := range 3 {
		o[k], d[k] = (from[k]-b.centre[k])/b.radii[k], direction[k]/b.radii[k]
	}
	half, length := o.dot(d), d.dot(d)
	root := half*half - length*(o.dot(o)-0.8)
	if root < 0 {
		return false
	}
	t := (-half - math.Sqrt(root)) / length
	if t < 0.05 || t > reach {
		return false
	}
	at := from.add(direction.multiply(t)).multiply(9)
	return hash(int(math.Floor(at[0])), int(math.Floor(at[1])), int(math.Floor(at[2]))) < b.leaves
}

// dome is a part of a large sphere around the scene, seen from inside. It hides nothing.
type dome struct{ radius, low, high float64 }

// area implements shape. It is much less than the real area, because a sky has no details.
func (d dome) area() float64 { return 2600 }

// pointAt implements shape. low and high are the sines of the elevation between which the dome
// extends.
func (d dome) pointAt(u, v float64) (sample, bool) {
	angle, height := 2*math.Pi*u, d.low+(d.high-d.low)*v
	flat := math.Sqrt(1 - height*height)
	out := vec{flat * math.Cos(angle), height, flat * math.Sin(angle)}
	return sample{out.multiply(d.radius), out.multiply(-1)}, true
}

// hides implements shape.
func (dome) hides(_, _ vec, _ float64) bool { return false }
