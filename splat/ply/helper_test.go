package ply_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/ply"
)

// element is a table of a test file. A property is written as in a header, without
// the first word; a row holds its values one after the other, of a list the length
// and then the values.
type element struct {
	name       string
	properties []string
	rows       [][]float64
}

// encode writes a PLY file.
func encode(encoding ply.Encoding, elements ...element) []byte {
	out := []byte("ply\nformat " + string(encoding) + " 1.0\ncomment made for a test\n")
	for _, e := range elements {
		out = fmt.Appendf(out, "element %s %d\n", e.name, len(e.rows))
		for _, p := range e.properties {
			out = fmt.Appendf(out, "property %s\n", p)
		}
	}
	out = append(out, "end_header\n"...)
	for _, e := range elements {
		for _, row := range e.rows {
			out = appendRow(out, encoding, e.properties, row)
		}
	}
	return out
}

func appendRow(out []byte, encoding ply.Encoding, properties []string, row []float64) []byte {
	for _, p := range properties {
		words := strings.Fields(p)
		n := 1
		if words[0] == "list" {
			n = int(row[0])
			out, row = appendValue(out, encoding, words[1], row[0]), row[1:]
			words = words[2:]
		}
		for range n {
			out, row = appendValue(out, encoding, words[0], row[0]), row[1:]
		}
	}
	if encoding == ply.Text {
		out[len(out)-1] = '\n'
	}
	return out
}

// appendValue writes one value of a type.
func appendValue(out []byte, encoding ply.Encoding, name string, v float64) []byte {
	if encoding == ply.Text {
		return fmt.Appendf(out, "%v ", v)
	}
	order := binary.AppendByteOrder(binary.LittleEndian)
	if encoding == ply.BigEndian {
		order = binary.BigEndian
	}
	switch name {
	case "char", "int8":
		return append(out, byte(int8(v)))
	case "uchar", "uint8":
		return append(out, byte(v))
	case "short", "int16":
		return order.AppendUint16(out, uint16(int16(v)))
	case "ushort", "uint16":
		return order.AppendUint16(out, uint16(v))
	case "int", "int32":
		return order.AppendUint32(out, uint32(int32(v)))
	case "uint", "uint32":
		return order.AppendUint32(out, uint32(v))
	case "float", "float32":
		return order.AppendUint32(out, math.Float32bits(float32(v)))
	default:
		return order.AppendUint64(out, math.Float64bits(v))
	}
}

// names returns the properties of a Gaussian in the order of the reference
// implementation, without normals.
func names(degree int) []string {
	all := []string{"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2"}
	for i := range 3 * gaussian.Coefficients(degree) {
		all = append(all, fmt.Sprintf("f_rest_%d", i))
	}
	return append(all, "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")
}

// randomCloud makes n Gaussians all of whose values differ.
func randomCloud(n, degree int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	for _, values := range [][]float32{c.Positions, c.Scales, c.Colours, c.Harmonics} {
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
	}
	for i := range n {
		c.Opacities[i] = float32(1 / (1 + math.Exp(-r.NormFloat64())))
		var q [4]float64
		var square float64
		for k := range q {
			q[k] = r.NormFloat64()
			square += q[k] * q[k]
		}
		for k := range q {
			c.Rotations[4*i+k] = float32(q[k] / math.Sqrt(square))
		}
	}
	return c
}

// values returns the values of the i-th Gaussian by the names of their properties.
// Rotations are longer than one, as trainers leave them.
func values(c *gaussian.Cloud, i int) map[string]float64 {
	v := map[string]float64{"opacity": math.Log(float64(c.Opacities[i]) / (1 - float64(c.Opacities[i])))}
	for k, axis := range []string{"x", "y", "z"} {
		v[axis] = float64(c.Positions[3*i+k])
		v[fmt.Sprintf("scale_%d", k)] = float64(c.Scales[3*i+k])
		v[fmt.Sprintf("f_dc_%d", k)] = float64(c.Colours[3*i+k])
	}
	for k := range 4 {
		v[fmt.Sprintf("rot_%d", k)] = 3 * float64(c.Rotations[4*i+(k+3)%4])
	}
	n := 3 * gaussian.Coefficients(c.Degree)
	for k := range n {
		v[fmt.Sprintf("f_rest_%d", k)] = float64(c.Harmonics[n*i+k])
	}
	return v
}

// gaussians makes the vertices of a 3DGS file with these properties, each with its
// type. A property that a Gaussian lacks gets any number.
func gaussians(c *gaussian.Cloud, properties ...string) element {
	e := element{name: "vertex", properties: properties}
	for i := range c.Len() {
		v := values(c, i)
		row := make([]float64, len(properties))
		for k, p := range properties {
			value, ok := v[strings.Fields(p)[1]]
			if !ok {
				value = float64(k)
			}
			row[k] = value
		}
		e.rows = append(e.rows, row)
	}
	return e
}

func typedProperties(name string, properties []string) []string {
	out := make([]string, len(properties))
	for i, p := range properties {
		out[i] = name + " " + p
	}
	return out
}

func memory(t testing.TB, b []byte) folder.File {
	t.Helper()
	f, err := folder.Memory{"a": b}.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// open opens a PLY file that must be good.
func open(t testing.TB, b []byte) *ply.File {
	t.Helper()
	f, err := ply.Open(t.Context(), memory(t, b), "scene.ply")
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return f
}

// source opens the Gaussians of a PLY file that must be good.
func source(t testing.TB, b []byte) gaussian.Source {
	t.Helper()
	s, ok := open(t, b).Source()
	if !ok {
		t.Fatal("source: got none, want Gaussians")
	}
	return s
}

// all returns the numbers below n.
func all(n int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	return numbers
}

// wantInputError checks the fault that the user reads.
func wantInputError(t *testing.T, err error, reason string) {
	t.Helper()
	fault, ok := errors.AsType[*input.Error](err)
	if !ok {
		t.Fatalf("error: got %v, want an *input.Error with %q", err, reason)
	}
	if fault.File != "scene.ply" || !strings.Contains(fault.Message, reason) {
		t.Errorf("error: got %v, want entry %q and %q", fault, "scene.ply", reason)
	}
}
