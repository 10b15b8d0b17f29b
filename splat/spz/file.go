package spz

import (
	"context"
	"fmt"
	"sync"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// tolerated is how many in a million positions may not be finite, as in PLY files.
const tolerated = 1000

// every is after how many Gaussians the context is looked at.
const every = 1 << 16

// Facts is what a header says.
type Facts struct {
	// Version is that of the format, 1 to 4.
	Version int
	// Splats is the number of Gaussians, the finest ones where there is a tree.
	Splats int64
	// Degree is that of the harmonics, 0 to 4.
	Degree int
	// Antialiased tells that the Gaussians were trained for a renderer that
	// keeps them a pixel wide (Mip-Splatting).
	Antialiased bool
	// Tree tells that the file has levels of detail by Spark.
	Tree bool
}

// Bounds is an axis-aligned box around centres, in the file's own axes: y upwards
// unless an extension names others.
type Bounds struct {
	Min [3]float64
	Max [3]float64
}

// File is an opened SPZ file. It implements gaussian.Source.
type File struct {
	file   folder.File
	name   string
	header *header
	facts  Facts

	// mutex is held while the file is unpacked.
	mutex   sync.Mutex
	decoder *decoder // nil until it is needed; protected by mutex
}

// Open reads the header of an SPZ file, and all of a file with a tree, to count its
// ends. What is wrong with the file is an *input.Error that names it by name. When
// Open succeeds the file belongs to the File and is closed by it; after an error it
// is still the caller's.
func Open(ctx context.Context, file folder.File, name string) (*File, error) {
	h, err := readHeader(file, name)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, name: name, header: h, facts: Facts{
		Version: int(h.version), Splats: int64(h.splats), Degree: h.degree,
		Antialiased: h.flags&flagAntialiased != 0, Tree: h.flags&flagTree != 0,
	}}
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

// load unpacks the Gaussians when they are needed first. Others wait meanwhile; when it
// fails, or its context ends, the next caller tries again.
func (f *File) load(ctx context.Context) (*decoder, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.decoder == nil {
		p, err := unpack(ctx, f.file, f.header, f.name)
		if err != nil {
			return nil, err
		}
		f.decoder = newDecoder(p, f.header)
	}
	return f.decoder, nil
}

// Facts returns what the header says.
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
	lost := 0
	for n := range d.splats {
		if n%every == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if progress != nil {
				progress(n)
			}
		}
		if !d.position(n, p[3*n:3*n+3]) {
			lost++
		}
	}
	if progress != nil {
		progress(d.splats)
	}
	return f.checkLost(lost, d.splats)
}

// checkLost judges how many positions are not finite.
func (f *File) checkLost(lost, count int) error {
	if int64(lost)*1_000_000 > int64(count)*tolerated {
		return input.Errorf(f.name, "is damaged: %d of its %d positions are not finite numbers", lost, count)
	}
	return nil
}

// Read implements gaussian.Source.
func (f *File) Read(ctx context.Context, _ int, numbers []uint32, c *gaussian.Cloud) error {
	d, err := f.load(ctx)
	if err != nil {
		return err
	}
	c.Resize(len(numbers), d.degree)
	for i, n := range numbers {
		if i%every == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if int(n) >= d.splats {
			return fmt.Errorf("read Gaussian %d: there are %d", n, d.splats)
		}
		d.decode(int(n), c, i)
	}
	return nil
}

// Environment implements gaussian.Source: SPZ files have none.
func (f *File) Environment(_ context.Context, c *gaussian.Cloud) error {
	c.Resize(0, f.facts.Degree)
	return nil
}

// Bounds returns the box around the centres. It unpacks the file, so it also finds
// one that is cut off or damaged.
func (f *File) Bounds(ctx context.Context) (*Bounds, error) {
	d, err := f.load(ctx)
	if err != nil {
		return nil, err
	}
	var b *Bounds
	lost := 0
	var p [3]float32
	for n := range d.splats {
		if n%every == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if !d.position(n, p[:]) {
			lost++
			continue
		}
		var x [3]float64
		for k := range x {
			x[k] = float64(d.axes[k] * p[k])
		}
		if b == nil {
			b = &Bounds{x, x}
		}
		for k := range x {
			b.Min[k], b.Max[k] = min(b.Min[k], x[k]), max(b.Max[k], x[k])
		}
	}
	if err := f.checkLost(lost, d.splats); err != nil {
		return nil, err
	}
	return b, nil
}

// Close closes the file and frees what has been unpacked.
func (f *File) Close() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.decoder = nil
	return f.file.Close()
}
