package lcc2

import (
	"context"
	"errors"
	"path"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// Capture is an open LCC2 capture. It implements gaussian.Source and is safe for concurrent use.
// A tile that is missing or contradicts the manifest is an *input.Error when it is read.
type Capture struct {
	// Version is the version of the format in the manifest.
	Version string
	// Min and Max are the corners of the bounding box in the manifest, with z up. They
	// are nil if it has none.
	Min, Max *[3]float64

	name string // of the manifest, for errors
	// levels contains the spans of each level, the finest level first. counts contains the
	// number of Gaussians of each level.
	levels [][]span
	counts []int
	env    []span // one span, or nil without an environment
	degree int
	tiles  *tiles
}

// span is a range of Gaussians in a tile, as a node of the manifest states it. Whether the tile
// has these Gaussians is checked when the tile is read.
type span struct {
	tile         string // relative to the manifest
	start, count int    // within the tile
	first        int    // number of the span's first Gaussian within the level
}

// toEnd is the count of a span that reaches to the end of its tile.
const toEnd = -1

// Open reads the manifest with this name. It opens one tile for the degree of the harmonics, and
// the tiles whose counts the manifest leaves out. A fault of the capture is an *input.Error.
func Open(ctx context.Context, files folder.Reader, name string) (*Capture, error) {
	data, err := input.ReadManifest(ctx, files, name, maxManifest)
	if err != nil {
		return nil, err
	}
	m, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	c := &Capture{Version: m.Version, name: name, levels: make([][]span, m.TotalLevels)}
	c.tiles = newTiles(files, path.Dir(name))
	if b := m.Root.BoundingBox; b != nil && b.isValid() {
		c.Min, c.Max = &b.Min, &b.Max
	}
	if err := c.collect(ctx, m, &m.Root, m.TotalLevels); err != nil {
		return nil, err
	}
	if err := c.complete(ctx, m); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// collect adds the spans of all nodes below the parent. The parent's children belong to
// levels[level-1]. The root has no Gaussians; its children are the coarsest level. The number of
// levels limits the depth.
//
// For three levels the depth decides which one a node belongs to:
//
//	root                 no Gaussians
//	  child              levels[2], the coarsest
//	    grandchild       levels[1]
//	      …              levels[0], the finest
func (c *Capture) collect(ctx context.Context, m *manifest, parent *node, level int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes, err := parent.children()
	if err != nil {
		return input.Errorf(c.name, "is not an LCC2 manifest: its tree of nodes cannot be read").Advise("Export the capture again")
	}
	if len(nodes) > 0 && level == 0 {
		return input.Damaged(c.name, "its tree has more levels than the %d that it declares", m.TotalLevels)
	}
	for i := range nodes {
		n := &nodes[i]
		if p := n.Data.Splats; p != nil && !isEnvironment(m, p) {
			s, err := c.span(m, p)
			if err != nil {
				return err
			}
			c.levels[level-1] = append(c.levels[level-1], s)
		}
		if err := c.collect(ctx, m, n, level-1); err != nil {
			return err
		}
	}
	return nil
}

// isEnvironment reports whether the part belongs to the tile of the environment.
func isEnvironment(m *manifest, p *part) bool {
	return m.Root.Data.Env != nil && m.Root.Data.Env.File == p.File
}

// span returns the span of a node's part.
func (c *Capture) span(m *manifest, p *part) (span, error) {
	if p.File < 0 || p.File >= len(m.Root.SplatFiles) {
		return span{}, input.Damaged(c.name, "it refers to tile %d, but there are %d", p.File, len(m.Root.SplatFiles))
	}
	s := span{tile: m.Root.SplatFiles[p.File], start: p.Start, count: toEnd}
	if p.Count != nil {
		s.count = *p.Count
	}
	if s.start < 0 || (p.Count != nil && s.count < 0) || s.start > maxSplats || s.count > maxSplats {
		return span{}, input.Damaged(c.name, "it has a node with %d Gaussians that start at number %d", s.count, s.start)
	}
	return s, nil
}

// maxSplats is the maximum number of Gaussians in a level. gaussian.Source has 32 bits
// for their numbers.
const maxSplats = 1<<31 - 1

// complete removes empty levels, numbers the Gaussians of the others, and adds the facts that
// only the tiles contain.
//
// The facts that a manifest leaves out are the count of a node that reaches to the end of its tile,
// and the degree. Every other tile is opened only when it is read.
func (c *Capture) complete(ctx context.Context, m *manifest) error {
	levels := c.levels
	c.levels = nil
	for _, spans := range levels {
		if len(spans) == 0 {
			continue
		}
		count, err := c.number(ctx, spans)
		if err != nil {
			return err
		}
		if count > 0 {
			c.levels, c.counts = append(c.levels, spans), append(c.counts, count)
		}
	}
	if len(c.levels) == 0 {
		return input.Errorf(c.name, "has no Gaussians").Advise("Export the capture again")
	}
	if m.Root.Data.Env != nil {
		s, err := c.span(m, &part{File: m.Root.Data.Env.File})
		if err != nil {
			return err
		}
		c.env = []span{s}
		if _, err := c.number(ctx, c.env); err != nil {
			return err
		}
	}
	// All tiles have the same degree. A tile of the coarsest level is opened, because it is the
	// smallest.
	first, err := c.tiles.open(ctx, c.levels[len(c.levels)-1][0].tile)
	if err != nil {
		return err
	}
	c.degree = first.Degree()
	return nil
}

// number sets the first number of each span and returns the count of the level.
func (c *Capture) number(ctx context.Context, spans []span) (int, error) {
	total := 0
	for i := range spans {
		s := &spans[i]
		if s.count == toEnd {
			tile, err := c.tiles.open(ctx, s.tile)
			if err != nil {
				return 0, err
			}
			s.count = max(0, tile.Levels()[0]-s.start)
		}
		s.first = total
		if total += s.count; total > maxSplats {
			return 0, input.Errorf(c.name, "is too large: it has more than %d Gaussians in one level", maxSplats)
		}
	}
	return total, nil
}

// Levels implements gaussian.Source.
func (c *Capture) Levels() []int { return c.counts }

// Degree implements gaussian.Source.
func (c *Capture) Degree() int { return c.degree }

// EnvironmentCount returns the number of Gaussians in the environment.
func (c *Capture) EnvironmentCount() int {
	if c.env == nil {
		return 0
	}
	return c.env[0].count
}

// Close closes the tiles that are open.
func (c *Capture) Close() error { return c.tiles.close() }

var _ gaussian.Source = (*Capture)(nil)
