package sog

import (
	"context"
	"encoding/json"
	"fmt"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// environmentName is the directory of the environment.
const environmentName = "env"

// WriteStreamed writes all levels and the environment as a streamed SOG: chunks in
// directories of their own, and at last the lod-meta.json, so that it stands only
// beside a whole capture. Levels without Gaussians at the end are left out. A
// source without any, or whose positions are no numbers, is an *input.Error.
//
// It needs 20 bytes of memory for each Gaussian and about 170 MB, with harmonics of
// degree 3 about 380 MB. Without a memory limit (debug.SetMemoryLimit) the garbage
// collector may let it take half as much again.
func WriteStreamed(ctx context.Context, source gaussian.Source, to folder.Writer, o Options) (Result, error) {
	w := newFolderWriter(source, to, o)
	err := w.stream(ctx)
	return w.result, err
}

// stream does WriteStreamed's work. The environment comes first: while it is in
// memory, the positions are not.
func (w *writer) stream(ctx context.Context) error {
	levels := w.source.Levels()
	// Empty levels between others stay, since viewers choose a level by its number.
	for len(levels) > 0 && levels[len(levels)-1] == 0 {
		levels = levels[:len(levels)-1]
	}
	if len(levels) == 0 {
		return errEmpty
	}
	if len(levels) > maxLevels {
		return fmt.Errorf("write a streamed SOG: %d levels, at most %d", len(levels), maxLevels)
	}
	for _, count := range levels {
		w.progress.total += int64(count) * (costPosition + costTree + cost(w.degree))
	}
	if err := w.writeEnvironment(ctx); err != nil {
		return err
	}
	root, starts, err := w.divide(ctx, levels)
	if err != nil {
		return err
	}
	units := pack(root, len(levels), w.rules.unit)
	if err := w.writeUnits(ctx, units, starts); err != nil {
		return err
	}
	w.result.Levels = make([]int64, len(levels))
	for _, u := range units {
		w.result.Levels[u.level] += int64(u.count)
	}
	manifest, err := json.Marshal(w.index(root, units))
	if err != nil {
		return fmt.Errorf("encode the index: %w", err)
	}
	return w.write(ctx, "", []file{{streamName, manifest}})
}

// writeEnvironment writes what is around the capture as a chunk of its own.
func (w *writer) writeEnvironment(ctx context.Context) error {
	var c gaussian.Cloud
	if err := w.source.Environment(ctx, &c); err != nil {
		return fmt.Errorf("read the environment: %w", err)
	}
	numbers, around := placed(c.Positions)
	if len(numbers) == 0 {
		return nil
	}
	new(sorter).sort(numbers, c.Positions, []int64{0}, around)
	var sorted gaussian.Cloud
	if err := gaussian.NewMemory(nil, &c).Read(ctx, 0, numbers, &sorted); err != nil {
		return fmt.Errorf("sort the environment: %w", err)
	}
	degree := w.options.degree(c.Degree)
	w.progress.total += int64(len(numbers)) * cost(degree)
	const message = "encoding the environment"
	files, err := w.encode(ctx, &sorted, degree, message)
	if err != nil {
		return err
	}
	w.progress.add(int64(len(numbers))*costRead, message)
	w.result.Environment = int64(len(numbers))
	w.result.Dropped += int64(c.Len() - len(numbers))
	return w.write(ctx, environmentName+"/", files)
}

// divide reads all positions and returns the tree of all levels, and the first
// number of each. Nothing refers to the positions after it: chunks get theirs from
// the source again, and the memory is free for them.
func (w *writer) divide(ctx context.Context, levels []int) (*node, []int64, error) {
	positions, numbers, err := w.readPositions(ctx, levels)
	if err != nil {
		return nil, nil, err
	}
	starts := make([]int64, len(levels))
	for level := 1; level < len(levels); level++ {
		starts[level] = starts[level-1] + int64(levels[level-1])
	}
	b := &builder{rules: w.rules, ctx: ctx, positions: positions, starts: starts, numbers: numbers}
	b.tell = func(done int) { w.progress.add(int64(done)*costTree, "dividing the capture") }
	root, err := b.build(w.options.workers())
	return root, starts, err
}

// writeUnits encodes and writes all chunks, one after the other: each has work for
// several workers, and two would need the memory of two.
func (w *writer) writeUnits(ctx context.Context, units []*unit, starts []int64) error {
	var c gaussian.Cloud
	var numbers []uint32
	for _, u := range units {
		if err := ctx.Err(); err != nil {
			return err
		}
		numbers = u.numbers(numbers[:0], starts[u.level])
		if err := w.writeUnit(ctx, u, numbers, &c); err != nil {
			return err
		}
	}
	return nil
}

// writeUnit reads, encodes and writes one chunk, and measures its leaves: now,
// when sizes and rotations are in memory anyhow. encode has put them right.
func (w *writer) writeUnit(ctx context.Context, u *unit, numbers []uint32, c *gaussian.Cloud) error {
	w.progress.add(0, u.message)
	if err := w.source.Read(ctx, u.level, numbers, c); err != nil {
		return fmt.Errorf("read level %d: %w", u.level, err)
	}
	w.progress.add(int64(u.count)*costRead, u.message)
	files, err := w.encode(ctx, c, w.degree, u.message)
	if err != nil {
		return err
	}
	for _, p := range u.parts {
		for i := p.offset; i < p.offset+len(p.numbers); i++ {
			p.box.addEllipsoid(c.Positions[3*i:], c.Rotations[4*i:], c.Scales[3*i:])
		}
	}
	return w.write(ctx, u.name()+"/", files)
}
