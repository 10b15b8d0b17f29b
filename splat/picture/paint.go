package picture

import "math"

const (
	// most is the largest share that one Gaussian takes of a pixel. Without a
	// rest, what lies behind would be lost to rounding.
	most = 0.99
	// done is the rest of light below which nothing behind can be seen.
	done = 1.0 / 512
)

// tile is a square of the picture while it is painted.
type tile struct {
	left, top, right, bottom int // in pixels, without the right and lower ends
	// light is what is left for things behind, colour what has come so far.
	light  [tileSide * tileSide]float32
	colour [tileSide * tileSide][3]float32
	// open is how many pixels can still change.
	open int
}

// paintTile paints the n-th tile: the ellipses on it from front to back, until
// nothing behind can be seen, and then the background.
func (c *canvas) paintTile(n int) {
	t := &tile{left: n % c.columns * tileSide, top: n / c.columns * tileSide}
	t.right = min(t.left+tileSide, c.image.Rect.Dx())
	t.bottom = min(t.top+tileSide, c.image.Rect.Dy())
	t.open = (t.right - t.left) * (t.bottom - t.top)
	for i := range t.light {
		t.light[i] = 1
	}
	for _, i := range c.pairs[c.starts[n]:c.starts[n+1]] {
		if t.paint(&c.ellipses[i]); t.open == 0 {
			break
		}
	}
	c.finish(t)
}

// paint adds an ellipse, row by row: the pixels of a row that lie inside of it
// are between the roots of a quadratic equation.
func (t *tile) paint(e *ellipse) {
	first := max(t.top, int(max(e.y-e.height, 0)))
	last := min(t.bottom-1, int(min(e.y+e.height, float32(t.bottom))))
	for row := first; row <= last; row++ {
		dy := float32(row) + 0.5 - e.y
		half := e.b * e.b * dy * dy
		half -= e.a * (e.c*dy*dy - e.reach)
		if !(half >= 0) {
			continue
		}
		middle, root := e.x-e.b*dy/e.a, float32(math.Sqrt(float64(half)))/e.a
		from := int(min(max(middle-root+0.5, float32(t.left)), float32(t.right)))
		to := int(min(max(middle+root+0.5, float32(t.left)), float32(t.right)))
		t.paintRow(e, row, from, to)
	}
}

// paintRow adds an ellipse to the pixels of a row from one column up to another,
// which lie inside of the tile. Light that is used up is not looked at again.
func (t *tile) paintRow(e *ellipse, row, from, to int) {
	dy := float32(row) + 0.5 - e.y
	at := (row-t.top)*tileSide + from - t.left
	for column := from; column < to; column, at = column+1, at+1 {
		light := t.light[at]
		if light < done {
			continue
		}
		dx := float32(column) + 0.5 - e.x
		alpha := min(e.opacity*exponential(-0.5*(e.a*dx*dx+e.c*dy*dy)-e.b*dx*dy), most)
		share := alpha * light
		pixel := &t.colour[at]
		pixel[0] += share * e.colour[0]
		pixel[1] += share * e.colour[1]
		pixel[2] += share * e.colour[2]
		if light -= share; light < done {
			t.open--
		}
		t.light[at] = light
	}
}

// exponential returns e to the power of x, to four digits, for x from -80 to 0;
// what lies outside counts as the nearer of them. The power of two becomes the
// exponent of the float, and its fraction goes into a Taylor series whose last
// factor is fitted to 2^-1.
func exponential(x float32) float32 {
	t := max(min(x, 0), -80) * math.Log2E
	whole := int32(t) // towards zero
	f := t - float32(whole)
	series := 1 + f*(0.693147+f*(0.240227+f*(0.0555041+f*(0.0096181+f*0.00119417))))
	return series * math.Float32frombits(uint32(127+whole)<<23)
}

// finish puts the background behind the tile and the tile into the picture.
func (c *canvas) finish(t *tile) {
	for y := t.top; y < t.bottom; y++ {
		down := (float32(y) + 0.5) / float32(c.image.Rect.Dy())
		for x := t.left; x < t.right; x++ {
			at := (y-t.top)*tileSide + x - t.left
			pixel := c.image.Pix[c.image.PixOffset(x, y):][:4]
			for k := range 3 {
				background := c.top[k] + (c.bottom[k]-c.top[k])*down
				v := t.colour[at][k] + t.light[at]*background
				pixel[k] = byte(min(max(v, 0), 1)*255 + 0.5)
			}
			pixel[3] = 255
		}
	}
}
