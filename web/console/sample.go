package console

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"sync"
)

// The sample capture is a room of Gaussians, for people who have no capture at hand. It is
// computed rather than stored, and is the same each time. Lengths are in metres.
const (
	roomWidth, roomHeight, roomDepth = 8.0, 3.2, 7.0
	spacing                          = 0.07
)

// vector is a point, an extent or a colour.
type vector [3]float64

// room collects the Gaussians of the sample capture.
type room struct {
	splats bytes.Buffer
	count  int
	random uint32
}

// serveSample responds with the sample capture.
func serveSample() http.Handler {
	made := sync.OnceValue(newSample)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(made()) // fails only when the browser has left
	})
}

// newSample returns the sample capture as a PLY file, as training software writes it.
func newSample() []byte {
	r := &room{random: 1}
	r.walls()
	r.columns()
	r.plinth()
	var file bytes.Buffer
	fmt.Fprintf(&file, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", r.count)
	for _, name := range []string{
		"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3",
	} {
		fmt.Fprintf(&file, "property float %s\n", name)
	}
	file.WriteString("end_header\n")
	file.Write(r.splats.Bytes())
	return file.Bytes()
}

// walls adds the floor, the ceiling and the walls. One wall has an opening to the sky.
func (r *room) walls() {
	wood, plaster, sky := vector{0.55, 0.38, 0.24}, vector{0.86, 0.83, 0.78}, vector{0.62, 0.80, 0.98}
	for x := -roomWidth / 2; x <= roomWidth/2; x += spacing {
		for z := -roomDepth / 2; z <= roomDepth/2; z += spacing {
			plank := 0.86 + 0.14*math.Abs(math.Sin(math.Floor(x/0.28)*12.9))
			r.add(vector{x, 0, z}, vector{1, 0.08, 1}, wood.times(plank))
			r.add(vector{x, roomHeight, z}, vector{1, 0.08, 1}, plaster)
		}
	}
	for y := 0.0; y <= roomHeight; y += spacing {
		for x := -roomWidth / 2; x <= roomWidth/2; x += spacing {
			back := plaster
			if math.Abs(x) < 1.6 && y > 0.9 && y < 2.6 {
				back = sky.times(1 + 0.1*(y-1.7))
			}
			r.add(vector{x, y, -roomDepth / 2}, vector{1, 1, 0.08}, back)
			r.add(vector{x, y, roomDepth / 2}, vector{1, 1, 0.08}, plaster.times(0.94))
		}
		for z := -roomDepth / 2; z <= roomDepth/2; z += spacing {
			r.add(vector{-roomWidth / 2, y, z}, vector{0.08, 1, 1}, vector{0.71, 0.36, 0.26})
			r.add(vector{roomWidth / 2, y, z}, vector{0.08, 1, 1}, vector{0.24, 0.44, 0.55})
		}
	}
}

// columns adds a row of columns along each side: a portico.
func (r *room) columns() {
	stone := vector{0.90, 0.88, 0.83}
	for _, x := range []float64{-roomWidth/2 + 1, roomWidth/2 - 1} {
		for _, z := range []float64{-2, 0, 2} {
			for y := 0.0; y <= roomHeight; y += spacing {
				radius := 0.2 + 0.1*math.Exp(-8*y) + 0.1*math.Exp(-8*(roomHeight-y))
				for angle := 0.0; angle < 2*math.Pi; angle += spacing / radius {
					flute := 0.93 + 0.07*math.Cos(12*angle)
					at := vector{x + radius*math.Cos(angle), y, z + radius*math.Sin(angle)}
					r.add(at, vector{0.6, 0.9, 0.6}, stone.times(flute))
				}
			}
		}
	}
}

// plinth adds a sphere on a block in the middle of the back of the room.
//
// The sphere is a Fibonacci lattice: each point turns by the golden angle, so that the points are
// spread evenly.
func (r *room) plinth() {
	const side, height, radius = 0.7, 0.8, 0.42
	for y := 0.0; y <= height; y += spacing {
		for offset := -side / 2; offset <= side/2; offset += spacing {
			for _, at := range []vector{{offset, y, -side / 2}, {offset, y, side / 2}, {-side / 2, y, offset}, {side / 2, y, offset}} {
				r.add(at.plus(vector{0, 0, -1.6}), vector{0.7, 0.7, 0.7}, vector{0.30, 0.31, 0.34})
			}
		}
	}
	const points = 1600
	for i := range points {
		y := 1 - 2*(float64(i)+0.5)/points
		ring, angle := math.Sqrt(1-y*y), float64(i)*math.Pi*(3-math.Sqrt(5))
		at := vector{ring * math.Cos(angle), y, ring * math.Sin(angle)}
		shade := 0.6 + 0.4*math.Max(0, 0.5*at[1]-0.6*at[2])
		r.add(at.times(radius).plus(vector{0, height + radius, -1.6}), vector{0.5, 0.5, 0.5}, vector{0.92, 0.66, 0.22}.times(shade))
	}
}

// add adds a Gaussian with an extent in units of the spacing. The light comes through the
// opening, and corners are darker. Captures have their y axis down, and viewers turn them by
// half a turn about z.
//
// The properties, as trainers of 3D Gaussian splatting write them:
//
//	x y z        the centre in metres, x and y negated
//	f_dc_0..2    red, green and blue: (colour - 0.5) / harmonic
//	opacity      the logit of the opacity: 4 is 98 %
//	scale_0..2   the natural logarithms of the standard deviations in metres
//	rot_0..3     the rotation as a quaternion w, x, y, z: none
func (r *room) add(at, extent, colour vector) {
	const opacity, harmonic = 4.0, 0.28209479177387814 // the constant term of spherical harmonics
	distance := math.Hypot(at[0]*0.6, at[2]+roomDepth/2)
	light := 0.62 + 0.5*math.Exp(-distance/3.5)
	edge := math.Min(at[1], roomHeight-at[1])
	light *= 0.82 + 0.18*math.Min(1, edge/0.4)
	light *= 0.97 + 0.06*r.noise()
	values := []float64{-at[0], -at[1], at[2]}
	for _, c := range colour {
		values = append(values, (math.Min(1, c*light)-0.5)/harmonic)
	}
	values = append(values, opacity)
	for _, e := range extent {
		values = append(values, math.Log(e*spacing*0.75))
	}
	values = append(values, 1, 0, 0, 0)
	for _, v := range values {
		_ = binary.Write(&r.splats, binary.LittleEndian, float32(v)) // a buffer takes all
	}
	r.count++
}

// noise returns the next of a fixed series of numbers from 0 to 1 (xorshift). It is Marsaglia's
// xorshift32, so the file is the same on every machine.
func (r *room) noise() float64 {
	r.random ^= r.random << 13
	r.random ^= r.random >> 17
	r.random ^= r.random << 5
	return float64(r.random) / math.MaxUint32
}

func (v vector) times(factor float64) vector {
	return vector{v[0] * factor, v[1] * factor, v[2] * factor}
}

func (v vector) plus(w vector) vector { return vector{v[0] + w[0], v[1] + w[1], v[2] + w[2]} }

// samplePath is where the sample capture is, for people who are signed in.
const samplePath = "/console/sample.ply"
