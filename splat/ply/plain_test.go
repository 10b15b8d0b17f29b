package ply

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
)

// rowOf returns a row of the given values, and the layout of a file with them in the order
// x, y, z, rotation, scales, colour, opacity, harmonics.
func rowOf(values []float32) ([]byte, *layout) {
	var row []byte
	next := func() field {
		f := field{offset: len(row), scalar: float32Scalar, order: binary.LittleEndian, littleFloat32: true}
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(values[len(row)/4]))
		return f
	}
	l := &layout{scales: make([]field, 3), harmonics: make([]field, 9), degree: 1}
	for _, fields := range [][]field{l.positions[:], l.rotations[:], l.scales, l.colours[:]} {
		for i := range fields {
			fields[i] = next()
		}
	}
	l.opacity = next()
	for i := range l.harmonics {
		l.harmonics[i] = next()
	}
	l.finite = append(append(append(append(l.finite, l.positions[:]...), l.rotations[:]...), l.colours[:]...), l.harmonics...)
	return row, l
}

// The fast way to read a row must agree with the one for all types, for each value that is
// not finite too.
func TestPlainLayout_reads_what_a_layout_reads(t *testing.T) {
	t.Parallel()
	usual := []float32{1, -2, 3, 0.1, 0.2, 0.3, 2, -3, -4, -5, 0.5, -0.5, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, v := range []float32{0.25, 0, 1e30, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for at := range len(usual) + 1 {
			values := append([]float32(nil), usual...)
			if at < len(usual) {
				values[at] = v
			} else {
				values[10], values[11], values[12], values[13] = 0, 0, 0, 0 // no direction
			}
			row, l := rowOf(values)
			plain := newPlainLayout(l)
			if plain == nil {
				t.Fatal("got no plain layout")
			}
			var want, got gaussian.Cloud
			want.Resize(1, 1)
			got.Resize(1, 1)
			wantBroken := l.decode(row, &want, 0)
			if got := plain.decode(row, &got, 0); got != wantBroken {
				t.Errorf("value %d is %g: the fault is %d, want %d", at, v, got, wantBroken)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("value %d is %g (-want +got):\n%s", at, v, diff)
			}
			fault := l.fault(row)
			if fault != wantBroken {
				t.Errorf("value %d is %g: the row has the fault %d, want %d", at, v, fault, wantBroken)
			}
			if l.plain = plain; fault != gaussian.Whole && !l.mayBeBroken(row) {
				t.Errorf("value %d is %g: broken, but not looked at", at, v)
			}
		}
	}
}

func TestPlainLayout_needs_plain_fields(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*layout){
		"a double":   func(l *layout) { l.positions[1].littleFloat32 = false },
		"big-endian": func(l *layout) { l.harmonics[8].littleFloat32 = false },
		"two scales": func(l *layout) { l.scales = l.scales[:2] },
		"a byte":     func(l *layout) { l.opacity.littleFloat32 = false },
	} {
		_, l := rowOf(make([]float32, 23))
		change(l)
		if newPlainLayout(l) != nil {
			t.Errorf("%s: got a plain layout", name)
		}
	}
}
