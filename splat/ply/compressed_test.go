package ply_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
	"portico/splat/ply"
)

// rangeColumns are the columns of the chunk element.
var rangeColumns = typedProperties("float", []string{
	"min_x", "min_y", "min_z", "max_x", "max_y", "max_z",
	"min_scale_x", "min_scale_y", "min_scale_z", "max_scale_x", "max_scale_y", "max_scale_z",
	"min_r", "min_g", "min_b", "max_r", "max_g", "max_b",
})

// rangesOf are the ranges of the c-th chunk. Positions are between c and c+1, c and c+2, c and
// c+3; scales between -4 and -2; colours between -1 and 1.
func rangesOf(c int) []float64 {
	f := float64(c)
	return []float64{f, f, f, f + 1, f + 2, f + 3, -4, -4, -4, -2, -2, -2, -1, -1, -1, 1, 1, 1}
}

// packedElements makes the elements of a file by SuperSplat with n Gaussians: the first of
// each chunk lies at the low end of all ranges, the second at the high one, the
// others between them.
func packedElements(n int, coloured bool, degree int) []element {
	chunks := element{name: "chunk", properties: slices.Clone(rangeColumns)}
	vertices := element{name: "vertex", properties: typedProperties("uint", []string{"packed_position", "packed_rotation", "packed_scale", "packed_color"})}
	harmonics := element{name: "sh"}
	for i := range 3 * gaussian.Coefficients(degree) {
		harmonics.properties = append(harmonics.properties, fmt.Sprintf("uchar f_rest_%d", i))
	}
	if !coloured {
		chunks.properties = chunks.properties[:12]
	}
	for i := range n {
		if i%256 == 0 {
			chunks.rows = append(chunks.rows, rangesOf(i / 256)[:len(chunks.properties)])
		}
		row := []float64{1023<<21 | 511<<11 | 1023, 0, 1023<<21 | 511<<11 | 1023, 51<<24 | 102<<16 | 153<<8 | 204}
		switch i % 256 {
		case 0:
			row = []float64{0, 0<<30 | 1023<<20, 0, 0}
		case 1:
			row = []float64{1<<32 - 1, 3<<30 | 1023, 1<<32 - 1, 1<<32 - 1}
		}
		vertices.rows = append(vertices.rows, row)
		bytes := make([]float64, len(harmonics.properties))
		for k := range bytes {
			bytes[k] = float64([]int{0, 255, 128, 1}[(i+k)%4])
		}
		harmonics.rows = append(harmonics.rows, bytes)
	}
	if degree == 0 {
		return []element{chunks, vertices}
	}
	return []element{chunks, vertices, harmonics}
}

func TestCompressed_unpacks(t *testing.T) {
	t.Parallel()
	s := source(t, encode(ply.LittleEndian, packedElements(300, true, 1)...))
	got := &gaussian.Cloud{}
	if err := s.Read(t.Context(), 0, []uint32{257, 0, 2}, got); err != nil {
		t.Fatal(err)
	}
	const root, c0 = math.Sqrt2 / 2, gaussian.C0
	// Ten bits have no middle: zeros are 0.5-511/1023 and the like.
	low, middle := float32(1023.0/2047), float32(511.0/1023)
	want := &gaussian.Cloud{
		Degree:    1,
		Positions: []float32{2, 3, 4, 0, 0, 0, low, 2 * middle, 3 * low},
		Rotations: []float32{
			-0.5773503, -0.5773503, 0.5773503, 0, // w and x, y at their low ends, z at its high one
			0.5773503, -0.5773503, -0.5773503, 0,
			-0.5773503, -0.5773503, -0.5773503, 0,
		},
		Scales:    []float32{-2, -2, -2, -4, -4, -4, 2*low - 4, 2*middle - 4, 2*low - 4},
		Colours:   []float32{0.5 / c0, 0.5 / c0, 0.5 / c0, -1.5 / c0, -1.5 / c0, -1.5 / c0, (0.4 - 1.5) / c0, (0.8 - 1.5) / c0, (1.2 - 1.5) / c0},
		Opacities: []float32{1, 0, 0.8},
	}
	want.Rotations[0], want.Rotations[1], want.Rotations[2], want.Rotations[3] = quaternion(3, -root, -root, root)
	want.Rotations[4], want.Rotations[5], want.Rotations[6], want.Rotations[7] = quaternion(0, root, -root, -root)
	want.Rotations[8], want.Rotations[9], want.Rotations[10], want.Rotations[11] = quaternion(0, -root, -root, -root)
	for _, i := range []int{257, 0, 2} {
		for k := range 9 {
			want.Harmonics = append(want.Harmonics, []float32{-4, 4, 128.5/32 - 4, 1.5/32 - 4}[(i+k)%4])
		}
	}
	if d := cmp.Diff(want, got, near); d != "" {
		t.Errorf("Gaussians (-want +got): %s", d)
	}
	positions := make([]float32, 900)
	var done []int
	if err := s.Positions(t.Context(), 0, positions, func(d int) { done = append(done, d) }); err != nil || !slices.Equal(done, []int{300}) {
		t.Fatalf("positions: got %v and progress %v, want [300]", err, done)
	}
	if !slices.Equal(positions[3*257:3*258], got.Positions[:3]) || !slices.Equal(positions[6:9], got.Positions[6:]) {
		t.Errorf("positions: got %v and %v, want the positions from Read", positions[3*257:3*258], positions[6:9])
	}
}

// gsplat declares the harmonics of degree 0 too: as many rows as Gaussians, without properties.
func TestCompressed_reads_harmonics_without_properties(t *testing.T) {
	t.Parallel()
	elements := packedElements(300, true, 0)
	want := &gaussian.Cloud{}
	if err := source(t, encode(ply.LittleEndian, elements...)).Read(t.Context(), 0, all(300), want); err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{300, 4_000_000_000} {
		content := strings.Replace(string(encode(ply.LittleEndian, elements...)), "end_header", fmt.Sprintf("element sh %d\nend_header", count), 1)
		s := source(t, []byte(content))
		got := &gaussian.Cloud{}
		if err := s.Read(t.Context(), 0, all(300), got); err != nil || s.Degree() != 0 {
			t.Fatalf("%d rows: got degree %d, %v, want 0", count, s.Degree(), err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d rows: Gaussians (-want +got): %s", count, d)
		}
	}
}

func TestCompressed_is_a_source(t *testing.T) {
	t.Parallel()
	s := source(t, encode(ply.LittleEndian, packedElements(300, true, 3)...))
	if got := s.Levels(); !slices.Equal(got, []int{300}) || s.Degree() != 3 {
		t.Errorf("levels and degree: got %v, %d, want [300], 3", got, s.Degree())
	}
	c := randomCloud(1, 0)
	if err := s.Environment(t.Context(), c); err != nil || c.Len() != 0 {
		t.Errorf("environment: got %d Gaussians, %v, want none", c.Len(), err)
	}
	if err := s.Read(t.Context(), 0, []uint32{300}, c); err == nil {
		t.Error("a number that there is not: got no error")
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// quaternion puts the other three components, in the order w, x, y, z, around the
// largest and makes the length one. The result is x, y, z, w.
func quaternion(largest int, others ...float64) (x, y, z, w float32) {
	square := others[0]*others[0] + others[1]*others[1] + others[2]*others[2]
	q := slices.Insert(slices.Clone(others), largest, math.Sqrt(max(0, 1-square)))
	length := math.Sqrt(max(1, square))
	return float32(q[1] / length), float32(q[2] / length), float32(q[3] / length), float32(q[0] / length)
}

func TestCompressed_reads_old_files_without_ranges_of_colours(t *testing.T) {
	t.Parallel()
	got := &gaussian.Cloud{}
	s := source(t, encode(ply.LittleEndian, packedElements(3, false, 0)...))
	if err := s.Read(t.Context(), 0, all(3), got); err != nil {
		t.Fatal(err)
	}
	const c0 = gaussian.C0
	want := []float32{-0.5 / c0, -0.5 / c0, -0.5 / c0, 0.5 / c0, 0.5 / c0, 0.5 / c0, -0.3 / c0, -0.1 / c0, 0.1 / c0}
	if d := cmp.Diff(want, got.Colours, near); d != "" {
		t.Errorf("colours (-want +got): %s", d)
	}
}

func TestCompressed_reads_any_order_of_elements_and_properties(t *testing.T) {
	t.Parallel()
	elements := packedElements(300, true, 2)
	want, got := &gaussian.Cloud{}, &gaussian.Cloud{}
	if err := source(t, encode(ply.LittleEndian, elements...)).Read(t.Context(), 0, all(300), want); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(elements)
	for _, e := range elements {
		slices.Reverse(e.properties)
		for _, row := range e.rows {
			slices.Reverse(row)
		}
	}
	if err := source(t, encode(ply.LittleEndian, elements...)).Read(t.Context(), 0, all(300), got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Gaussians (-want +got): %s", d)
	}
}

func TestCompressed_settles_values(t *testing.T) {
	t.Parallel()
	elements := packedElements(600, true, 0)
	elements[0].rows[2] = slices.Clone(elements[0].rows[2])
	elements[0].rows[1][0] = math.NaN()
	f := open(t, encode(ply.LittleEndian, elements...))
	s, _ := f.Source()
	c := &gaussian.Cloud{}
	if err := s.Read(t.Context(), 0, []uint32{1, 257, 513}, c); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Opacities, []float32{1, 0, 1}) || !slices.Equal(c.Positions[3:6], []float32{0, 0, 0}) {
		t.Errorf("got opacities %v and positions %v, want the second Gaussian invisible", c.Opacities, c.Positions)
	}
	_, err := f.Bounds(t.Context())
	wantInputError(t, err, "values that are not finite: 256 of 600")
	wantInputError(t, s.Positions(t.Context(), 0, make([]float32, 1800), nil), "values that are not finite: 256 of 600")
}

func TestOpen_refuses_packed_Gaussians(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(e []element)
		from   string // in the header
		to     string
		reason string
	}{
		{"of another type", nil, "uint packed_scale", "int packed_scale", "without the property packed_scale"},
		{"without colours", nil, "packed_color", "colour", "without the property packed_color"},
		{"without a range", nil, "max_y", "top", "without the property max_y"},
		{"with half the ranges of colours", nil, "max_g", "green", "without the property max_g"},
		{"with too few chunks", func(e []element) { e[0].rows = e[0].rows[:1] }, "", "", "it has 1 chunks, but its 300 Gaussians need 2"},
		{"with too many chunks", func(e []element) { e[0].rows = append(e[0].rows, e[0].rows[0]) }, "", "", "has 3 chunks"},
		{"with harmonics of some", func(e []element) { e[2].rows = e[2].rows[:299] }, "", "", "has 300 Gaussians, but harmonics for 299"},
		{"with a strange number of harmonics", nil, "f_rest_8", "more", "has 8 properties f_rest"},
		{"with harmonics of another type", nil, "uchar f_rest_8", "char f_rest_8", "without the property f_rest_8"},
		{"as big-endian", nil, "little", "big", "only binary_little_endian can be read"},
		{"of none", func(e []element) { e[0].rows, e[1].rows, e[2].rows = nil, nil, nil }, "", "", "contains no Gaussians"},
		{"compressed PLY with lists", func(e []element) {
			e[2].properties = append(e[2].properties, "list uchar uint8 words")
			for i := range e[2].rows {
				e[2].rows[i] = append(e[2].rows[i], 0)
			}
		}, "", "", "compressed PLY with lists"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			elements := packedElements(300, true, 1)
			if test.change != nil {
				test.change(elements)
			}
			b := string(encode(ply.LittleEndian, elements...))
			b = strings.Replace(b, test.from, test.to, 1)
			_, err := ply.Open(t.Context(), memory(t, []byte(b)), "scene.ply")
			wantInputError(t, err, test.reason)
		})
	}
}
