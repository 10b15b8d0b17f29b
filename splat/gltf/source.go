package gltf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/meshopt"
	"portico/splat/spz"
)

// readBlock is the number of Gaussians that Positions reads at a time.
const readBlock = 1 << 16

// File is an open glTF file. If HasGaussians returns true, it is a gaussian.Source of all
// Gaussians in the default scene, and safe for concurrent use.
type File struct {
	// Facts are as Inspect returns them for the same file.
	Facts *Facts
	// Offset is what is subtracted from the positions of the Gaussians, in the axes of the file. It
	// is zero unless their nodes are far from the origin.
	Offset [3]float64
	// Fault is the reason why the file's Gaussians cannot be read, or nil. The other parts of the
	// file are valid: viewers may show them, and Facts are right.
	Fault error

	checker *checker
	buffers *buffers
	// instances are the parts of the source. compressed contains their SPZ files by the index of
	// the buffer view.
	instances     []instance
	compressed    map[integer]*spz.File
	count, degree int
	// broken is the number of broken Gaussians that the last complete scan found.
	broken atomic.Int64
}

var _ gaussian.Source = (*File)(nil)

// Open checks a glTF file like Inspect, and opens its Gaussians. A fault in the file is an
// *input.Error about name; a fault that concerns only the Gaussians is File.Fault. The caller
// closes the file.
func Open(ctx context.Context, from folder.Reader, name string) (*File, error) {
	k, err := load(ctx, from, name)
	if err != nil {
		return nil, err
	}
	f := &File{
		checker: k, buffers: &buffers{checker: k, ctx: ctx, files: map[int]folder.File{}, decoded: map[integer]*meshopt.View{}},
		compressed: map[integer]*spz.File{},
	}
	if f.Facts, err = k.facts(ctx); err != nil {
		return nil, err
	}
	all, err := k.gaussianPrimitives(ctx)
	if err == nil && len(all) > 0 {
		err = f.openInstances(ctx, all)
	}
	// A fault that concerns only the Gaussians must not hide meshes that viewers can show.
	if fault, ok := errors.AsType[*input.Error](err); ok {
		f.Fault, f.count, err = fault, 0, nil
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// Facts counted the Gaussians of each mesh once. The source repeats them for each node that
	// shows the mesh.
	if f.count > 0 {
		f.Facts.Splats = int64(f.count)
	}
	return f, nil
}

// HasGaussians reports whether the default scene has Gaussians that can be read. If not, the
// file must not be used as a gaussian.Source.
func (f *File) HasGaussians() bool { return f.count > 0 }

// Levels implements gaussian.Source.
func (f *File) Levels() []int { return []int{f.count} }

// Degree implements gaussian.Source: the highest degree of all primitives.
func (f *File) Degree() int { return f.degree }

// Broken returns the number of broken Gaussians, which are left out. It is 0 before the first
// call of Positions.
func (f *File) Broken() int64 { return f.broken.Load() }

// Positions implements gaussian.Source. It reads all attributes, because whether a Gaussian is
// broken depends on all its values. Progress counts the Gaussians of all primitives.
func (f *File) Positions(ctx context.Context, _ int, p []float32, progress func(done int)) error {
	if len(p) != 3*f.count {
		return fmt.Errorf("read positions: room for %d values, want %d", len(p), 3*f.count)
	}
	var c gaussian.Cloud
	done, broken := 0, input.Broken{}
	for i := range f.instances {
		instance := &f.instances[i]
		for first := 0; first < instance.count; first += readBlock {
			n := min(readBlock, instance.count-first)
			if err := instance.read(ctx, consecutive(first, n), &c); err != nil {
				return err
			}
			for j := range n {
				if fault := c.Sanitise(j); fault != gaussian.Whole {
					gaussian.LeaveOut(c.Positions[3*j:])
					broken.Add(fault == gaussian.Empty)
				}
			}
			to := p[3*done : 3*(done+n)]
			copy(to, c.Positions)
			instance.transform.ApplyPositions(to)
			if done += n; progress != nil {
				progress(done)
			}
		}
	}
	f.broken.Store(broken.All())
	return broken.Check(f.checker.name, int64(f.count))
}

// consecutive returns the n numbers that start with first.
func consecutive(first, n int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(first + i)
	}
	return numbers
}

// Read implements gaussian.Source. It reads each primitive once, whatever the order of the
// numbers is.
func (f *File) Read(ctx context.Context, _ int, numbers []uint32, c *gaussian.Cloud) error {
	c.Resize(len(numbers), f.degree)
	// Each part is read into a separate cloud, because parts have different transforms and degrees.
	var part gaussian.Cloud
	first := 0
	// Numbers count in the whole source: the Gaussians of the first instance, then of the
	// second, and so on.
	for i := range f.instances {
		one := &f.instances[i]
		var numbersInMesh, slots []uint32
		for slot, number := range numbers {
			if at := int64(number) - int64(first); at >= 0 && at < int64(one.count) {
				numbersInMesh, slots = append(numbersInMesh, uint32(at)), append(slots, uint32(slot))
			}
		}
		if first += one.count; len(numbersInMesh) == 0 {
			continue
		}
		if err := one.read(ctx, numbersInMesh, &part); err != nil {
			return err
		}
		for j := range part.Len() {
			part.Sanitise(j)
		}
		// This follows Sanitise, because the rotation needs unit quaternions.
		one.transform.Apply(&part)
		for j, slot := range slots {
			c.Set(int(slot), &part, j)
		}
	}
	if len(numbers) > 0 && int64(slices.Max(numbers)) >= int64(first) {
		return fmt.Errorf("read Gaussian %d: there are %d", slices.Max(numbers), first)
	}
	return nil
}

// Environment implements gaussian.Source. glTF has no environment.
func (f *File) Environment(_ context.Context, c *gaussian.Cloud) error {
	c.Resize(0, f.degree)
	return nil
}

// Close closes the buffers and the SPZ files in them. Facts and Fault stay valid.
func (f *File) Close() error {
	errs := []error{f.buffers.close()}
	for _, opened := range f.compressed {
		errs = append(errs, opened.Close())
	}
	return errors.Join(errs...)
}
