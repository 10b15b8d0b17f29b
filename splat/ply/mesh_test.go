package ply_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
	"portico/splat/ply"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	labels := element{"label", []string{"list ushort char words", "double weight"}, [][]float64{{2, 1, 2, 0.5}, {0, 1}}}
	box := &gaussian.Bounds{Min: [3]float64{-1, 2, 0}, Max: [3]float64{1, 5, 3}}
	mesh := cube("uchar")
	chunks := packedElements(300, true, 0)
	for _, test := range []struct {
		name     string
		elements []element
		want     *gaussian.Bounds
	}{
		{"of a mesh", mesh, box},
		{"of points", mesh[:1], box},
		{"of vertices behind lists", []element{labels, mesh[1], mesh[0]}, box},
		{"of vertices with lists", []element{{"vertex", []string{"float x", "list uchar int neighbours", "float y", "float z"}, [][]float64{{1, 2, 7, 8, 2, 3}, {-1, 0, 5, 0}}}}, box},
		{"of coordinates with many digits", []element{{"vertex", []string{"double x", "double y", "int z"}, [][]float64{{691608.123456, 5334762.654321, 7}}}},
			&gaussian.Bounds{Min: [3]float64{691608.123456, 5334762.654321, 7}, Max: [3]float64{691608.123456, 5334762.654321, 7}}},
		{"of vertices without coordinates", []element{{"vertex", []string{"float x", "float y"}, [][]float64{{1, 2}}}}, nil},
		{"of coordinates that are lists", []element{{"vertex", []string{"float x", "float y", "list uchar float z"}, [][]float64{{1, 2, 0}}}}, nil},
		{"of no vertices", []element{{"vertex", []string{"float x", "float y", "float z"}, nil}}, nil},
		{"of no elements", nil, nil},
		{"of packed Gaussians", chunks, &gaussian.Bounds{Max: [3]float64{2, 3, 4}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
				if test.elements != nil && test.elements[0].name == "chunk" && encoding != ply.LittleEndian {
					continue // which is refused
				}
				got, err := open(t, encode(encoding, test.elements...)).Bounds(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(test.want, got); d != "" {
					t.Errorf("%s: bounds (-want +got): %s", encoding, d)
				}
			}
		})
	}
}

func TestBounds_of_Gaussians_reach_their_centres(t *testing.T) {
	t.Parallel()
	c := randomCloud(50, 0)
	want := &gaussian.Bounds{}
	for i, v := range c.Positions {
		axis := i % 3
		if i < 3 {
			want.Min[axis], want.Max[axis] = float64(v), float64(v)
		}
		want.Min[axis], want.Max[axis] = min(want.Min[axis], float64(v)), max(want.Max[axis], float64(v))
	}
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
		got, err := open(t, encode(encoding, gaussians(c, typedProperties("float", names(0))...))).Bounds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, near); d != "" {
			t.Errorf("%s: bounds (-want +got): %s", encoding, d)
		}
	}
}

func TestTriangles_counts_faces_of_every_encoding(t *testing.T) {
	t.Parallel()
	for _, length := range []string{"uchar", "char", "ushort", "int", "uint32"} {
		for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
			got, err := open(t, encode(encoding, cube(length)...)).Triangles(t.Context())
			if want := int64(3); err != nil || got != want { // of a quad, a triangle and a line
				t.Errorf("%s, lengths of type %s: got %d, %v, want %d", encoding, length, got, err, want)
			}
		}
	}
	strange := element{"face", []string{"list uchar int edges"}, [][]float64{{3, 1, 2, 3}}}
	for name, elements := range map[string][]element{"points": cube("uchar")[:1], "faces without corners": {strange}} {
		if got, err := open(t, encode(ply.LittleEndian, elements...)).Triangles(t.Context()); err != nil || got != 0 {
			t.Errorf("%s: got %d, %v, want none", name, got, err)
		}
	}
}

// A list has its own length, so a list that is cut off is found only by reading it.
func TestTriangles_refuses_lists_that_lie(t *testing.T) {
	t.Parallel()
	b := encode(ply.LittleEndian, cube("uint")...)
	last := bytes.LastIndex(b, []byte{2, 0, 0, 0, 0, 0, 0, 0})
	for _, length := range []byte{3, 255} {
		b[last], b[last+3] = length, length
		_, err := open(t, b).Triangles(t.Context())
		wantInputError(t, err, `it ends in row 3 of 3 of element "face"`)
	}
	b[last], b[last+3] = 2, 0
	for n := bytes.Index(b, []byte("end_header\n")) + 11; n < len(b); n++ {
		f, err := ply.Open(t.Context(), memory(t, b[:n]), "scene.ply")
		if err == nil {
			_, err = f.Triangles(t.Context())
		}
		wantInputError(t, err, "is cut off")
	}
}

func TestTriangles_reports_a_failing_medium_as_ours(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.Text} {
		b := encode(encoding, cube("uchar")...)
		f, err := ply.Open(t.Context(), &sometimes{memory(t, b), broken, 1}, "scene.ply")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Triangles(t.Context()); !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", encoding, err, broken)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := open(t, b).Triangles(canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", encoding, err, context.Canceled)
		}
	}
}
