package records_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/records"
)

// decode sets a Gaussian to the numbers of a record, which are any.
func decode(record []byte, _ int, c *gaussian.Cloud, i int) {
	at := 0
	for _, values := range [][]float32{c.Positions[3*i:][:3], c.Rotations[4*i:][:4], c.Scales[3*i:][:3], c.Colours[3*i:][:3], c.Opacities[i:][:1]} {
		for k := range values {
			values[k] = 0
			if at+4 <= len(record) {
				values[k] = math.Float32frombits(binary.LittleEndian.Uint32(record[at:]))
			}
			at += 4
		}
	}
}

// FuzzSource reads any bytes as two sections of records, in any order. What is read in another
// order must be what is read in the file's.
func FuzzSource(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef"), byte(16), byte(1), uint64(5))
	f.Add(make([]byte, 1000), byte(56), byte(3), uint64(1))
	f.Add([]byte{0, 0, 0xC0, 0x7F, 1}, byte(1), byte(2), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, stride, first byte, order uint64) {
		rows := len(data) / max(1, int(stride))
		split := min(int(first), rows)
		memory, err := folder.Memory{"a": data}.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		section := func(from, count int) records.Section {
			return records.Section{
				Table:  records.Table{File: memory, Offset: int64(from * max(1, int(stride))), Stride: max(1, int(stride)), Count: count},
				Decode: decode,
			}
		}
		s := records.NewSource(memory, "a", 0, []records.Section{section(0, split), section(split, rows-split)})
		n := s.Levels()[0]
		if n != rows {
			t.Fatalf("Gaussians: got %d, want %d", n, rows)
		}
		positions := make([]float32, 3*n)
		_, refused := errors.AsType[*input.Error](s.Positions(t.Context(), 0, positions, nil))
		if _, err := s.Bounds(t.Context()); (err != nil) != refused {
			t.Errorf("bounds: got %v, but positions are refused: %v", err, refused)
		}
		if n == 0 {
			return
		}
		numbers := make([]uint32, n)
		for i := range numbers {
			numbers[i] = uint32((uint64(i)*(order|1) + order) % uint64(n)) // repeats some
		}
		var c, one gaussian.Cloud
		if err := s.Read(t.Context(), 0, numbers, &c); err != nil {
			t.Fatalf("read: %v", err)
		}
		for i, number := range numbers {
			if err := s.Read(t.Context(), 0, []uint32{number}, &one); err != nil {
				t.Fatalf("read %d: %v", number, err)
			}
			if !slices.Equal(c.Positions[3*i:][:3], one.Positions) || !slices.Equal(c.Rotations[4*i:][:4], one.Rotations) {
				t.Errorf("Gaussian %d: got %v among others, %v alone", number, c.Positions[3*i:][:3], one.Positions)
			}
		}
		if err := s.Read(t.Context(), 0, []uint32{uint32(n)}, &one); err == nil {
			t.Error("a Gaussian behind the last: got no error")
		}
	})
}

// If a file is cut after it was opened, the fault is not in the upload.
func TestSource_of_a_file_that_was_cut(t *testing.T) {
	t.Parallel()
	memory, err := folder.Memory{"a": make([]byte, 40)}.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	s := records.NewSource(memory, "a", 0, []records.Section{{Table: records.Table{File: memory, Stride: 16, Count: 3}, Decode: decode}})
	var c gaussian.Cloud
	if err := s.Read(t.Context(), 0, []uint32{2}, &c); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read: got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}
