package meshopt_test

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"portico/splat/folder"
	"portico/splat/input"
	"portico/splat/meshopt"
)

// vectors are streams of the reference encoder, with what the reference decoder returns for
// them (testdata/vectors.mjs).
//
//go:embed testdata/vectors.json
var vectors []byte

type vector struct {
	Name             string
	Count            int64
	Stride           int
	Filter           meshopt.Filter
	Encoded, Decoded []byte
}

func (v vector) layout() meshopt.Layout {
	return meshopt.Layout{Count: v.Count, Stride: v.Stride, Filter: v.Filter}
}

func allVectors(t testing.TB) []vector {
	t.Helper()
	var all []vector
	if err := json.Unmarshal(vectors, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func file(t testing.TB, b []byte) folder.File {
	t.Helper()
	f, err := folder.Memory{"a": b}.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func decode(t testing.TB, stream []byte, layout meshopt.Layout) ([]byte, error) {
	t.Helper()
	view, err := meshopt.Open(file(t, stream), "a.glb", layout)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(view, 0, view.Size()))
}

func TestView_decodes_as_the_reference_does(t *testing.T) {
	t.Parallel()
	for _, test := range allVectors(t) {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			got, err := decode(t, test.Encoded, test.layout())
			if err != nil || len(got) != len(test.Decoded) {
				t.Fatalf("got %d bytes, %v, want %d", len(got), err, len(test.Decoded))
			}
			switch test.Filter {
			case meshopt.FilterNone, meshopt.FilterExponential:
				if !bytes.Equal(got, test.Decoded) {
					t.Errorf("got %x, want %x", got, test.Decoded)
				}
			default: // to one unit in the last place (appendix B)
				if far := farthest(got, test.Decoded, test.Stride); far > 1 {
					t.Errorf("got values that differ by up to %d, want 1 at most", far)
				}
			}
		})
	}
}

// farthest returns the largest difference between components of 8 or 16 bits.
func farthest(a, b []byte, stride int) (far int) {
	for i := 0; i < len(a); i += stride / 4 {
		difference := int(int8(a[i] - b[i]))
		if stride == 8 {
			difference = int(int16(binary.LittleEndian.Uint16(a[i:]) - binary.LittleEndian.Uint16(b[i:])))
		}
		far = max(far, difference, -difference)
	}
	return far
}

// long returns a stream of version 1 whose bytes are literal, which has several parts.
func long(elements int) (stream, decoded []byte) {
	stream, value := []byte{0xa1}, byte(0)
	for first := 0; first < elements; first += 256 {
		n := min(256, elements-first)
		stream = append(stream, 0xaf) // the first two planes are literal, the others 0
		for plane := range 2 {
			for i := range n {
				stream = append(stream, byte(2*((first+i)%3+plane))) // zigzag
			}
		}
	}
	low, high := value, value
	for i := range elements {
		low, high = low+byte(i%3), high+byte(i%3+1)
		decoded = append(decoded, low, high, 9, 9)
	}
	return append(append(stream, make([]byte, 19)...), 0, 0, 9, 9, 0), decoded
}

func TestView_reads_any_part_in_any_order(t *testing.T) {
	t.Parallel()
	const elements = 100_000
	stream, decoded := long(elements)
	view, err := meshopt.Open(file(t, stream), "a.glb", meshopt.Layout{Count: elements, Stride: 4})
	if err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	for first := range 8 {
		readers.Go(func() {
			for i := range 40 {
				offset := (first*40 + i) * 7919 * 13 % len(decoded)
				b := make([]byte, 5000)
				n, err := view.ReadAt(b, int64(offset))
				if want := decoded[offset:min(offset+len(b), len(decoded))]; !bytes.Equal(b[:n], want) || err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("at %d: got %d bytes that differ or %v, want %d", offset, n, err, len(want))
				}
			}
		})
	}
	readers.Wait()
	if _, err := view.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("a negative offset: got no error")
	}
}

func TestView_refuses_damaged_streams(t *testing.T) {
	t.Parallel()
	good, _ := long(600)
	layout := meshopt.Layout{Count: 600, Stride: 4}
	change := func(at int, to byte) []byte {
		b := bytes.Clone(good)
		b[at] = to
		return b
	}
	for name, test := range map[string]struct {
		stream []byte
		layout meshopt.Layout
	}{
		"nothing":           {nil, layout},
		"a header only":     {[]byte{0xa1}, layout},
		"another version":   {change(0, 0xa2), layout},
		"cut short":         {append(bytes.Clone(good[:100]), good[len(good)-24:]...), layout},
		"too long":          {append(bytes.Clone(good[:len(good)-24]), make([]byte, 25)...), layout},
		"more elements":     {good, meshopt.Layout{Count: 601, Stride: 4}},
		"fewer elements":    {good, meshopt.Layout{Count: 599, Stride: 4}},
		"a channel of 3":    {change(len(good)-1, 3), layout},
		"a rotated channel": {change(len(good)-1, 0x10), layout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decode(t, test.stream, test.layout)
			if fault, ok := errors.AsType[*input.Error](err); !ok || fault.File != "a.glb" || !strings.Contains(fault.Message, "meshoptimizer") {
				t.Errorf("got %v, want a fault of the file", err)
			}
		})
	}
}

func TestLayout_follows_the_specification(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		layout meshopt.Layout
		ok     bool
	}{
		{meshopt.Layout{Count: 0, Stride: 4}, true},
		{meshopt.Layout{Count: 1, Stride: 256, Filter: meshopt.FilterNone}, true},
		{meshopt.Layout{Count: 1, Stride: 12, Filter: meshopt.FilterExponential}, true},
		{meshopt.Layout{Count: 1, Stride: 8, Filter: meshopt.FilterQuaternion}, true},
		{meshopt.Layout{Count: -1, Stride: 4}, false},
		{meshopt.Layout{Count: 1, Stride: 0}, false},
		{meshopt.Layout{Count: 1, Stride: 6}, false},
		{meshopt.Layout{Count: 1, Stride: 260}, false},
		{meshopt.Layout{Count: 1, Stride: 4, Filter: meshopt.FilterQuaternion}, false},
		{meshopt.Layout{Count: 1, Stride: 12, Filter: meshopt.FilterOctahedral}, false},
		{meshopt.Layout{Count: 1, Stride: 12, Filter: meshopt.FilterColor}, false},
		{meshopt.Layout{Count: 1, Stride: 4, Filter: "ZIP"}, false},
	} {
		if err := test.layout.Check(); (err == nil) != test.ok {
			t.Errorf("%+v: got %v, want it allowed: %t", test.layout, err, test.ok)
		}
	}
}

// FuzzView decodes any stream. Every fault is an *input.Error, and what is decoded once is
// decoded again from the middle.
func FuzzView(f *testing.F) {
	for _, v := range allVectors(f) {
		f.Add(v.Encoded, uint16(v.Count), byte(v.Stride/4), string(v.Filter))
	}
	f.Fuzz(func(t *testing.T, b []byte, count uint16, words byte, filter string) {
		layout := meshopt.Layout{Count: int64(count), Stride: 4 * int(words), Filter: meshopt.Filter(filter)}
		if layout.Check() != nil {
			return
		}
		all, err := decode(t, b, layout)
		if err != nil {
			if _, ok := errors.AsType[*input.Error](err); !ok {
				t.Fatalf("got %v, want an error that names the file", err)
			}
			return
		}
		view, err := meshopt.Open(file(t, b), "a", layout)
		if err != nil {
			t.Fatal(err)
		}
		rest := make([]byte, len(all)-len(all)/2)
		if _, err := view.ReadAt(rest, int64(len(all)/2)); err != nil || !bytes.Equal(rest, all[len(all)/2:]) {
			t.Errorf("from the middle: got other bytes, %v", err)
		}
	})
}
