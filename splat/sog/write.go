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

// generator is who wrote a file, for those who find it.
const generator = "Portico"

// maxSingle is how many Gaussians a SOG without levels may have. It is encoded
// whole, and viewers load it whole; what is larger is better streamed.
const maxSingle = 1 << 24

// oneIn bounds how many Gaussians may have no position: one in so many. More mean
// that the capture was read wrongly or is none.
const oneIn = 1000

// writer is one capture that is being written.
type writer struct {
	source  gaussian.Source
	options Options
	rules   rules
	// degree is that of the harmonics which are written.
	degree   int
	progress *progress
	// tools has one for each worker: who takes one may compute.
	tools chan *tool
	// store writes one whole file under its name.
	store  func(ctx context.Context, name string, data []byte) error
	result Result
}

// tool is what a worker makes images with. It keeps its memory for the next one,
// since images are alike and large: garbage of this size would double the memory
// that is needed.
type tool struct {
	pixels  []byte
	encoder vp8l.Encoder
}

// newWriter returns a writer with all its tools free. The caller sets store.
func newWriter(source gaussian.Source, o Options) *writer {
	w := &writer{source: source, options: o, rules: defaultRules, degree: o.degree(source.Degree())}
	w.progress = &progress{to: o.Progress}
	w.tools = make(chan *tool, o.workers())
	for range o.workers() {
		w.tools <- new(tool)
	}
	w.result.Degree = w.degree
	return w
}

// newFolderWriter returns a writer whose files go into a folder.
func newFolderWriter(source gaussian.Source, to folder.Writer, o Options) *writer {
	w := newWriter(source, o)
	w.store = func(ctx context.Context, name string, data []byte) error {
		return to.Put(ctx, name, int64(len(data)), bytes.NewReader(data))
	}
	return w
}

// run does all tasks, as many at a time as there are workers. After the first
// error it begins no more of them.
func (w *writer) run(ctx context.Context, tasks ...func(*tool) error) error {
	g := newGroup(ctx)
	for _, task := range tasks {
		g.do(func(ctx context.Context) error {
			t := <-w.tools
			defer func() { w.tools <- t }()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return task(t)
		})
	}
	return g.wait()
}

// write writes the files of a chunk, whose names begin with prefix.
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

// readPositions returns the positions of these levels, one after the other, and
// the numbers of those that have one.
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
	numbers, around := placed(positions)
	if int64(len(numbers)) < total-total/oneIn || len(numbers) == 0 {
		return nil, nil, input.Errorf("", "The capture has %d Gaussians whose position is no number, of %d", total-int64(len(numbers)), total)
	}
	w.result.Dropped += total - int64(len(numbers))
	for axis := range 3 {
		w.result.Low[axis], w.result.High[axis] = float64(around.low[axis]), float64(around.high[axis])
	}
	return positions, numbers, nil
}

// placed returns the numbers of the Gaussians that are somewhere, and the box
// around them.
func placed(positions []float32) ([]uint32, box) {
	numbers, around := make([]uint32, 0, len(positions)/3), emptyBox()
	for i := 0; i < len(positions); i += 3 {
		if p := positions[i : i+3]; isPlace(p[0]) && isPlace(p[1]) && isPlace(p[2]) {
			numbers = append(numbers, uint32(i/3))
			around.add(p)
		}
	}
	return numbers, around
}

// isPlace is false for NaN and what is farther away than anything can be.
func isPlace(v float32) bool { return v >= -maxCoordinate && v <= maxCoordinate }

// WriteFolder writes the finest level as a meta.json and its images, the meta.json
// last. The environment is not part of this form. A source without Gaussians, or
// whose positions are no numbers, is an *input.Error.
//
// It needs about 100 bytes of memory for each Gaussian, and with harmonics of
// degree 3 some 600.
func WriteFolder(ctx context.Context, source gaussian.Source, to folder.Writer, o Options) (Result, error) {
	w := newFolderWriter(source, to, o)
	files, err := w.single(ctx)
	if err == nil {
		err = w.write(ctx, "", files)
	}
	return w.result, err
}

// WriteBundle writes what WriteFolder does to out, as a .sog file.
func WriteBundle(ctx context.Context, source gaussian.Source, out io.Writer, o Options) (Result, error) {
	bundle := newBundleWriter(out)
	w := newWriter(source, o)
	w.store = bundle.store
	files, err := w.single(ctx)
	if err == nil {
		err = errors.Join(w.write(ctx, "", files), bundle.close())
	}
	w.result.Files, w.result.Bytes = 1, bundle.bytes
	return w.result, err
}

// single encodes the finest level as one chunk, sorted by place: what the S and
// the O of the format's name stand for.
func (w *writer) single(ctx context.Context) ([]file, error) {
	levels := w.source.Levels()
	if len(levels) == 0 || levels[0] == 0 {
		return nil, errEmpty
	}
	n := levels[0]
	if n > maxSingle {
		return nil, input.Errorf("", "The capture has %d Gaussians; without levels at most %d can be written", n, maxSingle)
	}
	w.progress.total = int64(n) * (costPosition + costTree + cost(w.degree))
	positions, numbers, err := w.readPositions(ctx, levels[:1])
	if err != nil {
		return nil, err
	}
	new(sorter).sort(numbers, positions, []int64{0}, boxAround(numbers, positions))
	w.progress.add(int64(n)*costTree, "sorting the capture")
	w.result.Levels = []int64{int64(len(numbers))}
	var c gaussian.Cloud
	if err := w.source.Read(ctx, 0, numbers, &c); err != nil {
		return nil, fmt.Errorf("read the capture: %w", err)
	}
	w.progress.add(int64(n)*costRead, "encoding the capture")
	return w.encode(ctx, &c, w.degree, "encoding the capture")
}

// errEmpty is what is wrong with a capture that has nothing to write.
var errEmpty = input.Errorf("", "The capture has no Gaussians")
