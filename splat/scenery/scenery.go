package scenery

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
)

// View is a viewpoint: the position of the eye in metres, and the angles in degrees, as in the
// addresses of views.
type View struct {
	Eye        [3]float64
	Yaw, Pitch float64
}

// Target returns a point that the view looks at, a few metres ahead of the eye.
func (v View) Target() [3]float64 {
	const distance = 5
	yaw, pitch := v.Yaw*math.Pi/180, v.Pitch*math.Pi/180
	return [3]float64{
		v.Eye[0] - distance*math.Sin(yaw)*math.Cos(pitch), v.Eye[1] + distance*math.Sin(pitch), v.Eye[2] - distance*math.Cos(yaw)*math.Cos(pitch),
	}
}

// Views returns good viewpoints. The first is in the walk and looks through an arch into the garden.
func Views() []View {
	return []View{{[3]float64{-1.25, 1.65, 11.9}, -8, 4}, {[3]float64{6.4, 2.4, 8.2}, 42, -9}, {[3]float64{-8.9, 1.6, 6.5}, -28, 2}}
}

// The layout and constants of a Gaussian in the file.
const (
	values   = 14
	harmonic = 0.28209479177387814 // a colour by its zeroth harmonic
	opacity  = 4.6                 // before the sigmoid: 0.99
)

// WritePLY writes the scene as a PLY with about this number of Gaussians. As in the files of
// trainers, y points down.
func WritePLY(to io.Writer, count int) error {
	p := cloister()
	pieces := p.divide(count)
	total := 0
	for _, piece := range pieces {
		total += piece.count
	}
	var header bytes.Buffer
	fmt.Fprintf(&header, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", total)
	for _, name := range []string{
		"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3",
	} {
		fmt.Fprintf(&header, "property float %s\n", name)
	}
	header.WriteString("end_header\n")
	w := bufio.NewWriterSize(to, 1<<20)
	if _, err := header.WriteTo(w); err != nil {
		return err
	}
	for _, rows := range p.draw(pieces) {
		if _, err := w.Write(<-rows); err != nil {
			return err
		}
	}
	return w.Flush()
}

// piece is a range of the Gaussians of a part.
type piece struct {
	part         part
	first, count int
	partCount    int     // the number of Gaussians of the part
	size         float64 // the standard deviation of a Gaussian in metres
}

// divide distributes the Gaussians over the parts by area.
func (p place) divide(count int) []piece {
	whole := 0.0
	for _, part := range p.parts {
		whole += part.shape.area() * part.fineness()
	}
	const maxCount = 20_000 // of a piece
	var pieces []piece
	for _, part := range p.parts {
		area := part.shape.area()
		n := max(12, int(float64(count)*area*part.fineness()/whole))
		size := 0.62 * math.Sqrt(area/float64(n))
		if d, ok := part.shape.(dome); ok {
			size = 0.75 * d.radius * math.Sqrt(2*math.Pi*(d.high-d.low)/float64(n))
		}
		for first := 0; first < n; first += maxCount {
			pieces = append(pieces, piece{part, first, min(maxCount, n-first), n, size})
		}
	}
	return pieces
}

// fineness returns finer, or its default.
func (p part) fineness() float64 {
	if p.finer == 0 {
		return 1
	}
	return p.finer
}

// draw computes the pieces on all cores, and returns a channel for each piece, in their order. The
// order of the pieces, and so the bytes of the file, do not depend on the number of cores. Each
// channel has room for its piece, so no worker waits for the reader.
func (p place) draw(pieces []piece) []chan []byte {
	rows := make([]chan []byte, len(pieces))
	for i := range rows {
		rows[i] = make(chan []byte, 1)
	}
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range pieces {
			next <- i
		}
	}()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				rows[i] <- p.rows(pieces[i])
			}
		})
	}
	return rows
}

// rows returns the Gaussians of a piece in the format of the file. A row has the properties in the
// order of the header: position, colour, opacity, scales, rotation, each a little-endian f32.
func (p place) rows(piece piece) []byte {
	b := make([]byte, 0, piece.count*values*4)
	for i := range piece.count {
		n := piece.first + i
		// The R2 sequence covers the square evenly. A point in a hole is replaced by a later
		// point of the sequence.
		s, ok := piece.part.shape.pointAt(even(n, 0.7548776662466927), even(n, 0.5698402909980532))
		for try := 1; !ok && try < 40; try++ {
			m := piece.partCount + n + try*piece.partCount
			s, ok = piece.part.shape.pointAt(even(m, 0.7548776662466927), even(m, 0.5698402909980532))
		}
		colour := piece.part.paint(s)
		if !piece.part.glows {
			colour = p.shade(s, colour)
		}
		for _, v := range row(s, colour, piece.size*(0.8+0.4*hash(n, 3, 9))) {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
	}
	return b
}

// even returns the n-th number of an additive sequence from 0 to 1. Two such sequences, with the
// steps 1/g and 1/(g*g), where g is the plastic number 1.3247, are the R2 sequence (Martin Roberts,
// "The Unreasonable Effectiveness of Quasirandom Sequences", 2018).
func even(n int, step float64) float64 {
	_, part := math.Modf(0.5 + float64(n)*step)
	return part
}

// row returns the values of a flat Gaussian. Trainers use the opposite direction for x and y.
func row(s sample, colour vec, size float64) [values]float64 {
	n := vec{-s.normal[0], -s.normal[1], s.normal[2]}
	// The quaternion that rotates z to the normal, w first.
	w, x, y := 1+n[2], -n[1], n[0]
	if w < 1e-6 {
		w, x, y = 0, 1, 0
	}
	length := math.Sqrt(w*w + x*x + y*y)
	flat, thin := math.Log(size), math.Log(size*0.12)
	return [values]float64{
		-s.point[0], -s.point[1], s.point[2],
		(colour[0] - 0.5) / harmonic, (colour[1] - 0.5) / harmonic, (colour[2] - 0.5) / harmonic,
		opacity, flat, flat, thin, w / length, x / length, y / length, 0,
	}
}
