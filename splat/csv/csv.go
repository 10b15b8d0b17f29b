// Package csv writes Gaussians as a table of text, for spreadsheets and scripts: a line with
// the names of the columns, and a line for each Gaussian (RFC 4180, with line feeds and without
// quotes). Package splat uses it. The columns and their values are the properties of a PLY file
// of a trainer (see package ply): positions are in metres with y down, opacities are logits,
// and scales are natural logarithms.
package csv

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/ply"
)

// Written describes a written file.
type Written struct {
	// Splats is the number of written Gaussians, and Dropped the number of broken Gaussians that
	// were left out.
	Splats, Dropped int64
}

// Write writes the finest level. Numbers have the digits that are needed to read back the same
// float32. Progress may be nil. A source without Gaussians is an *input.Error.
func Write(ctx context.Context, source gaussian.Source, to io.Writer, progress func(done, total int64)) (Written, error) {
	// The order of the source: a reader of the table may compare its lines with the capture.
	all, err := gaussian.Select(ctx, source, 0, gaussian.FileOrder, nil)
	if err != nil {
		return Written{}, err
	}
	if all.Len() == 0 {
		return Written{}, input.Errorf("", "The capture has no Gaussians")
	}
	out := bufio.NewWriterSize(to, 1<<20)
	if _, err := out.WriteString(strings.Join(ply.PropertyNames(source.Degree(), ""), ",") + "\n"); err != nil {
		return Written{}, err
	}
	var line []byte
	err = all.Each(ctx, func(first int, c *gaussian.Cloud) error {
		for i := range c.Len() {
			line = line[:0]
			ply.VisitValues(c, i, "", func(v float32) {
				line = append(strconv.AppendFloat(line, float64(v), 'g', -1, 32), ',')
			})
			line[len(line)-1] = '\n'
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		if progress != nil {
			progress(int64(first+c.Len()), int64(all.Len()))
		}
		return nil
	})
	if err != nil {
		return Written{}, err
	}
	return Written{int64(all.Len()), all.Dropped}, out.Flush()
}
