package csv_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"testing"

	own "portico/splat/csv"
	"portico/splat/gaussian"
)

func TestWrite_writes_a_line_for_each_Gaussian(t *testing.T) {
	t.Parallel()
	c := &gaussian.Cloud{}
	c.Resize(2, 1)
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
		for i := range values {
			values[i] = 0.1 + float32(i)/64
		}
	}
	var out bytes.Buffer
	w, err := own.Write(t.Context(), gaussian.NewMemorySource(nil, c), &out, nil)
	if err != nil || w.Splats != 2 || w.Dropped != 0 {
		t.Fatalf("got %+v, %v, want 2 splats", w, err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("got %d lines, %v, want 3", len(rows), err)
	}
	value := func(row int, column string) float32 {
		for i, name := range rows[0] {
			if name == column {
				v, err := strconv.ParseFloat(rows[row][i], 32)
				if err != nil {
					t.Error(err)
				}
				return float32(v)
			}
		}
		t.Errorf("no column %s", column)
		return 0
	}
	for column, want := range map[string]float32{
		"x": c.Positions[3], "z": c.Positions[5], "f_dc_1": c.Colours[4], "f_rest_8": c.Harmonics[17],
		"scale_2": c.Scales[5], "rot_0": c.Rotations[7], "rot_1": c.Rotations[4], "opacity": gaussian.Logit(c.Opacities[1]),
	} {
		if got := value(2, column); got != want {
			t.Errorf("%s: got %v, want %v exactly", column, got, want)
		}
	}
	if len(rows[0]) != 23 {
		t.Errorf("columns: got %d, want 23", len(rows[0]))
	}
	if _, err := own.Write(t.Context(), gaussian.NewMemorySource(nil, &gaussian.Cloud{}), &out, nil); err == nil {
		t.Error("a capture without Gaussians: got no error")
	}
}

// The table is written in large pieces, so a full disk may show only in the last one.
func TestWrite_returns_the_error_of_its_writer(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for name, size := range map[string]int{"in the last piece": 1, "before": 1 << 16} {
		c := &gaussian.Cloud{}
		c.Resize(size, 0)
		for i := range size {
			c.Rotations[4*i] = 1
		}
		_, err := own.Write(t.Context(), gaussian.NewMemorySource(nil, c), brokenWriter{full}, nil)
		if !errors.Is(err, full) {
			t.Errorf("%s: got %v, want %v", name, err, full)
		}
	}
}

type brokenWriter struct{ err error }

// Write implements io.Writer.
func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestWrite_reports_progress_up_to_all_Gaussians(t *testing.T) {
	t.Parallel()
	c := &gaussian.Cloud{}
	c.Resize(3, 0)
	for i := range 3 {
		c.Rotations[4*i] = 1
	}
	var done, total int64
	_, err := own.Write(t.Context(), gaussian.NewMemorySource(nil, c), io.Discard, func(d, all int64) { done, total = d, all })
	if err != nil || done != 3 || total != 3 {
		t.Errorf("progress: got %d of %d, %v, want 3 of 3", done, total, err)
	}
}
