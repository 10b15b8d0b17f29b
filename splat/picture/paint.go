package picture

import "math"

const (
	// maxAlpha is the maximum opacity of a Gaussian at a pixel, as in 3DGS. It is less than 1, so
	// that the Gaussians behind keep some transmittance.
	maxAlpha = 0.99
	// minLight is the transmittance below which nothing behind is visible.
	minLight = 1.0 / 512
)

// tile is a square of the picture while it is painted. Its arrays fit into the L1 cache, and no
// other goroutine writes to them.
type tile struct {
	left, top, right, bottom int // in pixels, without the right and lower ends
	// transmittance is each pixel's share of light from behind; colour is the colour
	// of everything painted so far.
	transmittance [tileSide * tileSide]float32
	colour        [tileSide * tileSide][3]float32
	// openPixels is the number of pixels that can still change.
	openPixels int
}

// paintTile paints tile n: its ellipses from front to back, until nothing behind is
// visible, and then the background.
func (c *canvas) paintTile(n int) {
	t := &tile{left: n % c.columns * tileSide, top: n / c.columns * tileSide}
	t.right = min(t.left+tileSide, c.image.Rect.Dx())
	t.bottom = min(t.top+tileSide, c.image.Rect.Dy())
	t.openPixels = (t.right - t.left) * (t.bottom - t.top)
	for i := range t.transmittance {
		t.transmittance[i] = 1
	}
	// The order is from front to back, so that a tile ends as soon as its pixels are opaque: in
	// real captures most Gaussians are behind others.
	for _, i := range c.pairs[c.starts[n]:c.starts[n+1]] {
		if t.paint(&c.ellipses[i]); t.openPixels == 0 {
			break
		}
	}
	c.blendBackground(t)
}

// paint blends an ellipse row by row. The pixels of a row inside the ellipse are between the
// roots of a quadratic equation, so the exponential is computed for these pixels only.
//
// With dy given, the condition a dx^2 + 2 b dx dy + c dy^2 <= cutoff is quadratic in dx: its middle
// is -b dy/a, and half the distance of its roots is the square root of (b dy)^2 - a (c dy^2 -
// cutoff), divided by a.
func (t *tile) paint(e *ellipse) {
	first := max(t.top, int(max(e.y-e.halfHeight, 0)))
	last := min(t.bottom-1, int(min(e.y+e.halfHeight, float32(t.bottom))))
	for row := first; row <= last; row++ {
		dy := float32(row) + 0.5 - e.y
		half := e.b * e.b * dy * dy
		half -= e.a * (e.c*dy*dy - e.cutoff)
		if !(half >= 0) {
			continue
		}
		middle, root := e.x-e.b*dy/e.a, float32(math.Sqrt(float64(half)))/e.a
		from := int(min(max(middle-root+0.5, float32(t.left)), float32(t.right)))
		to := int(min(max(middle+root+0.5, float32(t.left)), float32(t.right)))
		t.paintRow(e, row, from, to)
	}
}

// paintRow blends an ellipse into the pixels of a row from column from up to, but not
// including, to. The columns must be in the tile. It skips pixels without transmittance.
//
// Colours are blended from front to back:
//
//	colour        += alpha * light * colour of the ellipse
//	transmittance  = light * (1 - alpha)
func (t *tile) paintRow(e *ellipse, row, from, to int) {
	dy := float32(row) + 0.5 - e.y
	at := (row-t.top)*tileSide + from - t.left
	for column := from; column < to; column, at = column+1, at+1 {
		light := t.transmittance[at]
		if light < minLight {
			continue
		}
		dx := float32(column) + 0.5 - e.x
		alpha := min(e.opacity*fastExp(-0.5*(e.a*dx*dx+e.c*dy*dy)-e.b*dx*dy), maxAlpha)
		share := alpha * light
		pixel := &t.colour[at]
		pixel[0] += share * e.colour[0]
		pixel[1] += share * e.colour[1]
		pixel[2] += share * e.colour[2]
		if light -= share; light < minLight {
			t.openPixels--
		}
		t.transmittance[at] = light
	}
}

// fastExp returns e to the power of x to four digits, for x limited to -80 to 0. It splits the
// power of two into an integer, which becomes the exponent of the float, and a fraction, for
// which it uses a Taylor series whose last factor makes it exact at 2^-1. It is in the inner
// loop of Render, where math.Exp would take several times as long.
func fastExp(x float32) float32 {
	t := max(min(x, 0), -80) * math.Log2E
	whole := int32(t) // towards zero
	f := t - float32(whole)
	series := 1 + f*(0.693147+f*(0.240227+f*(0.0555041+f*(0.0096181+f*0.00119417))))
	return series * math.Float32frombits(uint32(127+whole)<<23)
}

// blendBackground blends the tile with the background and writes it to the picture.
func (c *canvas) blendBackground(t *tile) {
	for y := t.top; y < t.bottom; y++ {
		down := (float32(y) + 0.5) / float32(c.image.Rect.Dy())
		for x := t.left; x < t.right; x++ {
			at := (y-t.top)*tileSide + x - t.left
			pixel := c.image.Pix[c.image.PixOffset(x, y):][:4]
			for k := range 3 {
				background := c.top[k] + (c.bottom[k]-c.top[k])*down
				v := t.colour[at][k] + t.transmittance[at]*background
				pixel[k] = byte(min(max(v, 0), 1)*255 + 0.5)
			}
			pixel[3] = 255
		}
	}
}
