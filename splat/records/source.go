package records

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// Section is a part of a file whose records are decoded in the same way.
type Section struct {
	Table
	// Decode sets Gaussian i of a cloud to a record. The cloud has the degree of the source,
	// and the number of the record counts from the start of the section. Decode need not
	// sanitise values.
	Decode func(record []byte, number int, c *gaussian.Cloud, i int)
}

// Source is the gaussian.Source of a file that consists of sections. It is safe for concurrent use.
type Source struct {
	file     folder.File
	name     string // for errors
	degree   int
	sections []Section
	count    int
	// broken is the number of broken Gaussians that the last complete scan found.
	broken atomic.Int64
}

var _ gaussian.Source = (*Source)(nil)

// NewSource returns the source of a file with these sections, in the order of their
// Gaussians. Empty sections are allowed. Closing the source closes the file.
func NewSource(file folder.File, name string, degree int, sections []Section) *Source {
	s := &Source{file: file, name: name, degree: degree}
	for _, section := range sections {
		if section.Count > 0 {
			s.sections = append(s.sections, section)
			s.count += section.Count
		}
	}
	return s
}

// Levels implements gaussian.Source.
func (s *Source) Levels() []int { return []int{s.count} }

// Degree implements gaussian.Source.
func (s *Source) Degree() int { return s.degree }

// Broken returns the number of broken Gaussians, which are left out. It is 0 before the first
// call of Bounds or Positions.
func (s *Source) Broken() int64 { return s.broken.Load() }

// scan decodes all Gaussians in order and calls visit with the position of each, and with
// the number of Gaussians before it.
func (s *Source) scan(ctx context.Context, visit func(number int, position []float32, broken bool)) error {
	// All records are decoded into the same cloud of one Gaussian: only positions are needed,
	// but whether a Gaussian is broken depends on all its values.
	var current gaussian.Cloud
	current.Resize(1, s.degree)
	first, broken := 0, input.Broken{}
	for _, section := range s.sections {
		err := section.Scan(ctx, func(number int, rows []byte) error {
			for ; len(rows) > 0; rows = rows[section.Stride:] {
				section.Decode(rows[:section.Stride:section.Stride], number, &current, 0)
				fault := current.Sanitise(0)
				if fault != gaussian.Whole {
					broken.Add(fault == gaussian.Empty)
				}
				visit(first+number, current.Positions, fault != gaussian.Whole)
				number++
			}
			return nil
		})
		if err != nil {
			return err
		}
		first += section.Count
	}
	s.broken.Store(broken.All())
	return broken.Check(s.name, int64(s.count))
}

// progressInterval is the number of Gaussians between two reports of progress.
const progressInterval = 1 << 16

// Positions implements gaussian.Source. Too many broken Gaussians are an *input.Error.
func (s *Source) Positions(ctx context.Context, _ int, p []float32, progress func(done int)) error {
	return s.scan(ctx, func(number int, position []float32, broken bool) {
		to := p[3*number : 3*number+3]
		copy(to, position)
		if broken {
			gaussian.LeaveOut(to)
		}
		if done := number + 1; progress != nil && (done%progressInterval == 0 || done == s.count) {
			progress(done)
		}
	})
}

// Bounds returns the box around the centres, or nil if all Gaussians are broken. It reads
// the whole file. Too many broken Gaussians are an *input.Error.
func (s *Source) Bounds(ctx context.Context) (*gaussian.Bounds, error) {
	var box *gaussian.Bounds
	err := s.scan(ctx, func(_ int, position []float32, broken bool) {
		if broken {
			return
		}
		box = box.Extend([3]float64{float64(position[0]), float64(position[1]), float64(position[2])})
	})
	return box, err
}

// Read implements gaussian.Source. Records that are close together in the file are read
// together, whatever the order of the request is.
//
// The requests are in the order of the file, so the requests of a section are consecutive; their
// numbers count from the start of the section.
func (s *Source) Read(ctx context.Context, _ int, numbers []uint32, c *gaussian.Cloud) error {
	all, err := NewRequests(numbers, s.count)
	if err != nil {
		return err
	}
	c.Resize(len(numbers), s.degree)
	first := 0
	for _, section := range s.sections {
		end := first + section.Count
		n, _ := slices.BinarySearchFunc(all, end, func(r rowRequest, end int) int { return r.number() - end })
		inSection := slices.Clone(all[:n])
		for i, r := range inSection {
			inSection[i] = newRequest(r.number()-first, r.slot())
		}
		err := section.Gather(ctx, inSection, func(slot int, row []byte) {
			section.Decode(row, int(numbers[slot])-first, c, slot)
			c.Sanitise(slot)
		})
		if err != nil {
			return fmt.Errorf("read Gaussians %d to %d: %w", first, end, err)
		}
		all, first = all[n:], end
	}
	return nil
}

// Environment implements gaussian.Source. Such files have no environment.
func (s *Source) Environment(_ context.Context, c *gaussian.Cloud) error {
	c.Resize(0, s.degree)
	return nil
}

// Close closes the file that the source was made from.
func (s *Source) Close() error { return s.file.Close() }
