package picture_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/picture"
)

// FuzzResize resizes any bytes. An accepted image has the size that Inspect returns.
func FuzzResize(f *testing.F) {
	for _, content := range images() {
		f.Add(content)
	}
	f.Add(webp("animation"))
	f.Add(progressive(3, 8, 8))
	f.Add(insertOrientation(encodeJPEG(quarters(8, 4)), 6, binary.LittleEndian))
	f.Fuzz(func(t *testing.T, content []byte) {
		_, width, height, err := picture.Inspect(file(t, content))
		if err == nil && int64(width)*int64(height) > 1<<18 {
			return // would be slow, not interesting
		}
		m, resizing := picture.Resize(t.Context(), file(t, content), 16, 16)
		for _, err := range []error{err, resizing} {
			if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
				t.Errorf("error: got %v, want an input.Error", err)
			}
		}
		if resizing != nil {
			return
		}
		if size := m.Bounds().Size(); err != nil || width < 1 || height < 1 || size.X < 1 || size.X > 16 || size.Y < 1 || size.Y > 16 {
			t.Errorf("got %v of %d x %d, %v, want at most 16 x 16 pixels", size, width, height, err)
		}
	})
}

// FuzzRender renders Gaussians whose values are any bits.
func FuzzRender(f *testing.F) {
	const values = 14 + 9 // for each Gaussian of degree 1
	seed := make([]byte, 0, 8*values*4)
	for i := range 8 * values {
		v := []float32{1, 0, 0.5, float32(math.NaN()), float32(math.Inf(1)), -3e38, 88, -100}[i*7%8]
		seed = binary.LittleEndian.AppendUint32(seed, math.Float32bits(v))
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &gaussian.Cloud{}
		c.Resize(min(len(b)/(4*values), 200), 1)
		for _, to := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
			for i := range to {
				to[i] = math.Float32frombits(binary.LittleEndian.Uint32(b))
				b = b[4:]
			}
		}
		m, err := picture.Render(t.Context(), c, picture.Options{Width: 40, Height: 30})
		if err != nil {
			t.Fatal(err)
		}
		if !m.Opaque() {
			t.Error("got holes in the picture, want none")
		}
	})
}
