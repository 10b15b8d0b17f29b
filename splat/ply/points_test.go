package ply_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/ply"
)

// coloured returns the element of a cloud whose colours have a type and names, in the range up to
// limit, with other properties, all of them floats.
func coloured(c *gaussian.Cloud, kind, names string, limit float64, others string) element {
	all := strings.Fields(names)
	properties := append([]string{"float x", "float y", "float z"}, typedProperties(kind, all)...)
	e := gaussians(c, append(properties, typedProperties("float", strings.Fields(others))...)...)
	for i, row := range e.rows {
		for k := range 3 {
			row[3+k] = math.Round(float64((7*i+50*k)%256) / 255 * limit)
			if limit == 1 {
				row[3+k] = float64((7*i+50*k)%256) / 255
			}
		}
	}
	return e
}

const shape = "opacity scale_0 scale_1 scale_2 rot_0 rot_1 rot_2 rot_3"

func TestOpen_draws_Gaussians_with_colours_instead_of_harmonics(t *testing.T) {
	t.Parallel()
	c := randomCloud(300, 0)
	for i := range 300 {
		for k := range 3 {
			c.Colours[3*i+k] = (float32((7*i+50*k)%256)/255 - 0.5) / gaussian.C0
		}
	}
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
		for kind, test := range map[string]struct {
			names string
			limit float64
		}{
			"uchar":  {"red green blue", 255},
			"ushort": {"diffuse_red diffuse_green diffuse_blue", 65535},
			"float":  {"r g b", 1},
			"double": {"red green blue", 255},
		} {
			f := open(t, encode(encoding, coloured(c, kind, test.names, test.limit, shape)))
			s, ok := f.Source()
			if !ok || f.Facts().Kind != ply.Gaussians {
				t.Fatalf("%s, %s: got the kind %q, want Gaussians", encoding, kind, f.Facts().Kind)
			}
			got := &gaussian.Cloud{}
			if err := s.Read(t.Context(), 0, all(300), got); err != nil {
				t.Fatal(err)
			}
			for i, want := range [][]float32{c.Positions, c.Scales, c.Colours, c.Opacities} {
				for k, v := range [][]float32{got.Positions, got.Scales, got.Colours, got.Opacities}[i] {
					if math.Abs(float64(v-want[k])) > 2e-3 {
						t.Fatalf("%s, %s: list %d: value %d: got %g, want %g", encoding, kind, i, k, v, want[k])
					}
				}
			}
		}
	}
}

func TestOpen_draws_points_of_a_sensible_size(t *testing.T) {
	t.Parallel()
	// A floor of 10 by 10 metres with a point every 10 cm, and an outlier.
	e := element{name: "vertex", properties: []string{"double x", "float y", "float z", "uchar red", "uchar green", "uchar blue", "uchar alpha"}}
	for i := range 10_000 {
		e.rows = append(e.rows, []float64{float64(i%100) / 10, 0, float64(i/100) / 10, 255, 128, 0, 51})
	}
	e.rows[500][1] = 1e6
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.Text} {
		f := open(t, encode(encoding, e))
		s, ok := f.Source()
		if !ok {
			t.Fatalf("%s: got no Gaussians", encoding)
		}
		got := &gaussian.Cloud{}
		if err := s.Read(t.Context(), 0, []uint32{0}, got); err != nil {
			t.Fatal(err)
		}
		size := math.Exp(float64(got.Scales[0]))
		if size < 0.03 || size > 0.07 || got.Scales[1] != got.Scales[0] || got.Scales[2] != got.Scales[0] {
			t.Errorf("%s: got the size %g m of points 10 cm apart, want half of it", encoding, size)
		}
		if math.Abs(float64(got.Opacities[0])-0.2) > 1e-6 || got.Rotations[3] != 1 || math.Abs(float64(got.Colours[0])*gaussian.C0-0.5) > 1e-6 {
			t.Errorf("%s: got the opacity %g, the rotation %v and the colour %v", encoding, got.Opacities[0], got.Rotations, got.Colours)
		}
		if bounds, err := f.Bounds(t.Context()); err != nil || bounds == nil || f.Broken() != 0 {
			t.Errorf("%s: got the bounds %v, %v and %d broken", encoding, bounds, err, f.Broken())
		}
	}
	// Equal points, and points on a line, have a size too.
	for i := range e.rows {
		e.rows[i][0], e.rows[i][1], e.rows[i][2] = 1, 1, float64(i%2)*float64(i)
	}
	s := source(t, encode(ply.LittleEndian, e))
	got := &gaussian.Cloud{}
	if err := s.Read(t.Context(), 0, []uint32{0}, got); err != nil || !(got.Scales[0] > -20 && got.Scales[0] < 10) {
		t.Errorf("on a line: got the size %v, %v", got.Scales, err)
	}
}

// Meshes stay meshes, and points without colours are not drawn.
func TestOpen_tells_points_from_meshes(t *testing.T) {
	t.Parallel()
	vertices := element{"vertex", []string{"float x", "float y", "float z", "uchar red", "uchar green", "uchar blue"}, [][]float64{{0, 0, 0, 1, 2, 3}, {1, 0, 0, 1, 2, 3}, {0, 1, 0, 1, 2, 3}}}
	faces := element{"face", []string{"uchar intensity"}, [][]float64{{1}}}
	plain := element{"vertex", []string{"float x", "float y", "float z"}, [][]float64{{0, 0, 0}}}
	for _, test := range []struct {
		content []byte
		want    ply.Kind
	}{
		{encode(ply.LittleEndian, vertices), ply.Gaussians},
		{encode(ply.LittleEndian, vertices, faces), ply.Mesh},
		{encode(ply.LittleEndian, plain), ply.Points},
	} {
		if got := open(t, test.content).Facts().Kind; got != test.want {
			t.Errorf("got the kind %q, want %q", got, test.want)
		}
	}
}

// A list for each Gaussian, or an element with lists before them, hides no Gaussians.
func TestOpen_reads_Gaussians_with_lists(t *testing.T) {
	t.Parallel()
	c := randomCloud(200, 1)
	want := &gaussian.Cloud{}
	if err := source(t, encode(ply.LittleEndian, gaussians(c, typedProperties("float", names(1))...))).Read(t.Context(), 0, all(200), want); err != nil {
		t.Fatal(err)
	}
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian} {
		plain := encode(encoding, gaussians(c, typedProperties("float", names(1))...))
		header, body, _ := bytes.Cut(plain, []byte("end_header\n"))
		rowSize := len(body) / 200
		withLists := append(bytes.Clone(header), "property list uchar ushort labels\nend_header\n"...)
		for i := range 200 {
			withLists = append(append(withLists, body[i*rowSize:(i+1)*rowSize]...), byte(i%4))
			withLists = append(withLists, make([]byte, 2*(i%4))...)
		}
		before := bytes.Replace(plain, []byte("element vertex"), []byte("element camera 2\nproperty list uchar char name\nelement vertex"), 1)
		before = bytes.Replace(before, []byte("end_header\n"), []byte("end_header\n\x03abc\x00"), 1)
		for name, content := range map[string][]byte{"for each Gaussian": withLists, "before them": before} {
			s := source(t, content)
			got := &gaussian.Cloud{}
			if err := s.Read(t.Context(), 0, all(200), got); err != nil || s.Degree() != 1 {
				t.Fatalf("%s, %s: got degree %d, %v", encoding, name, s.Degree(), err)
			}
			if fmt.Sprint(got.Positions, got.Harmonics, got.Rotations) != fmt.Sprint(want.Positions, want.Harmonics, want.Rotations) {
				t.Errorf("%s, %s: got other Gaussians than without lists", encoding, name)
			}
		}
	}
}
