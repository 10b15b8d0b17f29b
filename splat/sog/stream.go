package sog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// environmentName is the directory of the environment.
const environmentName = "env"

// WriteStreamed writes all levels and the environment as a streamed SOG. Each chunk has its own
// directory. The lod-meta.json is written last, so that it exists only in a complete capture. Empty
// levels at the end are left out. A capture whose coarsest level has more than 200,000 Gaussians
// gets coarser levels (package decimate). It returns an *input.Error if the source has no Gaussians
// or too many without a valid position.
//
// It needs 20 bytes of memory for each Gaussian of the source plus about 250 MB, or 700 MB
// with harmonics of degree 3. Without a memory limit (debug.SetMemoryLimit), the garbage
// collector may let that grow by half.
func WriteStreamed(ctx context.Context, source gaussian.Source, to folder.Writer, o Options) (Result, error) {
	w := newFolderWriter(source, to, o)
	err := w.stream(ctx)
	return w.result, err
}

// stream implements WriteStreamed. The environment comes first, so that it is not in
// memory together with the positions.
//
// The order of the writing: the environment, the chunks level by level, and with each chunk of the
// last level of the source the full chunks of the merged levels, then the index. A process that
// ends before leaves no lod-meta.json, so no reader takes the folder for a capture.
func (w *writer) stream(ctx context.Context) error {
	levels := w.source.Levels()
	// Other empty levels stay, because viewers choose levels by number.
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
		w.progress.total += int64(count) * (costPosition + costTree + chunkCost(w.degree))
	}
	w.planLevels(levels)
	if err := w.writeEnvironment(ctx); err != nil {
		return err
	}
	root, starts, err := w.buildTree(ctx, levels)
	if err != nil {
		return err
	}
	w.addMergedParts(root)
	chunks := planChunks(root, w.chunkSizes())
	if err := w.writeChunks(ctx, chunks, starts); err != nil {
		return err
	}
	w.result.Levels = make([]int64, len(levels)+w.mergedLevels)
	for _, planned := range chunks {
		w.result.Levels[planned.level] += int64(planned.count)
	}
	manifest, err := json.Marshal(w.encodeIndex(root, chunks))
	if err != nil {
		return fmt.Errorf("encode the index: %w", err)
	}
	return w.write(ctx, "", []file{{streamName, manifest}})
}

// writeEnvironment writes the environment as a separate chunk.
func (w *writer) writeEnvironment(ctx context.Context) error {
	var c gaussian.Cloud
	if err := w.source.Environment(ctx, &c); err != nil {
		return fmt.Errorf("read the environment: %w", err)
	}
	indices, around := validPositions(c.Positions)
	if len(indices) == 0 {
		return nil
	}
	new(mortonSorter).sort(indices, c.Positions, []int64{0}, around)
	var sorted gaussian.Cloud
	if err := gaussian.NewMemorySource(nil, &c).Read(ctx, 0, indices, &sorted); err != nil {
		return fmt.Errorf("sort the environment: %w", err)
	}
	degree := w.options.writtenDegree(c.Degree)
	w.progress.total += int64(len(indices)) * chunkCost(degree)
	const message = "Encoding the environment"
	files, err := w.encodeChunk(ctx, &sorted, nil, degree, message)
	if err != nil {
		return err
	}
	w.progress.add(int64(len(indices))*costRead, message)
	w.result.Environment = int64(len(indices))
	w.result.Dropped += int64(c.Len() - len(indices))
	return w.write(ctx, environmentName+"/", files)
}

// buildTree reads all positions and returns the tree of all levels and the first index of
// each level. It does not keep the positions: chunks read theirs from the source again,
// in the memory that becomes free.
func (w *writer) buildTree(ctx context.Context, levels []int) (*node, []int64, error) {
	positions, indices, err := w.readPositions(ctx, levels)
	if err != nil {
		return nil, nil, err
	}
	starts := make([]int64, len(levels))
	for level := 1; level < len(levels); level++ {
		starts[level] = starts[level-1] + int64(levels[level-1])
	}
	b := &builder{rules: w.leafRules(), ctx: ctx, positions: positions, starts: starts, indices: indices}
	b.report = func(done int) { w.progress.add(int64(done)*costTree, "Dividing the capture") }
	root, err := b.buildTree(w.options.workers())
	return root, starts, err
}

// writeChunks encodes and writes all chunks. It takes one at a time: each has work for
// several workers, and two at the same time would need twice the memory.
func (w *writer) writeChunks(ctx context.Context, chunks []*plannedChunk, starts []int64) (err error) {
	var c gaussian.Cloud
	merging, reader := newMerger(w, chunks), newChunkReader(w, chunks, starts)
	defer func() { err = errors.Join(err, reader.close()) }()
	for _, planned := range chunks {
		if planned.level >= len(starts) {
			break // the merger writes the coarser levels
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := reader.read(ctx, planned, &c); err != nil {
			return err
		}
		if err := w.writeChunk(ctx, planned, &c); err != nil {
			return err
		}
		if planned.level == len(starts)-1 {
			if err := merging.add(ctx, planned, &c); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeChunk encodes and writes one chunk. It also sets the boxes of its leaves, because
// the scales and rotations are in memory now, sanitised by encodeChunk.
func (w *writer) writeChunk(ctx context.Context, planned *plannedChunk, c *gaussian.Cloud) error {
	files, err := w.encodeChunk(ctx, c, nil, w.degree, planned.message)
	if err != nil {
		return err
	}
	for _, p := range planned.parts {
		for i := p.offset; i < p.offset+p.count; i++ {
			p.box.addEllipsoid(c.Positions[3*i:], c.Rotations[4*i:], c.Scales[3*i:])
		}
	}
	return w.write(ctx, planned.name()+"/", files)
}
