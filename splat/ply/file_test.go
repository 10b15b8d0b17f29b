package ply_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/folder"
	"portico/splat/ply"
)

// cube is a mesh of two vertices and two faces.
func cube(listType string) []element {
	return []element{
		{"vertex", []string{"float x", "float y", "float z", "uchar red"}, [][]float64{{1, 2, 3, 4}, {-1, 5, 0, 255}}},
		{"face", []string{"list " + listType + " int vertex_indices", "short flags"}, [][]float64{{4, 0, 1, 0, 1, 7}, {3, 1, 0, 1, 7}, {2, 0, 1, 7}}},
	}
}

func TestOpen_returns_the_kind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		elements []element
		want     ply.Facts
	}{
		{"a mesh", cube("uchar"), ply.Facts{Kind: ply.Mesh, Vertices: 2, Faces: 3}},
		{"points", cube("uchar")[:1], ply.Facts{Kind: ply.Points, Vertices: 2}},
		{"no elements", nil, ply.Facts{Kind: ply.Points}},
		{"an empty mesh", []element{{"vertex", []string{"float x"}, nil}, {"face", []string{"list uchar int vertex_indices"}, nil}}, ply.Facts{Kind: ply.Points}},
		{"points with a few properties of Gaussians", []element{{"vertex", typedProperties("float", names(0)[:7]), [][]float64{make([]float64, 7)}}}, ply.Facts{Kind: ply.Points, Vertices: 1}},
		{"Gaussians", []element{gaussians(randomCloud(3, 2), typedProperties("float", names(2))...)}, ply.Facts{Kind: ply.Gaussians, Vertices: 3, Degree: 2}},
		{"packed Gaussians", packedElements(3, true, 1), ply.Facts{Kind: ply.Compressed, Vertices: 3, Degree: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := open(t, encode(ply.LittleEndian, test.elements...))
			test.want.Encoding = ply.LittleEndian
			if d := cmp.Diff(test.want, f.Facts()); d != "" {
				t.Errorf("facts (-want +got): %s", d)
			}
			_, ok := f.Source()
			if want := test.want.Kind == ply.Gaussians || test.want.Kind == ply.Compressed; ok != want {
				t.Errorf("source: got %t, want %t", ok, want)
			}
			if err := f.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// header is the header of a file with one vertex of a byte.
const header = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar x\nend_header\n"

func TestOpen_accepts_what_exporters_write(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"the plain form":       header + "1",
		"CRLF":                 strings.ReplaceAll(header, "\n", "\r\n") + "1",
		"padded counts":        strings.Replace(header, "vertex 1", "vertex   1  ", 1) + "1",
		"tabs and blank lines": strings.Replace(header, "element vertex", "\n\telement\tvertex", 1) + "1",
		"obj_info":             strings.Replace(header, "element", "obj_info from a scanner\nelement", 1) + "1",
		"comments anywhere":    strings.Replace(header, "property", "comment\nobj_info\ncomment x ÿ\nproperty", 1) + "1",
		"a last line end":      header + "1\r\n",
		"zero bytes behind":    header + "1" + strings.Repeat("\x00", 4096),
		"text without an end":  "ply\nformat ascii 1.0\nelement vertex 2\nproperty uchar x\nend_header\n1 2",
		"text in one line":     "ply\nformat ascii 1.0\nelement vertex 2\nproperty uchar x\nproperty int8 y\nend_header\n1 2 3 4\n# end",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := open(t, []byte(content)).Facts().Vertices; got == 0 {
				t.Errorf("vertices: got %d, want some", got)
			}
		})
	}
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	replaced := func(from, to string) string { return strings.Replace(header, from, to, 1) + "1" }
	many := strings.Builder{}
	for i := range 1025 {
		fmt.Fprintf(&many, "property uchar p%d\n", i)
	}
	elements := strings.Repeat("element a%d 0\n", 64)
	for i := range 64 {
		elements = strings.Replace(elements, "%d", fmt.Sprint(i), 1)
	}
	for _, test := range []struct{ name, content, reason string }{
		{"an empty file", "", "is not a PLY file"},
		{"another format", "glTF\nply\n", "is not a PLY file"},
		{"another first word", "plywood\n", "is not a PLY file"},
		{"another format without lines", strings.Repeat("\x00", 200_000), "is not a PLY file"},
		{"a first line only", "ply\n", "it ends within its PLY header"},
		{"a header without an end", header[:len(header)-1], "it ends within its PLY header"},
		{"an endless header", "ply\n" + strings.Repeat("comment\n", 17_000), "header of more than 131072 bytes"},
		{"no format", replaced("format binary_little_endian 1.0\n", ""), "has no format line"},
		{"an unknown encoding", replaced("binary_little_endian", "binary_middle_endian"), `the encoding "binary_middle_endian" is unknown`},
		{"an unknown version", replaced("1.0", "2.0"), `not "binary_little_endian 2.0"`},
		{"an unknown line", replaced("element", "elements"), `the line "elements vertex 1" has an unknown keyword`},
		{"a negative count", replaced("vertex 1", "vertex -1"), `element "vertex" has the count "-1"`},
		{"a count beyond 64 bits", replaced("vertex 1", "vertex 99999999999999999999"), `has the count`},
		{"a count beyond 32 bits", replaced("vertex 1", "vertex 4294967296"), "claims 4294967296 rows"},
		{"no count", replaced("vertex 1", "vertex"), "an element needs a name and a count"},
		{"two elements of a name", replaced("end_", "element vertex 0\nend_"), `two elements are called "vertex"`},
		{"too many elements", replaced("end_", elements+"end_"), "more than 64 elements"},
		{"faces without properties", replaced("end_", "element face 4000000000\nend_"), `element "face" of its PLY header has no properties`},
		{"a property before elements", replaced("element", "property uchar x\nelement"), "precedes the first element"},
		{"two properties of a name", replaced("end_", "property int x\nend_"), `two properties "x"`},
		{"too many properties", replaced("property uchar x\n", many.String()), "more than 1024 properties"},
		{"a property without a name", replaced("uchar x", "uchar"), "needs a type and a name"},
		{"a property with a name too many", replaced("uchar x", "uchar x y"), "needs a type and a name"},
		{"an unknown type", replaced("uchar", "uint128"), `unknown type "uint128"`},
		{"a list without types", replaced("uchar x", "list"), "needs the type of its length"},
		{"a list with a length of no type", replaced("uchar x", "list x y z"), "needs the type of its length"},
		{"a list with a length of fractions", replaced("uchar x", "list float int x"), "needs the type of its length"},
		{"a list without a name", replaced("uchar x", "list uchar int"), "needs a type and a name"},
		{"fewer bytes", header, fmt.Sprintf("is cut off: it has %d bytes, and its header requires %d", len(header), len(header)+1)},
		{"more bytes", header + "12", fmt.Sprintf("it has %d bytes, and its header requires %d", len(header)+2, len(header)+1)},
		{"more zero bytes than padding", header + "1" + strings.Repeat("\x00", 4097), "header requires"},
		{"a huge claim", replaced("vertex 1", "vertex 4294967295"), "is cut off"},
		{"lists that cannot fit", replaced("uchar x", "list int int32 x"), "requires at least"},
		{"text that cannot fit", "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nend_header\n1 2 ", "is cut off"},
		{"no Gaussians", string(encode(ply.LittleEndian, gaussians(randomCloud(0, 0), typedProperties("float", names(0))...))), "contains no Gaussians"},
		{"a strange number of harmonics", string(encode(ply.LittleEndian, gaussians(randomCloud(1, 1), typedProperties("float", append(names(0), "f_rest_0", "f_rest_1", "f_rest_8"))...))), "has 2 properties f_rest"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ply.Open(t.Context(), memory(t, []byte(test.content)), "scene.ply")
			wantInputError(t, err, test.reason)
		})
	}
}

func TestOpen_refuses_files_cut_off_anywhere(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"Gaussians":        encode(ply.LittleEndian, gaussians(randomCloud(2, 0), typedProperties("float", names(0))...)),
		"packed Gaussians": encode(ply.LittleEndian, packedElements(2, true, 1)...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := range content {
				_, err := ply.Open(t.Context(), memory(t, content[:n]), "scene.ply")
				reason := "is cut off"
				if !bytes.HasPrefix(content[:n], []byte("ply\n")) {
					reason = "is not a PLY file"
				}
				wantInputError(t, err, reason)
			}
		})
	}
}

func TestOpen_refuses_Gaussians_that_cannot_be_read(t *testing.T) {
	t.Parallel()
	lists := element{"label", []string{"list uchar int words"}, [][]float64{{1, 7}}}
	splats := gaussians(randomCloud(2, 0), typedProperties("float", names(0))...)
	text := encode(ply.Text, splats)
	for _, test := range []struct {
		name    string
		content []byte
		reason  string
	}{
		{"text with a word", bytes.Replace(text, []byte("end_header\n"), []byte("end_header\nred "), 1), `row 1 of 2 of element "vertex" has text instead of a number`},
		{"text with a long word", bytes.Replace(text, []byte("end_header\n"), []byte("end_header\n"+strings.Repeat("1", 5000)+" "), 1), "has text instead of a number"},
		{"text with a longer word", bytes.Replace(text, []byte("end_header\n"), []byte("end_header\n"+strings.Repeat("1", 100_000)+" "), 1), "has text instead of a number"},
		{"text with a list of a negative length", bytes.Replace(encode(ply.Text, lists, splats), []byte("end_header\n1"), []byte("end_header\n-1"), 1), "has text instead of a number"},
		{"text that ends early", append(bytes.TrimRight(text, "0123456789.-\n"), strings.Repeat(" ", 200)...), `it ends in row 2 of 2 of element "vertex"`},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ply.Open(t.Context(), memory(t, test.content), "scene.ply")
			wantInputError(t, err, test.reason)
		})
	}
}

// sized is a file that claims another length than it has.
type sized struct {
	folder.File
	size int64
}

// Size implements folder.File.
func (s sized) Size() int64 { return s.size }

// ReadAt implements io.ReaderAt. It returns spaces after the content.
func (s sized) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.File.ReadAt(p, off)
	if err == nil || !errors.Is(err, io.EOF) {
		return n, err
	}
	for i := range p[n:] {
		p[n+i] = ' '
	}
	return len(p), nil
}

func TestOpen_refuses_too_much_text(t *testing.T) {
	t.Parallel()
	b := encode(ply.Text, gaussians(randomCloud(1, 0), typedProperties("float", names(0))...))
	_, err := ply.Open(t.Context(), sized{memory(t, b), ply.MaxText + 1}, "scene.ply")
	wantInputError(t, err, "Gaussians as text")
}
