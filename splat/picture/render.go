package picture

import (
	"context"
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// The default size of a poster in pixels.
const (
	DefaultWidth  = 640
	DefaultHeight = 400
)

// maxSide is the maximum width and height of a rendered picture in pixels.
const maxSide = 4096

// Options are the options of Render. The zero value is for posters.
type Options struct {
	// Width and Height are the size of the picture in pixels, up to 4096. If both
	// are 0, the picture has the default size.
	Width, Height int
	// Camera is the viewpoint. Nil means the camera that Facing returns.
	Camera *Camera
	// Top and Bottom are the colours of the background's gradient. Nil means the background of the
	// page of a space, so that its first frame looks as the poster before it.
	Top, Bottom color.Color
}

// Render renders a cloud by splatting: it projects Gaussians to ellipses and blends them from
// front to back. The result does not depend on the number of processors. Render skips Gaussians
// with invalid values, and the largest Gaussians of a cloud that would take too long. It
// returns an error if the context ends; a size out of range is an *input.Error.
//
// The steps:
//
//	project          every Gaussian becomes an ellipse, on all processors
//	                 the visible ellipses are sorted by depth
//	sortIntoTiles    each tile gets its ellipses, from front to back
//	paintTile        each tile is painted, on all processors
func Render(ctx context.Context, cloud *gaussian.Cloud, o Options) (*image.RGBA, error) {
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = DefaultWidth, DefaultHeight
	}
	if err := checkSize(o.Width, o.Height, maxSide); err != nil {
		return nil, err
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
	// Tiles do not share pixels, so painting them needs no locks (Kerbl et al., 3D
	// Gaussian Splatting, 2023, section 6).
	c.sortIntoTiles()
	err := runParallel(ctx, c.columns*c.rows, c.paintTile)
	if err != nil {
		return nil, err
	}
	return c.image, nil
}

// checkSize returns an *input.Error unless both sides of a picture are from 1 to largest pixels.
func checkSize(width, height, largest int) error {
	if width < 1 || height < 1 || width > largest || height > largest {
		return input.Errorf("", "A picture has 1 to %d pixels on each side, not %d x %d", largest, width, height)
	}
	return nil
}

const (
	// tileSide is the side of a tile in pixels. Tiles are painted independently of
	// each other.
	tileSide = 16
	// maxPairs is the maximum number of pairs of an ellipse and a tile that it touches, which
	// limits the time. Real captures of 300,000 Gaussians have about a million pairs.
	maxPairs = 8 << 20
	// projectBlock is the number of Gaussians that a goroutine projects at a time.
	projectBlock = 1 << 12
)

// canvas is a picture while it is rendered.
type canvas struct {
	image         *image.RGBA
	top, bottom   [3]float32
	columns, rows int // of tiles
	ellipses      []ellipse
	// order contains the indices of the visible ellipses, from front to back.
	order []uint32
	// pairs contains the ellipses of each tile, from front to back. The ellipses of tile i are
	// pairs[starts[i]:starts[i+1]].
	pairs  []uint32
	starts []int
}

// background is the background of the page of a space (web/space/src/scene/stage.ts), which replaces
// the poster when it has drawn its first frame.
var background = [3]float32{0.1, 0.11, 0.13} //nolint:gochecknoglobals // a constant

func newCanvas(o Options) *canvas {
	c := &canvas{
		image: image.NewRGBA(image.Rect(0, 0, o.Width, o.Height)),
		top:   background, bottom: background,
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

// rgb returns a colour's channels from 0 to 1, without alpha.
func rgb(c color.Color) [3]float32 {
	r, g, b, _ := c.RGBA()
	return [3]float32{float32(r) / 65535, float32(g) / 65535, float32(b) / 65535}
}

// project sets the ellipses and their order. Each ellipse has its own element, so that the
// result does not depend on the order of the goroutines.
func (c *canvas) project(ctx context.Context, cloud *gaussian.Cloud, camera Camera) error {
	p := newProjector(camera, c.image.Rect.Dx(), c.image.Rect.Dy())
	n := cloud.Len()
	c.ellipses = make([]ellipse, n)
	err := runParallel(ctx, (n+projectBlock-1)/projectBlock, func(block int) {
		for i := block * projectBlock; i < min((block+1)*projectBlock, n); i++ {
			c.ellipses[i] = p.project(cloud, i)
		}
	})
	if err != nil {
		return err
	}
	// The bits of positive floats have the same order as the floats, so depths are sorted as
	// integers. Ellipses of equal depth are in the order of the cloud.
	var keys []uint64
	maxTiles := c.maxTilesPerEllipse()
	for i := range c.ellipses {
		if e := &c.ellipses[i]; e.depth > 0 && c.tilesOf(e).count() <= maxTiles {
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

// maxTilesPerEllipse returns the maximum number of tiles that an ellipse may touch, so that
// there are at most maxPairs pairs.
func (c *canvas) maxTilesPerEllipse() int {
	counts := make([]int, c.columns*c.rows+1) // number of ellipses by the number of tiles they touch
	for i := range c.ellipses {
		if e := &c.ellipses[i]; e.depth > 0 {
			counts[c.tilesOf(e).count()]++
		}
	}
	// The largest ellipses are left out first: they take most time, and a capture looks the same
	// without a few of them.
	pairs := 0
	for size, n := range counts {
		if pairs += size * n; pairs > maxPairs {
			return size - 1
		}
	}
	return len(counts)
}

// tileRect is a rectangle of tiles, not including right and bottom.
type tileRect struct{ left, top, right, bottom int }

// count returns the number of tiles; 0 if the rectangle is empty.
func (s tileRect) count() int { return max(s.right-s.left, 0) * max(s.bottom-s.top, 0) }

// tilesOf returns the tiles that an ellipse's box touches.
func (c *canvas) tilesOf(e *ellipse) tileRect {
	clampTile := func(v float32, limit int) int { return int(min(max(v, 0), float32(limit))) }
	return tileRect{
		clampTile((e.x-e.halfWidth)/tileSide, c.columns), clampTile((e.y-e.halfHeight)/tileSide, c.rows),
		clampTile((e.x+e.halfWidth)/tileSide+1, c.columns), clampTile((e.y+e.halfHeight)/tileSide+1, c.rows),
	}
}

// sortIntoTiles sets pairs and starts by a counting sort: it counts the ellipses of each tile,
// computes where each tile starts, and stores the ellipses. It visits the ellipses from front
// to back, so that they have this order in each tile.
func (c *canvas) sortIntoTiles() {
	c.starts = make([]int, c.columns*c.rows+1)
	c.forEachPair(func(tile int, _ uint32) { c.starts[tile+1]++ })
	for i := range c.columns * c.rows {
		c.starts[i+1] += c.starts[i]
	}
	c.pairs = make([]uint32, c.starts[c.columns*c.rows])
	next := slices.Clone(c.starts)
	c.forEachPair(func(tile int, i uint32) {
		c.pairs[next[tile]] = i
		next[tile]++
	})
}

// forEachPair visits every tile of every ellipse, from front to back.
func (c *canvas) forEachPair(visit func(tile int, i uint32)) {
	for _, i := range c.order {
		s := c.tilesOf(&c.ellipses[i])
		for row := s.top; row < s.bottom; row++ {
			for column := s.left; column < s.right; column++ {
				visit(row*c.columns+column, i)
			}
		}
	}
}

// runParallel calls do for 0 to n-1 on all processors until the context ends.
func runParallel(ctx context.Context, n int, do func(i int)) error {
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
