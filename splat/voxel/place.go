package voxel

import "math"

// The requirements of a place to stand; lengths are in metres.
const (
	// clearanceHeight is the free height above a place, and clearanceRadius the free distance
	// around it.
	clearanceHeight, clearanceRadius = 1.6, 0.2
	// maxStep is the maximum height of a step that a person can climb.
	maxStep = 0.3
	// eyeHeight is the height of the eye above the floor, as in SuperSplat's viewer.
	eyeHeight = 1.5
	// maxSight is the length of the rays. A direction with nothing solid in it is open.
	maxSight = 15.0
	// open is the weight of a direction in which nothing is near, relative to a direction in which
	// something is. With 0 a meadow would have no score.
	open = 0.05
	// directions is the number of rays from a place.
	directions = 16
	// maxRegions and maxPlaces limit how many regions, and how many places in each, are compared.
	maxRegions, maxPlaces = 32, 64
)

// place is where a person can stand: the first free voxel above the floor in the middle of a column
// of blocks. Its coordinates are voxels.
type place struct{ x, y, z int }

// region is a connected part of the floor, without steps that are too high.
type region struct {
	places []place
	area   float64 // square metres
}

// viewpoint is a place and the view from it.
type viewpoint struct {
	place
	// eye and target are the view.
	eye, target [3]float64
	area        float64 // the walkable area around the place, in square metres
	seen        float64 // the share of directions in which something is near
	yaw         int     // the direction with most to see, from 0 to directions-1
	reach       float64 // the free distance in that direction, in metres
}

// findViewpoint returns the best viewpoint, and reports whether there is one. The score of a region
// is its area, weighted by how much is around it: the area alone would put visitors on roofs. The
// grid must have y up.
func (g *grid) findViewpoint(workers int) (best viewpoint, ok bool) {
	top := 0.0
	for _, r := range g.regions(workers) {
		s := g.bestViewpoint(r)
		if score := s.area * (open + s.seen); score > top {
			top, best, ok = score, s, true
		}
	}
	return best, ok
}

// regions returns the largest regions.
func (g *grid) regions(workers int) []region {
	places, columns := g.places(workers)
	nx, nz := g.nx/blockSide, g.nz/blockSide
	step := int(maxStep / g.resolution)
	// Places in adjacent columns are connected if a person can step from one to the other. A
	// column is compared with the next columns along x and z, so each pair is compared once.
	union := newUnion(len(places))
	for column := range nx * nz {
		for _, next := range [2]int{column + 1, column + nx} {
			if next == column+1 && next%nx == 0 || next >= nx*nz {
				continue
			}
			for a := columns[column]; a < columns[column+1]; a++ {
				for b := columns[next]; b < columns[next+1]; b++ {
					if d := places[a].y - places[b].y; max(d, -d) <= step {
						union.join(a, b)
					}
				}
			}
		}
	}
	side := blockSide * g.resolution
	var regions []region
	for _, members := range union.largest(maxRegions) {
		r := region{area: float64(len(members)) * side * side}
		for _, i := range members {
			r.places = append(r.places, places[i])
		}
		regions = append(regions, r)
	}
	return regions
}

// places returns the places where a person can stand, ordered by columns of blocks:
// places[columns[i]:columns[i+1]] are the places in column i. Columns are counted along x and
// then z.
func (g *grid) places(workers int) (places []place, columns []int) {
	occupied := g.columns(workers)
	height := g.voxels(clearanceHeight)
	for z := range occupied.nz {
		for x := range occupied.nx {
			columns = append(columns, len(places))
			free := 0
			// From the top to the bottom, free counts the free voxels above y.
			for y := g.ny - 1; y >= 0; y-- {
				if !occupied.has(x, y, z) {
					free++
					continue
				}
				if free >= height && y+1+height <= g.ny {
					places = append(places, place{x*blockSide + blockSide/2, y + 1, z*blockSide + blockSide/2})
				}
				free = 0
			}
		}
	}
	return places, append(columns, len(places))
}

// columns returns a grid with one column of voxels for each column of blocks. A voxel of it is
// set if a voxel of the block at this height, or a voxel within clearanceRadius of it, is
// solid.
func (g *grid) columns(workers int) *grid {
	c := &grid{nx: g.nx / blockSide, ny: g.ny, nz: g.nz / blockSide, resolution: g.resolution}
	c.words = (c.nx + 63) / 64
	c.bits = make([]uint64, c.words*c.ny*c.nz)
	radius := g.voxels(clearanceRadius)
	runParallel(g.ny, workers, func() func(int) {
		plane, spare := make([]uint64, g.nz*g.words), make([]uint64, g.nz*g.words)
		return func(y int) {
			copy(plane, g.plane(y))
			g.dilatePlane(plane, spare, radius)
			for z := range g.nz {
				row := plane[z*g.words:][:g.words]
				for x := range c.nx {
					if row[x>>4]>>(x&15*blockSide)&15 != 0 {
						c.set(x, y, z/blockSide)
					}
				}
			}
		}
	})
	return c
}

// bestViewpoint returns the best viewpoint of a region: near the middle, with free space around
// it. It compares about maxPlaces places, evenly spread, because it casts rays from each.
func (g *grid) bestViewpoint(r region) (best viewpoint) {
	var middle [3]float64
	for _, p := range r.places {
		middle[0] += float64(p.x) / float64(len(r.places))
		middle[1] += float64(p.y) / float64(len(r.places))
		middle[2] += float64(p.z) / float64(len(r.places))
	}
	size := math.Sqrt(float64(len(r.places))) * blockSide
	score := math.Inf(-1)
	for i := 0; i < len(r.places); i += max(1, len(r.places)/maxPlaces) {
		p := r.places[i]
		s, clearance := g.lookFrom(p)
		// All three terms have about the same size: the free distance in metres up to two, the
		// share of directions with something to see, and the distance to the middle in sizes of the
		// region.
		away := math.Hypot(float64(p.x)-middle[0], float64(p.z)-middle[2]) / size
		if sum := min(clearance, 2) + s.seen - 2*away; sum > score {
			score, best = sum, s
		}
	}
	best.area = r.area
	return best
}

// lookFrom returns the viewpoint at a place without its eye and target, and the distance to the
// nearest solid voxel, up to maxSight.
func (g *grid) lookFrom(p place) (s viewpoint, clearance float64) {
	var distances [directions]float64
	s.place, clearance = p, maxSight
	for i := range distances {
		d, hit := g.ray(p, i)
		clearance = min(clearance, d)
		if !hit {
			distances[i] = -1
			continue
		}
		distances[i] = d
		s.seen += 1.0 / directions
	}
	best := -1.0
	for yaw := range distances {
		value := 0.0
		// The value of a direction is the sum over a field of view of 90 degrees. Objects at a
		// distance show more of a place than a wall right in front of the eye.
		for i := yaw - 2; i <= yaw+2; i++ {
			if d := distances[(i+directions)%directions]; d >= 0 {
				value += 1 + min(d, 10)
			}
		}
		if value > best {
			best, s.yaw, s.reach = value, yaw, distances[yaw]
		}
	}
	if s.reach < 0 {
		s.reach = maxSight
	}
	return s, clearance
}

// ray returns the free distance in a direction at the height of the eye, in metres, and reports
// whether the ray has hit a solid voxel. A ray that leaves the grid hits nothing.
func (g *grid) ray(p place, yaw int) (distance float64, hit bool) {
	dx, dz := direction(yaw)
	y := p.y + int(eyeHeight/g.resolution)
	for i := range int(maxSight / g.resolution) {
		x, z := int(math.Round(float64(p.x)+dx*float64(i))), int(math.Round(float64(p.z)+dz*float64(i)))
		if !g.contains(x, y, z) {
			break
		}
		if g.has(x, y, z) {
			return float64(i) * g.resolution, true
		}
	}
	return maxSight, false
}

// direction returns the unit vector of a yaw.
func direction(yaw int) (dx, dz float64) {
	dz, dx = math.Sincos(2 * math.Pi * float64(yaw) / directions)
	return dx, dz
}
