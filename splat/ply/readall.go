package ply

import (
	"context"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// ReadAll implements gaussian.ReadAll. It reads the file once.
func (s *splats) ReadAll(ctx context.Context, _ int, c *gaussian.Cloud, progress func(done int)) error {
	c.Resize(s.table.Count, s.layout.degree)
	var broken input.Broken
	err := s.table.Scan(ctx, func(i int, rows []byte) error {
		for ; len(rows) > 0; rows = rows[s.table.Stride:] {
			if fault := s.layout.decode(rows, c, i); fault != gaussian.Whole {
				gaussian.LeaveOut(c.Positions[3*i:])
				broken.Add(fault == gaussian.Empty)
			}
			i++
		}
		if progress != nil {
			progress(i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.broken.Store(broken.All())
	return broken.Check(s.name, int64(s.table.Count))
}
