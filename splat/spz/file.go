package spz

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// checkInterval is the number of Gaussians between two checks of the context.
const checkInterval = 1 << 16

// Facts are what the header of a file states.
type Facts struct {
	// Version is the version of the format, 1 to 4.
	Version int
	// Splats is the number of Gaussians; in a file with a tree, the number of its leaves.
	Splats int64
	// Degree is the degree of the harmonics, 0 to 4.
	Degree int
	// Antialiased reports whether the Gaussians were trained for a renderer that draws them at
	// least a pixel wide (Mip-Splatting).
	Antialiased bool
	// Tree reports whether the file has Spark's levels of detail.
	Tree bool
}

// File is an open SPZ file. It implements gaussian.Source and is safe for concurrent use.
type File struct {
	file   folder.File
	name   string
	header *header
	facts  Facts
	// axes replace the axes of the file, unless they are nil.
	axes *axes

	// broken is the number of broken Gaussians that the last complete scan found.
	broken atomic.Int64

	// mutex is held while the file is unpacked, so that it is unpacked once.
	mutex   sync.Mutex
	decoder *decoder // nil before the first load; guarded by mutex
}

// Options are the options of reading. The zero value is ready to use.
type Options struct {
	// Axes are the axes of the file. "" means the axes that an extension names, or else right, up,
	// back. They must be set for a file that has other axes but no extension, because nothing in
	// such a file shows this.
	Axes Axes
}

// Open reads the header of an SPZ file. It reads all of a file with a tree, to count the
// leaves. A fault in the file is an *input.Error about name. The returned File closes the file;
// after an error the caller must close it.
func Open(ctx context.Context, file folder.File, name string) (*File, error) {
	return Options{}.Open(ctx, file, name)
}

// Open opens a file like the function Open, with these options.
func (o Options) Open(ctx context.Context, file folder.File, name string) (*File, error) {
	var forced *axes
	if o.Axes != "" {
		named, ok := o.Axes.parse()
		if !ok {
			return nil, fmt.Errorf("open SPZ with the axes %q", o.Axes)
		}
		forced = &named
	}
	h, err := readHeader(file, name)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, name: name, header: h, axes: forced, facts: Facts{
		Version: int(h.version), Splats: int64(h.splats), Degree: h.degree,
		Antialiased: h.flags&flagAntialiased != 0, Tree: h.flags&flagTree != 0,
	}}
	// Version 4 states the sizes of all streams at the start, so a file that is cut off is refused
	// without unpacking it. In older versions only unpacking shows this.
	if h.version >= newest {
		if _, err := readTable(file, h, name); err != nil {
			return nil, err
		}
	}
	if f.facts.Tree {
		d, err := f.load(ctx)
		if err != nil {
			return nil, err
		}
		f.facts.Splats = int64(d.splats)
	}
	return f, nil
}

// load unpacks the Gaussians once. Concurrent callers wait for the first. If unpacking fails,
// for example because its context ends, the next caller tries again.
func (f *File) load(ctx context.Context) (*decoder, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.decoder == nil {
		p, err := unpack(ctx, f.file, f.header, f.name)
		if err != nil {
			return nil, err
		}
		if f.axes != nil {
			p.axes = *f.axes
		}
		f.decoder = newDecoder(p, f.header)
	}
	return f.decoder, nil
}

// Facts returns the content of the header.
func (f *File) Facts() Facts { return f.facts }

// Levels implements gaussian.Source.
func (f *File) Levels() []int { return []int{int(f.facts.Splats)} }

// Degree implements gaussian.Source.
func (f *File) Degree() int { return f.facts.Degree }

// Positions implements gaussian.Source.
func (f *File) Positions(ctx context.Context, _ int, p []float32, progress func(done int)) error {
	d, err := f.load(ctx)
	if err != nil {
		return err
	}
	skipped := int64(0)
	for n := range d.splats {
		if n%checkInterval == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if progress != nil {
				progress(n)
			}
		}
		to := p[3*n : 3*n+3]
		if !d.position(n, to) {
			gaussian.LeaveOut(to)
			skipped++
		}
	}
	if d.axes.exchanged {
		for i := 0; i < len(p); i += 3 {
			p[i+1], p[i+2] = p[i+2], -p[i+1] // as quarterTurn; x keeps the mark of LeaveOut
		}
	}
	if progress != nil {
		progress(d.splats)
	}
	return f.checkBroken(skipped, d.splats)
}

// checkBroken stores how many broken Gaussians a scan skipped, and refuses a file with too many.
func (f *File) checkBroken(skipped int64, count int) error {
	f.broken.Store(skipped)
	return input.Broken{Invalid: skipped}.Check(f.name, int64(count))
}

// Broken returns the number of broken Gaussians, which are left out. It is 0 before the first
// call of Bounds or Positions.
func (f *File) Broken() int64 { return f.broken.Load() }

// Read implements gaussian.Source.
func (f *File) Read(ctx context.Context, _ int, numbers []uint32, c *gaussian.Cloud) error {
	d, err := f.load(ctx)
	if err != nil {
		return err
	}
	c.Resize(len(numbers), d.degree)
	// Everything is in memory, so the numbers are decoded in their own order.
	for i, n := range numbers {
		if i%checkInterval == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if int(n) >= d.splats {
			return fmt.Errorf("read Gaussian %d: there are %d", n, d.splats)
		}
		d.decode(int(n), c, i)
	}
	if d.axes.exchanged {
		quarterTurn().Apply(c)
	}
	return nil
}

// Environment implements gaussian.Source. SPZ files have no environment.
func (f *File) Environment(_ context.Context, c *gaussian.Cloud) error {
	c.Resize(0, f.facts.Degree)
	return nil
}

// Bounds returns the box around the centres, or nil if all Gaussians are broken. It is in the axes
// of the file: y is up unless an extension or Options name other axes. Bounds unpacks the file, so
// it also refuses a file that is cut off or damaged.
//
// Decoded positions differ from the file by signs. Multiplying by the signs once more gives back
// the axes of the file.
func (f *File) Bounds(ctx context.Context) (*gaussian.Bounds, error) {
	d, err := f.load(ctx)
	if err != nil {
		return nil, err
	}
	var b *gaussian.Bounds
	skipped := int64(0)
	var p [3]float32
	for n := range d.splats {
		if n%checkInterval == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if !d.position(n, p[:]) {
			skipped++
			continue
		}
		var x [3]float64
		for k := range x {
			x[k] = float64(d.axes.signs[k] * p[k])
		}
		b = b.Extend(x)
	}
	if err := f.checkBroken(skipped, d.splats); err != nil {
		return nil, err
	}
	return b, nil
}

// Close closes the file and releases the unpacked Gaussians.
func (f *File) Close() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.decoder = nil
	return f.file.Close()
}
