package sog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/vp8l"
)

// generator is the name of the program in written files.
const generator = "Portico"

// maxSingle is the maximum number of Gaussians in a SOG without levels. Such a SOG is
// encoded and loaded as a whole; larger captures should be streamed.
const maxSingle = 1 << 24

// writer writes one capture.
type writer struct {
	source  gaussian.Source
	options Options
	rules   rules
	// degree is the degree of the written harmonics.
	degree int
	// sourceLevels is the number of the source's levels, without empty levels at the end.
	// mergedLevels is the number of coarser levels that are merged from the last of them.
	sourceLevels, mergedLevels int

	progress *progress
	// workspaces holds one workspace for each worker. Taking one from the channel also
	// limits the number of running tasks.
	workspaces chan *workspace
	// store writes one complete file.
	store  func(ctx context.Context, name string, data []byte) error
	result Result
}

// workspace holds a worker's buffers for encoding images. Images are large and of similar
// size; without reuse, garbage would double the memory.
type workspace struct {
	pixels  []byte
	encoder vp8l.Encoder
}

// newWriter returns a writer. The caller sets store.
func newWriter(source gaussian.Source, o Options) *writer {
	w := &writer{source: source, options: o, rules: defaultRules, degree: o.writtenDegree(source.Degree())}
	w.progress = &progress{report: o.Progress}
	w.workspaces = make(chan *workspace, o.workers())
	for range o.workers() {
		w.workspaces <- new(workspace)
	}
	w.result.Degree = w.degree
	return w
}

// newFolderWriter returns a writer that stores its files in a folder.
func newFolderWriter(source gaussian.Source, to folder.Writer, o Options) *writer {
	w := newWriter(source, o)
	w.store = func(ctx context.Context, name string, data []byte) error {
		return to.Put(ctx, name, int64(len(data)), bytes.NewReader(data))
	}
	return w
}

// runTasks runs all tasks, as many at a time as there are workers. After the first error
// it starts no more tasks.
func (w *writer) runTasks(ctx context.Context, tasks ...func(*workspace) error) error {
	g := newTaskGroup(ctx)
	for _, task := range tasks {
		g.start(func(ctx context.Context) error {
			t := <-w.workspaces
			defer func() { w.workspaces <- t }()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return task(t)
		})
	}
	return g.wait()
}

// write writes the files of a chunk, with prefix before their names.
func (w *writer) write(ctx context.Context, prefix string, files []file) error {
	for _, f := range files {
		if err := w.store(ctx, prefix+f.name, f.data); err != nil {
			return fmt.Errorf("write %s%s: %w", prefix, f.name, err)
		}
		w.result.Files++
		w.result.Bytes += int64(len(f.data))
	}
	return nil
}

// readPositions returns the positions of all levels in one slice, and the indices of the
// Gaussians with a valid position.
func (w *writer) readPositions(ctx context.Context, levels []int) ([]float32, []uint32, error) {
	total := int64(0)
	for _, count := range levels {
		total += int64(count)
	}
	if total > math.MaxUint32 {
		return nil, nil, input.Errorf("", "The capture has %d Gaussians; at most %d can be written", total, uint32(math.MaxUint32))
	}
	positions := make([]float32, 3*total)
	rest := positions
	for level, count := range levels {
		last, message := 0, fmt.Sprintf("reading the positions of level %d", level)
		err := w.source.Positions(ctx, level, rest[:3*count], func(done int) {
			w.progress.add(int64(done-last)*costPosition, message)
			last = done
		})
		if err != nil {
			return nil, nil, fmt.Errorf("read the positions of level %d: %w", level, err)
		}
		w.progress.add(int64(count-last)*costPosition, message)
		rest = rest[3*count:]
	}
	// Sources mark broken Gaussians by a NaN position. The share is taken over all
	// levels: in a coarse level of 100 Gaussians, a single broken one would already be 1 %.
	indices, around := validPositions(positions)
	broken := total - int64(len(indices))
	if err := input.CheckBroken("", broken, total); err != nil {
		return nil, nil, err
	}
	w.result.Dropped += broken
	for axis := range 3 {
		w.result.Low[axis], w.result.High[axis] = float64(around.low[axis]), float64(around.high[axis])
	}
	return positions, indices, nil
}

// validPositions returns the indices of the Gaussians with a valid position, and the box
// around them.
func validPositions(positions []float32) ([]uint32, box) {
	indices, around := make([]uint32, 0, len(positions)/3), emptyBox()
	for i := 0; i < len(positions); i += 3 {
		if p := positions[i : i+3]; isValidCoordinate(p[0]) && isValidCoordinate(p[1]) && isValidCoordinate(p[2]) {
			indices = append(indices, uint32(i/3))
			around.addPoint(p)
		}
	}
	return indices, around
}

// isValidCoordinate reports whether v is a number within the limit of positions.
func isValidCoordinate(v float32) bool { return v >= -maxCoordinate && v <= maxCoordinate }

// WriteFolder writes the finest level as images and a meta.json, which is written last.
// This form has no environment. It returns an *input.Error if the source has no Gaussians
// or too many without a valid position.
//
// It needs about 125 bytes of memory for each Gaussian, or 600 with harmonics of degree 3.
func WriteFolder(ctx context.Context, source gaussian.Source, to folder.Writer, o Options) (Result, error) {
	w := newFolderWriter(source, to, o)
	files, err := w.encodeSingle(ctx)
	if err == nil {
		err = w.write(ctx, "", files)
	}
	return w.result, err
}

// WriteBundle writes the same files as WriteFolder to out, as a .sog file.
func WriteBundle(ctx context.Context, source gaussian.Source, out io.Writer, o Options) (Result, error) {
	bundle := newBundleWriter(out)
	w := newWriter(source, o)
	w.store = bundle.store
	files, err := w.encodeSingle(ctx)
	if err == nil {
		err = errors.Join(w.write(ctx, "", files), bundle.close())
	}
	w.result.Files, w.result.Bytes = 1, bundle.bytes
	return w.result, err
}

// encodeSingle encodes the finest level as one chunk, sorted by position. SOG stands for
// "spatially ordered Gaussians".
func (w *writer) encodeSingle(ctx context.Context) ([]file, error) {
	levels := w.source.Levels()
	if len(levels) == 0 || levels[0] == 0 {
		return nil, errEmpty
	}
	n := levels[0]
	if n > maxSingle {
		return nil, input.Errorf("", "The capture has %d Gaussians; without levels at most %d can be written", n, maxSingle)
	}
	w.progress.total = int64(n) * (costPosition + costTree + chunkCost(w.degree))
	positions, indices, err := w.readPositions(ctx, levels[:1])
	if err != nil {
		return nil, err
	}
	w.result.Levels = []int64{int64(len(indices))}
	var c gaussian.Cloud
	places, err := w.readSorted(ctx, positions, indices, &c)
	if err != nil {
		return nil, err
	}
	w.progress.add(int64(n)*(costTree+costRead), "encoding the capture")
	return w.encodeChunk(ctx, &c, places, w.degree, "encoding the capture")
}

// readSorted sets c to the Gaussians of the finest level with these indices, which ascend,
// and returns the pixel of each (see chunkEncoder): neighbours in space become neighbours in
// the images, which makes them smaller.
func (w *writer) readSorted(ctx context.Context, positions []float32, indices []uint32, c *gaussian.Cloud) (places []uint32, err error) {
	w.progress.add(0, "sorting the capture")
	if w.degree > 0 {
		// A palette of harmonics is in the order of the Gaussians, and makes smaller images
		// in the order of space.
		new(sorter).sort(indices, positions, []int64{0}, boundingBox(indices, positions))
	} else {
		// Reading in the order of the source stores values in sequence. Storing each
		// Gaussian at its place in space would miss the cache several times.
		places = placesInSpace(indices, positions)
	}
	if err := w.source.Read(ctx, 0, indices, c); err != nil {
		return nil, fmt.Errorf("read the capture: %w", err)
	}
	return places, nil
}

// placesInSpace returns the place of each Gaussian with these indices, which ascend, in their
// order in space. It moves the positions.
func placesInSpace(indices []uint32, positions []float32) []uint32 {
	order := make([]uint32, len(indices))
	for i, index := range indices {
		order[i] = uint32(i)
		copy(positions[3*i:3*i+3], positions[3*index:3*index+3])
	}
	new(sorter).sort(order, positions, []int64{0}, boundingBox(order, positions))
	places := make([]uint32, len(order))
	for place, i := range order {
		places[i] = uint32(place)
	}
	return places
}

// errEmpty is the error for a capture without Gaussians.
var errEmpty = input.Errorf("", "The capture has no Gaussians")
