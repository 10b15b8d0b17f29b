package picture

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"portico/splat/gaussian"
)

// Size of a poster where no other is asked for, in pixels.
const (
	DefaultWidth  = 640
	DefaultHeight = 400
)

// maxSide bounds the sides of a rendered picture, in pixels.
const maxSide = 4096

// Options say how a cloud is drawn. The zero value is a poster.
type Options struct {
	// Width and Height are those of the picture in pixels, up to 4096; both 0
	// mean the default size.
	Width, Height int
	// Camera is where the picture is taken from; nil means Facing the cloud.
	Camera *Camera
	// Top and Bottom are the background's colours at its edges, with an even
	// change between them. Both nil mean a light grey that a page may have
	// around it.
	Top, Bottom color.Color
}

// Render draws a cloud: ellipses with soft edges, from front to back. The same
// cloud gives the same picture on any number of processors. Gaussians that
// cannot be drawn, for example because a value is no number, are left out; so are
// the largest ones of a cloud that would take too long. The error is the
// context's, or that the picture's size is impossible.
func Render(ctx context.Context, cloud *gaussian.Cloud, o Options) (*image.RGBA, error) {
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = DefaultWidth, DefaultHeight
	}
	if o.Width < 1 || o.Height < 1 || o.Width > maxSide || o.Height > maxSide {
		return nil, fmt.Errorf("render a picture of %d x %d pixels", o.Width, o.Height)
	}
	camera := o.Camera
	if camera == nil {
		facing := Facing(cloud, o.Width, o.Height)
		camera = &facing
	}
	c := newCanvas(o)
	if err := c.project(ctx, cloud, *camera); err != nil {
		return nil, err
	}
	c.bin()
	err := parallel(ctx, c.columns*c.rows, c.paintTile)
	if err != nil {
		return nil, err
	}
	return c.image, nil
}

const (
	// tileSide is the side of the squares that are painted one by one, in
	// pixels.
	tileSide = 16
	// maxPairs bounds the work: how many tiles are touched by how many
	// ellipses. Real captures of 300,000 Gaussians need about a million.
	maxPairs = 8 << 20
	// projectBlock is how many Gaussians are projected at once.
	projectBlock = 1 << 12
)

// canvas is a picture while it is being drawn.
type canvas struct {
	image         *image.RGBA
	top, bottom   [3]float32
	columns, rows int // of tiles
	ellipses      []ellipse
	// order holds the ellipses that can be seen, from front to back.
	order []uint32
	// pairs holds those of each tile, from front to back; those of the i-th
	// begin at starts[i].
	pairs  []uint32
	starts []int
}

// newCanvas returns an empty picture, in the colours of the options.
func newCanvas(o Options) *canvas {
	c := &canvas{
		image: image.NewRGBA(image.Rect(0, 0, o.Width, o.Height)),
		top:   [3]float32{0.95, 0.96, 0.97}, bottom: [3]float32{0.82, 0.84, 0.86},
		columns: (o.Width + tileSide - 1) / tileSide, rows: (o.Height + tileSide - 1) / tileSide,
	}
	if o.Top != nil {
		c.top = rgb(o.Top)
	}
	if o.Bottom != nil {
		c.bottom = rgb(o.Bottom)
	}
	return c
}

// rgb returns a colour as the canvas has them, 0 to 1, without its transparency.
func rgb(c color.Color) [3]float32 {
	r, g, b, _ := c.RGBA()
	return [3]float32{float32(r) / 65535, float32(g) / 65535, float32(b) / 65535}
}

// project sets the ellipses and their order. Each ellipse has its own place, so
// that it does not matter which processor comes first.
func (c *canvas) project(ctx context.Context, cloud *gaussian.Cloud, camera Camera) error {
	p := newProjector(camera, c.image.Rect.Dx(), c.image.Rect.Dy())
	n := cloud.Len()
	c.ellipses = make([]ellipse, n)
	err := parallel(ctx, (n+projectBlock-1)/projectBlock, func(block int) {
		for i := block * projectBlock; i < min((block+1)*projectBlock, n); i++ {
			c.ellipses[i] = p.project(cloud, i)
		}
	})
	if err != nil {
		return err
	}
	// Depths are positive, and such floats are ordered as their bits are. Equal
	// ones are drawn in the order of the cloud.
	var keys []uint64
	largest := c.largest()
	for i := range c.ellipses {
		if e := &c.ellipses[i]; e.depth > 0 && c.tiles(e).count() <= largest {
			keys = append(keys, uint64(math.Float32bits(e.depth))<<32|uint64(i))
		}
	}
	slices.Sort(keys)
	c.order = make([]uint32, len(keys))
	for i, key := range keys {
		c.order[i] = uint32(key)
	}
	return nil
}

// largest returns how many tiles an ellipse may touch so that all together stay
// within maxPairs.
func (c *canvas) largest() int {
	with := make([]int, c.columns*c.rows+1) // how many ellipses touch so many tiles
	for i := range c.ellipses {
		if e := &c.ellipses[i]; e.depth > 0 {
			with[c.tiles(e).count()]++
		}
	}
	pairs := 0
	for size, n := range with {
		if pairs += size * n; pairs > maxPairs {
			return size - 1
		}
	}
	return len(with)
}

// span is a rectangle of tiles, without its right and lower ends.
type span struct{ left, top, right, bottom int }

func (s span) count() int { return max(s.right-s.left, 0) * max(s.bottom-s.top, 0) }

// tiles returns which tiles the ellipse touches.
func (c *canvas) tiles(e *ellipse) span {
	within := func(v float32, most int) int { return int(min(max(v, 0), float32(most))) }
	return span{
		within((e.x-e.width)/tileSide, c.columns), within((e.y-e.height)/tileSide, c.rows),
		within((e.x+e.width)/tileSide+1, c.columns), within((e.y+e.height)/tileSide+1, c.rows),
	}
}

// bin sorts the ellipses into the tiles that they touch, by counting: first how
// many each tile has, then, with the room laid out, which. They are visited from
// front to back, and so lie in that order in each tile.
func (c *canvas) bin() {
	c.starts = make([]int, c.columns*c.rows+1)
	c.eachPair(func(tile int, _ uint32) { c.starts[tile+1]++ })
	for i := range c.columns * c.rows {
		c.starts[i+1] += c.starts[i]
	}
	c.pairs = make([]uint32, c.starts[c.columns*c.rows])
	next := slices.Clone(c.starts)
	c.eachPair(func(tile int, i uint32) {
		c.pairs[next[tile]] = i
		next[tile]++
	})
}

// eachPair visits every tile of every ellipse, from front to back.
func (c *canvas) eachPair(visit func(tile int, i uint32)) {
	for _, i := range c.order {
		s := c.tiles(&c.ellipses[i])
		for row := s.top; row < s.bottom; row++ {
			for column := s.left; column < s.right; column++ {
				visit(row*c.columns+column, i)
			}
		}
	}
}

// parallel does n things on all processors, each on one, until the context ends.
func parallel(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}
