package decimate_test

import (
	"encoding/binary"
	"math"
	"testing"

	"portico/splat/decimate"
	"portico/splat/gaussian"
)

// FuzzHalve tries extreme values. The number of Gaussians must be right and all values
// finite, whatever they are.
func FuzzHalve(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"), false)
	f.Add(make([]byte, 500), true)
	f.Fuzz(func(t *testing.T, data []byte, merged bool) {
		c := &gaussian.Cloud{}
		const size = 14 // values of 2 bytes
		n := min(len(data)/(2*size), 200)
		c.Resize(n, 0)
		for i := range n {
			value := func(k int, limit float64) float32 {
				v := int16(binary.LittleEndian.Uint16(data[2*(i*size+k):]))
				return float32(float64(v) / math.MaxInt16 * limit)
			}
			for k := range 3 {
				c.Positions[3*i+k] = float32(math.Sinh(float64(value(k, 40)))) // up to 1e17
				c.Scales[3*i+k] = value(3+k, 28)
				c.Colours[3*i+k] = value(6+k, 1000)
			}
			for k := range 4 {
				c.Rotations[4*i+k] = value(9+k, 1)
			}
			c.Opacities[i] = max(value(13, 1), 0)
			c.Sanitise(i)
		}
		to := &gaussian.Cloud{}
		if err := new(decimate.Decimator).Halve(t.Context(), c, []int{n}, to, merged); err != nil {
			t.Fatal(err)
		}
		if to.Len() != decimate.Half(n) {
			t.Fatalf("got %d of %d Gaussians", to.Len(), n)
		}
		wantSound(t, to)
		if want := n / 5; want > 0 {
			if err := new(decimate.Decimator).Reduce(t.Context(), c, want, to); err != nil || to.Len() != want {
				t.Fatalf("got %d of %d Gaussians, %v", to.Len(), n, err)
			}
			wantSound(t, to)
		}
	})
}

// wantSound checks that no Gaussian is broken.
func wantSound(t *testing.T, to *gaussian.Cloud) {
	t.Helper()
	for i := range to.Len() {
		if to.Opacities[i] < 0 || to.Opacities[i] > 1 || to.Sanitise(i) != gaussian.Whole {
			t.Fatalf("Gaussian %d is broken: %v", i, to.Slice(i, i+1))
		}
	}
}
