package lcc2

import (
	"context"
	"errors"
	"path"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// Capture is an opened LCC2 capture. It implements gaussian.Source, as far as its
// tiles are there and say the same as the manifest; that is found out when they
// are read, and an *input.Error.
type Capture struct {
	// Version is that of the format, as the manifest has it.
	Version string
	// Min and Max are the corners of the box around the capture, z up, as the
	// manifest has it; nil where it has none.
	Min, Max *[3]float64

	name string // the manifest's, for errors
	// levels holds the spans of each level, the finest first, numbered in a row;
	// counts adds them up.
	levels [][]span
	counts []int
	env    []span // one, or nil where there is no environment
	degree int
	tiles  *tiles
}

// span is a row of Gaussians in a tile, as a node of the manifest names it: whether
// the tile has them is not known before it is read.
type span struct {
	tile         string // relative to the manifest
	start, count int    // in the tile
	first        int    // the number of its first one in the level
}

// rest as a count takes all from the start to the end of the tile.
const rest = -1

// Open reads the manifest and as much of the tiles as it takes to know their
// degree, and where the manifest leaves it open, their counts.
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
	if b := m.Root.BoundingBox; b != nil && b.finite() {
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

// collect adds the nodes below one whose level is given, counted from the coarsest:
// the root, which holds nothing itself, is one above the coarsest level. The levels
// bound how deep the tree is read.
func (c *Capture) collect(ctx context.Context, m *manifest, of *node, level int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes, err := of.children()
	if err != nil {
		return input.Errorf(c.name, "is no LCC2 manifest: its tree of nodes cannot be read")
	}
	if len(nodes) > 0 && level == 0 {
		return input.Errorf(c.name, "has more levels in its tree than the %d that it declares", m.TotalLevels)
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

// isEnvironment tells whether the part is of the tile that belongs to all levels.
func isEnvironment(m *manifest, p *part) bool {
	return m.Root.Data.Env != nil && m.Root.Data.Env.File == p.File
}

// span checks what a node says of its part of a tile.
func (c *Capture) span(m *manifest, p *part) (span, error) {
	if p.File < 0 || p.File >= len(m.Root.SplatFiles) {
		return span{}, input.Errorf(c.name, "refers to tile %d of %d", p.File, len(m.Root.SplatFiles))
	}
	s := span{tile: m.Root.SplatFiles[p.File], start: p.Start, count: rest}
	if p.Count != nil {
		s.count = *p.Count
	}
	if s.start < 0 || (p.Count != nil && s.count < 0) || s.start > maxSplats || s.count > maxSplats {
		return span{}, input.Errorf(c.name, "has a node of %d splats from the %dth on, which cannot be", s.count, s.start)
	}
	return s, nil
}

// maxSplats bounds a level, whose Gaussians are numbered by 32 bits.
const maxSplats = 1<<31 - 1

// complete drops the levels that nothing stands in, numbers the others, and
// finds out what only the tiles say.
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
		return input.Errorf(c.name, "has no splats")
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
	// The exporter gives all tiles the same degree. One of the coarsest level is
	// the smallest.
	first, err := c.tiles.open(ctx, c.levels[len(c.levels)-1][0].tile)
	if err != nil {
		return err
	}
	c.degree = first.Degree()
	return nil
}

// number gives each span its place in the level, whose count it returns.
func (c *Capture) number(ctx context.Context, spans []span) (int, error) {
	total := 0
	for i := range spans {
		s := &spans[i]
		if s.count == rest {
			tile, err := c.tiles.open(ctx, s.tile)
			if err != nil {
				return 0, err
			}
			s.count = max(0, tile.Levels()[0]-s.start)
		}
		s.first = total
		if total += s.count; total > maxSplats {
			return 0, input.Errorf(c.name, "has more than %d splats in one level", maxSplats)
		}
	}
	return total, nil
}

// Levels implements gaussian.Source.
func (c *Capture) Levels() []int { return c.counts }

// Degree implements gaussian.Source.
func (c *Capture) Degree() int { return c.degree }

// EnvironmentCount returns how many Gaussians there are around the capture.
func (c *Capture) EnvironmentCount() int {
	if c.env == nil {
		return 0
	}
	return c.env[0].count
}

// Close closes the tiles.
func (c *Capture) Close() error { return c.tiles.close() }

var _ gaussian.Source = (*Capture)(nil)
