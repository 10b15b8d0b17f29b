package gltf_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/gltf"
	"portico/splat/input"
	"portico/splat/spz"
)

// cloud returns n random Gaussians.
func cloud(n, degree int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Harmonics} {
		for i := range values {
			values[i] = float32(r.NormFloat64()) / 4
		}
	}
	for i := range n {
		c.Opacities[i] = r.Float32()
		c.Sanitise(i)
	}
	return c
}

// write returns the cloud as Write writes it.
func write(t testing.TB, c *gaussian.Cloud) []byte {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "a.glb"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gltf.Write(t.Context(), gaussian.NewMemory(nil, c), out, nil); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// open opens a glTF file that must be valid.
func open(t testing.TB, files folder.Memory, name string) *gltf.File {
	t.Helper()
	f, err := gltf.Open(t.Context(), files, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// readAll reads all Gaussians, and checks that Positions agrees with Read.
func readAll(t testing.TB, f *gltf.File) *gaussian.Cloud {
	t.Helper()
	if f.Fault != nil {
		t.Fatal(f.Fault)
	}
	n := f.Levels()[0]
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	c, p := &gaussian.Cloud{}, make([]float32, 3*n)
	if err := errors.Join(f.Read(t.Context(), 0, numbers, c), f.Positions(t.Context(), 0, p, nil)); err != nil {
		t.Fatal(err)
	}
	for i, v := range p {
		if !gaussian.IsLeftOut(p[i/3*3:]) && math.Abs(float64(v-c.Positions[i])) > 1e-6 {
			t.Fatalf("position %d: got %v from Positions, %v from Read", i, v, c.Positions[i])
		}
	}
	return c
}

// wantCloud compares clouds. A quaternion and its negative are the same rotation.
func wantCloud(t *testing.T, want, got *gaussian.Cloud, within float64) {
	t.Helper()
	for i := range min(want.Len(), got.Len()) {
		dot := float32(0)
		for k := range 4 {
			dot += want.Rotations[4*i+k] * got.Rotations[4*i+k]
		}
		for k := range 4 {
			got.Rotations[4*i+k] *= float32(math.Copysign(1, float64(dot)))
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, within), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("Gaussians (-want +got): %.3000s", d)
	}
}

func TestWrite_is_read_back(t *testing.T) {
	t.Parallel()
	for degree := range 4 {
		c := cloud(300, degree)
		f := open(t, folder.Memory{"a.glb": write(t, c)}, "a.glb")
		if f.Degree() != degree || f.Facts.Splats != 300 || !f.Facts.Uses("KHR_gaussian_splatting") || f.Facts.Bounds == nil {
			t.Errorf("got degree %d and %+v, want degree %d, 300 splats and bounds", f.Degree(), f.Facts, degree)
		}
		wantCloud(t, c, readAll(t, f), 1e-5)
	}
}

func TestWrite_has_y_up(t *testing.T) {
	t.Parallel()
	c := cloud(1, 0)
	copy(c.Positions, []float32{1, 2, 3})
	f := open(t, folder.Memory{"a.glb": write(t, c)}, "a.glb")
	if want := [3]float64{-1, -2, 3}; f.Facts.Bounds.Min != want {
		t.Errorf("position: got %v, want %v", f.Facts.Bounds.Min, want)
	}
}

// document is a glTF document of Gaussians in the making.
type document struct {
	data                         []byte
	views, accessors, primitives []any
	nodes                        []any
}

// add adds an accessor of values with a component type and returns its index.
func (d *document) add(kind string, component, count int, normalized bool, data []byte) int {
	for len(d.data)%4 != 0 {
		d.data = append(d.data, 0)
	}
	d.views = append(d.views, map[string]any{"buffer": 0, "byteOffset": len(d.data), "byteLength": len(data)})
	d.accessors = append(d.accessors, map[string]any{
		"bufferView": len(d.views) - 1, "componentType": component, "count": count, "type": kind, "normalized": normalized,
	})
	d.data = append(d.data, data...)
	return len(d.accessors) - 1
}

// floats adds an accessor of float32 values.
func (d *document) floats(kind string, width int, values ...float32) int {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return d.add(kind, 5126, len(values)/width, false, b)
}

// json returns the document with its data in a URI.
func (d *document) json(t testing.TB) []byte {
	t.Helper()
	nodes := d.nodes
	if nodes == nil {
		nodes = []any{map[string]any{"mesh": 0}}
	}
	b, err := json.Marshal(map[string]any{
		"asset": map[string]any{"version": "2.0"}, "scene": 0, "scenes": []any{map[string]any{"nodes": []int{0}}}, "nodes": nodes,
		"meshes": []any{map[string]any{"primitives": d.primitives}}, "accessors": d.accessors, "bufferViews": d.views,
		"buffers": []any{map[string]any{
			"byteLength": len(d.data), "uri": "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(d.data),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// one returns a document of one grey Gaussian at 1, 2, 3 in the axes of glTF, with these
// attributes changed. A nil value removes one.
func one(change map[string]func(d *document) int) *document {
	d := &document{}
	const prefix = "KHR_gaussian_splatting:"
	attributes := map[string]any{
		"POSITION": d.floats("VEC3", 3, 1, 2, 3), prefix + "ROTATION": d.floats("VEC4", 4, 0, 0, 0, 1),
		prefix + "SCALE": d.floats("VEC3", 3, 1, 2, 4), prefix + "OPACITY": d.floats("SCALAR", 1, 0.5),
		prefix + "SH_DEGREE_0_COEF_0": d.floats("VEC3", 3, 0, 0, 0),
	}
	for name, add := range change {
		if delete(attributes, name); add != nil {
			attributes[name] = add(d)
		}
	}
	d.primitives = []any{map[string]any{
		"mode": 0, "attributes": attributes, "extensions": map[string]any{"KHR_gaussian_splatting": map[string]any{"kernel": "ellipse"}},
	}}
	return d
}

// grey is what one is read as.
func grey() *gaussian.Cloud {
	return &gaussian.Cloud{
		Positions: []float32{-1, -2, 3}, Rotations: []float32{0, 0, 1, 0}, Opacities: []float32{0.5},
		Scales: []float32{0, float32(math.Log(2)), float32(math.Log(4))}, Colours: []float32{0, 0, 0},
	}
}

func TestOpen_reads_all_spellings_and_types(t *testing.T) {
	t.Parallel()
	const prefix = "KHR_gaussian_splatting:"
	colour := func(d *document) int { return d.add("VEC4", 5121, 1, true, []byte{128, 128, 128, 128}) }
	for name, test := range map[string]struct {
		change map[string]func(d *document) int
		within float64
	}{
		"the ratified names": {nil, 1e-6},
		"COLOR_0 for colour and opacity": {map[string]func(d *document) int{
			prefix + "OPACITY": nil, prefix + "SH_DEGREE_0_COEF_0": nil, "COLOR_0": colour,
		}, 0.01},
		"names with an underscore": {map[string]func(d *document) int{
			prefix + "OPACITY": nil, prefix + "SH_DEGREE_0_COEF_0": nil, "COLOR_0": colour, prefix + "ROTATION": nil, prefix + "SCALE": nil,
			"_ROTATION": func(d *document) int { return d.floats("VEC4", 4, 0, 0, 0, 1) },
			"_SCALE":    func(d *document) int { return d.floats("VEC3", 3, 1, 2, 4) },
		}, 0.01},
		"normalised shorts and bytes": {map[string]func(d *document) int{
			prefix + "ROTATION": func(d *document) int {
				return d.add("VEC4", 5122, 1, true, []byte{0, 0, 0, 0, 0, 0, 0xff, 0x7f})
			},
			prefix + "OPACITY": func(d *document) int { return d.add("SCALAR", 5123, 1, true, []byte{0, 0x80}) },
			prefix + "SCALE":   func(d *document) int { return d.add("VEC3", 5121, 1, false, []byte{1, 2, 4}) },
		}, 1e-4},
		"signed bytes": {map[string]func(d *document) int{
			prefix + "ROTATION": func(d *document) int { return d.add("VEC4", 5120, 1, true, []byte{0, 0, 0, 0x80}) },
		}, 1e-4},
		"logits of opacities": {map[string]func(d *document) int{
			prefix + "OPACITY": func(d *document) int { return d.floats("SCALAR", 1, -1e-5) },
		}, 1e-4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := one(test.change)
			wantCloud(t, grey(), readAll(t, open(t, folder.Memory{"a.gltf": d.json(t)}, "a.gltf")), test.within)
		})
	}
}

func TestOpen_recognises_logarithms_of_scales(t *testing.T) {
	t.Parallel()
	d := one(map[string]func(d *document) int{"KHR_gaussian_splatting:SCALE": func(d *document) int { return d.floats("VEC3", 3, -3, 0, 1) }})
	got := readAll(t, open(t, folder.Memory{"a.gltf": d.json(t)}, "a.gltf"))
	if want := []float32{-3, 0, 1}; cmp.Diff(want, got.Scales) != "" {
		t.Errorf("scales: got %v, want %v", got.Scales, want)
	}
}

func TestOpen_places_Gaussians_by_their_nodes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		nodes string
		want  [][3]float32 // in the axes of glTF
		size  float64      // of the smallest axis
	}{
		"a translation": {`[{"mesh":0,"translation":[10,0,0]}]`, [][3]float32{{11, 2, 3}}, 1},
		"a scale":       {`[{"mesh":0,"scale":[2,2,2]}]`, [][3]float32{{2, 4, 6}}, 2},
		"a rotation":    {`[{"mesh":0,"rotation":[0,0.7071068,0,0.7071068]}]`, [][3]float32{{3, 2, -1}}, 1},
		"a parent":      {`[{"children":[1],"scale":[2,2,2]},{"mesh":0,"translation":[1,1,1]}]`, [][3]float32{{4, 6, 8}}, 2},
		"two nodes":     {`[{"mesh":0,"children":[1]},{"mesh":0,"translation":[0,0,1]}]`, [][3]float32{{1, 2, 3}, {1, 2, 4}}, 1},
		"a matrix":      {`[{"mesh":0,"matrix":[0,1,0,0,-1,0,0,0,0,0,1,0,0,0,5,1]}]`, [][3]float32{{-2, 1, 8}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := one(nil)
			if err := json.Unmarshal([]byte(test.nodes), &d.nodes); err != nil {
				t.Fatal(err)
			}
			got := readAll(t, open(t, folder.Memory{"a.gltf": d.json(t)}, "a.gltf"))
			if got.Len() != len(test.want) {
				t.Fatalf("got %d Gaussians, want %d", got.Len(), len(test.want))
			}
			for i, want := range test.want {
				for k, sign := range []float32{-1, -1, 1} {
					if math.Abs(float64(got.Positions[3*i+k]-sign*want[k])) > 1e-5 {
						t.Errorf("position: got %v, want %v with x and y turned", got.Positions[3*i:3*i+3], want)
					}
				}
			}
			if size := math.Exp(float64(got.Scales[0])); math.Abs(size-test.size) > 1e-4 {
				t.Errorf("size: got %v, want %v", size, test.size)
			}
		})
	}
}

// compressed returns a document whose Gaussians are an SPZ file, with the extension and
// attributes of a draft.
func compressed(t *testing.T, c *gaussian.Cloud, extensions string) []byte {
	t.Helper()
	var file bytes.Buffer
	if _, err := spz.Write(t.Context(), gaussian.NewMemory(nil, c), &file, spz.WriteOptions{Version: 3}); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"mode":0,"attributes":{"POSITION":0},"extensions":%s}]}],
"accessors":[{"componentType":5126,"count":%d,"type":"VEC3","min":[-9,-9,-9],"max":[9,9,9]}],
"bufferViews":[{"buffer":0,"byteLength":%d}],"buffers":[{"byteLength":%[3]d,"uri":"data:;base64,%s"}]}`,
		extensions, c.Len(), file.Len(), base64.StdEncoding.EncodeToString(file.Bytes()))
}

func TestOpen_reads_SPZ_compression(t *testing.T) {
	t.Parallel()
	c := cloud(1, 0) // of one, because SPZ is in another order
	turned := cloud(1, 0)
	turned.Rotate([4]float32{0, 1, 0, 0})
	const spz2 = `"extensions":{"KHR_gaussian_splatting_compression_spz_2":{"bufferView":0}}`
	for name, test := range map[string]struct {
		extensions string
		want       *gaussian.Cloud
	}{
		"of the ratified extension": {`{"KHR_gaussian_splatting":{"kernel":"ellipse",` + spz2 + `}}`, c},
		"of Cesium ion":             {`{"KHR_gaussian_splatting":{` + spz2 + `}}`, turned},
		"of the second draft":       {`{"KHR_gaussian_splatting":{"extensions":{"KHR_gaussian_splatting_compression_spz":{"bufferView":0}}}}`, turned},
		"of the first draft":        {`{"KHR_spz_gaussian_splats_compression":{"bufferView":0}}`, turned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, folder.Memory{"a.gltf": compressed(t, c, test.extensions)}, "a.gltf")
			wantCloud(t, test.want, readAll(t, f), 0.05)
		})
	}
}

func TestOpen_keeps_the_facts_of_Gaussians_that_cannot_be_read(t *testing.T) {
	t.Parallel()
	const prefix = "KHR_gaussian_splatting:"
	with := func(change map[string]func(d *document) int, from, to string) []byte {
		return bytes.Replace(one(change).json(t), []byte(from), []byte(to), 1)
	}
	stretched := one(nil)
	stretched.nodes = []any{map[string]any{"mesh": 0, "scale": []int{1, 2, 1}}}
	mirrored := one(nil)
	mirrored.nodes = []any{map[string]any{"mesh": 0, "scale": []int{-1, 1, 1}}}
	many := one(nil)
	children := []int{}
	for i := range 1100 {
		children = append(children, i+1)
		many.nodes = append(many.nodes, map[string]any{"mesh": 0})
	}
	many.nodes = append([]any{map[string]any{"children": children}}, many.nodes...)
	few := one(nil)
	few.nodes = append([]any{map[string]any{"children": children[:400]}}, many.nodes[1:401]...)
	for name, test := range map[string]struct {
		content []byte
		reason  string
	}{
		"no scale":                 {with(map[string]func(d *document) int{prefix + "SCALE": nil}, "", ""), "do not have all attributes"},
		"another type":             {with(map[string]func(d *document) int{prefix + "SCALE": func(d *document) int { return d.floats("SCALAR", 1, 1) }}, "", ""), "has values of type"},
		"another number":           {with(map[string]func(d *document) int{prefix + "SCALE": func(d *document) int { return d.floats("VEC3", 3, 1, 1, 1, 1, 1, 1) }}, "", ""), "has 2 values"},
		"an accessor out of range": {with(nil, `:SCALE":2`, `:SCALE":99`), "refers to accessor 99"},
		"an SPZ view out of range": {with(nil, `"kernel":"ellipse"`, `"extensions":{"KHR_gaussian_splatting_compression_spz_2":{"bufferView":77}}`), "refer to buffer view 77"},
		"SPZ that is none":         {with(nil, `"kernel":"ellipse"`, `"extensions":{"KHR_gaussian_splatting_compression_spz_2":{"bufferView":0}}`), "is not an SPZ file"},
		"an extension of text":     {with(nil, `{"kernel":"ellipse"}`, `"yes"`), "cannot be read"},
		"a stretched node":         {stretched.json(t), "stretches or mirrors"},
		"a mirrored node":          {mirrored.json(t), "stretches or mirrors"},
		"too many nodes":           {many.json(t), "1100 primitives with Gaussians"},
		"data that is used often":  {few.json(t), "uses its data more than 16 times"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := gltf.Open(t.Context(), folder.Memory{"a.gltf": test.content}, "a.gltf")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, ok := errors.AsType[*input.Error](f.Fault); !ok || !strings.Contains(f.Fault.Error(), test.reason) || f.HasGaussians() {
				t.Errorf("fault: got %v, want %q", f.Fault, test.reason)
			}
			if f.Facts == nil || f.Facts.Splats == 0 {
				t.Errorf("facts: got %+v, want the number of splats", f.Facts)
			}
		})
	}
}

// FuzzOpen reads the Gaussians of any file. Every fault must be an input.Error.
func FuzzOpen(f *testing.F) {
	f.Add(write(f, cloud(2, 1)))
	f.Add(one(nil).json(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		opened, err := gltf.Open(t.Context(), folder.Memory{"a": b}, "a")
		if err != nil {
			blamed(t, err)
			return
		}
		defer opened.Close()
		if !opened.HasGaussians() {
			return
		}
		n := opened.Levels()[0]
		if n > 16*len(b) {
			t.Fatalf("Gaussians: got %d in %d bytes", n, len(b))
		}
		blamed(t, opened.Positions(t.Context(), 0, make([]float32, 3*n), nil))
		c := &gaussian.Cloud{}
		if err := opened.Read(t.Context(), 0, []uint32{0, uint32(n - 1)}, c); err != nil {
			blamed(t, err)
		}
	})
}

// blamed checks that an error is about the file. The medium cannot fail.
func blamed(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
		t.Fatalf("got %v, want an error that names the file", err)
	}
}
