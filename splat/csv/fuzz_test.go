package csv_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"math"
	"strconv"
	"testing"

	own "portico/splat/csv"
	"portico/splat/gaussian"
)

// FuzzWrite writes any Gaussians. Each has a line, with a number in each column.
func FuzzWrite(f *testing.F) {
	f.Add(byte(0), []byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"))
	f.Add(byte(2), bytes.Repeat([]byte{0, 0, 128, 63, 255, 255, 127, 127, 1, 0, 0, 0}, 80))
	f.Fuzz(func(t *testing.T, degree byte, data []byte) {
		c := &gaussian.Cloud{}
		row := 14 + 3*gaussian.Coefficients(int(degree%4))
		c.Resize(len(data)/(4*row), int(degree%4))
		for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
			for i := range values {
				values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data))
				data = data[4:]
			}
		}
		for i := range c.Len() {
			c.Opacities[i] = min(max(c.Opacities[i], 0), 1)
			if c.Sanitise(i) != gaussian.Whole {
				gaussian.LeaveOut(c.Positions[3*i:])
			}
		}
		var out bytes.Buffer
		w, err := own.Write(t.Context(), gaussian.NewMemorySource(nil, c), &out, nil)
		if err != nil {
			return // there are no Gaussians
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || int64(len(rows)) != w.Splats+1 || w.Splats+w.Dropped != int64(c.Len()) {
			t.Fatalf("got %d lines, %v, want one for each of %d Gaussians and the names", len(rows), err, w.Splats)
		}
		for _, line := range rows[1:] {
			for i, text := range line {
				if v, err := strconv.ParseFloat(text, 32); err != nil || math.IsNaN(v) {
					t.Errorf("%s: got %q, want a number", rows[0][i], text)
				}
			}
		}
	})
}
