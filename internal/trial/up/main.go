package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"

	"portico/splat/gaussian"
	"portico/splat/voxel"
)

// The file's axes are right if they are within rightOwn degrees of the truth, because people can
// walk then. An up that was found must be nearer.
const rightOwn, rightFound = 30, 10

// ups are the directions that are up in the files of trainers, in the coordinates of viewers: of
// 3DGS, upside down, z up and down, x up and down.
var ups = []vector{{0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}}

// count counts captures of a kind.
type count struct {
	kind                            string
	all, wrong, mended, worse, sure int
}

func (c *count) add(other count) {
	c.all += other.all
	c.wrong += other.wrong
	c.mended += other.mended
	c.worse += other.worse
	c.sure += other.sure
}

func main() {
	for _, all := range []set{captures(), heldBack()} {
		counts, err := measure(context.Background(), all)
		if err == nil {
			err = print(counts)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// print prints a table with a row for each kind.
func print(counts []count) error {
	var table strings.Builder
	table.WriteString("captures\tof\twrong by the file's axes\tmended\tmade worse\tsure\n")
	sum := count{kind: "all"}
	for _, c := range counts {
		sum.add(c)
	}
	for _, c := range append(counts, sum) {
		fmt.Fprintf(&table, "%s\t%d\t%d\t%d\t%d\t%d\n", c.kind, c.all, c.wrong, c.mended, c.worse, c.sure)
	}
	fmt.Fprintf(&table, "\nmended: %.1f %% of the wrong ones, made worse: %d\n\n", 100*float64(sum.mended)/float64(sum.wrong), sum.worse)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(w, table.String()); err != nil {
		return err
	}
	return w.Flush()
}

// measure returns a count for each kind.
func measure(ctx context.Context, all set) (counts []count, err error) {
	for _, c := range all {
		if len(counts) == 0 || counts[len(counts)-1].kind != c.kind {
			counts = append(counts, count{kind: c.kind})
		}
		for _, up := range ups {
			one, err := try(ctx, c, up)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.kind, err)
			}
			counts[len(counts)-1].add(one)
		}
	}
	return counts, nil
}

// try makes the collision of a capture that is written with this up.
func try(ctx context.Context, c capture, up vector) (count, error) {
	m := c.make()
	truth := m.turn(up, c.tilt)
	made, err := voxel.Build(ctx, gaussian.NewMemorySource(nil, &m.Cloud), voxel.Options{Resolution: max(0.2, m.step*2)}, voxel.Work{Workers: 2})
	if err != nil {
		return count{}, err
	}
	own, found := angle(vector{0, 1, 0}, truth), angle(made.Start.Up, truth)
	one := count{all: 1}
	if made.Start.Certainty >= voxel.Sure {
		one.sure = 1
	}
	if own > rightOwn {
		one.wrong = 1
		if found <= rightFound {
			one.mended = 1
		}
	}
	if found > own+5 {
		one.worse = 1
	}
	return one, nil
}

// turn turns the capture from y up to the axes of a file, and returns its up in the coordinates of
// viewers. The capture is tilted first, and gets a yaw, because trainers do not know north.
func (m *model) turn(up vector, tilt float64) (truth vector) {
	yaw := quaternion(vector{0, 1, 0}, m.between(0, 2*math.Pi)*float64(m.IntN(2)))
	lean := quaternion(vector{m.between(-1, 1), 0, m.between(-1, 1)}, tilt*math.Pi/180)
	to := quaternion(vector{1, 0, 0}, 0)
	switch {
	case up[1] < 0:
		to = quaternion(vector{1, 0, 0}, math.Pi)
	case up[2] != 0:
		to = quaternion(vector{1, 0, 0}, math.Copysign(math.Pi/2, up[2]))
	case up[0] != 0:
		to = quaternion(vector{0, 0, 1}, -math.Copysign(math.Pi/2, up[0]))
	}
	// A viewer turns the data of a file half around z.
	half := quaternion(vector{0, 0, 1}, math.Pi)
	for _, q := range [][4]float32{yaw, lean, to, half} {
		m.Rotate(q)
	}
	one := gaussian.Cloud{Positions: []float32{0, 1, 0}, Rotations: []float32{0, 0, 0, 1}, Scales: make([]float32, 3), Colours: make([]float32, 3), Opacities: []float32{1}}
	one.Rotate(lean)
	one.Rotate(to)
	return vector{float64(one.Positions[0]), float64(one.Positions[1]), float64(one.Positions[2])}
}

// quaternion returns the rotation by an angle about an axis.
func quaternion(axis vector, angle float64) [4]float32 {
	length := math.Sqrt(axis[0]*axis[0] + axis[1]*axis[1] + axis[2]*axis[2])
	s, c := math.Sincos(angle / 2)
	return [4]float32{float32(axis[0] / length * s), float32(axis[1] / length * s), float32(axis[2] / length * s), float32(c)}
}

// angle returns the angle between two unit vectors in degrees.
func angle(a, b vector) float64 {
	return math.Acos(max(-1, min(1, a[0]*b[0]+a[1]*b[1]+a[2]*b[2]))) * 180 / math.Pi
}
