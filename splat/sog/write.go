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
	// buffers holds the buffers of each worker. Taking them from the channel also limits the number
	// of running tasks.
	buffers chan *imageBuffers
	// store writes one complete file.
	store  func(ctx context.Context, name string, data []byte) error
	result Result
}

// imageBuffers holds a worker's buffers for encoding images. Images are large and of similar
// size; without reuse, garbage would double the memory.
type imageBuffers struct {
	pixels  []uint32 // ARGB
	encoder vp8l.Encoder
}

// newWriter returns a writer. The caller sets store.
func newWriter(source gaussian.Source, o Options) *writer {
	w := &writer{source: source, options: o, rules: defaultRules, degree: o.writtenDegree(source.Degree())}
	w.progress = &progress{report: o.Progress}
	w.buffers = make(chan *imageBuffers, o.workers())
	for range o.workers() {
		w.buffers <- new(imageBuffers)
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

// runTasks runs all tasks, as many at a time as there are workers. After the first error it starts
// no more tasks. It returns after all tasks have ended.
func (w *writer) runTasks(ctx context.Context, tasks ...func(*imageBuffers) error) error {
	g := newTaskGroup(ctx)
	for _, task := range tasks {
		g.start(func(ctx context.Context) error {
			b := <-w.buffers
			defer func() { w.buffers <- b }()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return task(b)
		})
	}
	return g.wait()
}

// write writes the files of a chunk, with prefix before their names. It is called from one
// goroutine, because a folder.Writer stores one file at a time.
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
		return nil, nil, input.Errorf("", "The capture has %d Gaussians; at most %d can be written", total, uint32(math.MaxUint32)).
			Advise(adviceToExportInParts)
	}
	positions := make([]float32, 3*total)
	rest := positions
	for level, count := range levels {
		last, message := 0, fmt.Sprintf("Reading the positions of level %d", level)
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
	indices, _, err := w.leaveOutBroken(positions)
	return positions, indices, err
}

// leaveOutBroken returns the indices of the Gaussians with a valid position, and the box around
// them. It adds to the result, and returns an error if too many are broken.
func (w *writer) leaveOutBroken(positions []float32) ([]uint32, box, error) {
	// Sources mark broken Gaussians by a NaN position, and refuse a file with too many that are
	// not valid. Only a capture of little else is refused here, over all levels.
	indices, around := validPositions(positions)
	total := int64(len(positions) / 3)
	broken := total - int64(len(indices))
	if err := (input.Broken{Empty: broken}).Check("", total); err != nil {
		return nil, around, err
	}
	w.result.Dropped += broken
	for axis := range 3 {
		w.result.Low[axis], w.result.High[axis] = float64(around.low[axis]), float64(around.high[axis])
	}
	return indices, around, nil
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
		return nil, input.Errorf("", "The capture has %d Gaussians; without levels at most %d can be written", n, maxSingle).
			Advise("Convert it to streamed SOG")
	}
	w.progress.total = int64(n) * (costPosition + costTree + chunkCost(w.degree))
	var c gaussian.Cloud
	read := w.readInOrder
	if w.degree > 0 {
		read = w.readSorted
	}
	order, err := read(ctx, n, &c)
	if err != nil {
		return nil, err
	}
	w.result.Levels = []int64{int64(c.Len())}
	return w.encodeChunk(ctx, &c, order, w.degree, "Encoding the capture")
}

// readInOrder sets c to the n Gaussians of the finest level in the order of the source, and
// returns their order in space. Neighbours in space become neighbours in the images, which makes
// them smaller. The source is read once and in sequence.
func (w *writer) readInOrder(ctx context.Context, n int, c *gaussian.Cloud) (order []uint32, err error) {
	last, message := 0, "Reading the capture"
	err = gaussian.ReadAll(ctx, w.source, 0, c, func(done int) {
		w.progress.add(int64(done-last)*(costPosition+costRead), message)
		last = done
	})
	if err != nil {
		return nil, fmt.Errorf("read the capture: %w", err)
	}
	w.progress.add(int64(n-last)*(costPosition+costRead), "Sorting the capture")
	order, bounds, err := w.leaveOutBroken(c.Positions)
	if err != nil {
		return nil, err
	}
	if len(order) < n {
		for i, index := range order {
			c.Set(i, c, int(index))
			order[i] = uint32(i)
		}
		c.Resize(len(order), c.Degree)
	}
	new(mortonSorter).sort(order, c.Positions, []int64{0}, bounds)
	w.progress.add(int64(n)*costTree, "Encoding the capture")
	return order, nil
}

// readSorted sets c to the n Gaussians of the finest level in their order in space, so the
// returned order is nil: a palette of harmonics is in the order of the Gaussians, and makes smaller
// images in the order of space.
func (w *writer) readSorted(ctx context.Context, n int, c *gaussian.Cloud) (order []uint32, err error) {
	positions, indices, err := w.readPositions(ctx, []int{n})
	if err != nil {
		return nil, err
	}
	w.progress.add(0, "Sorting the capture")
	new(mortonSorter).sort(indices, positions, []int64{0}, boundingBox(indices, positions))
	if err := w.source.Read(ctx, 0, indices, c); err != nil {
		return nil, fmt.Errorf("read the capture: %w", err)
	}
	w.progress.add(int64(n)*(costTree+costRead), "Encoding the capture")
	return nil, nil
}

var errEmpty = input.Errorf("", "The capture has no Gaussians")
