package splat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// scene is a small LCC v1 capture with every part of the format.
func scene() splattest.LCCCapture {
	return splattest.LCCCapture{Splats: 600, Levels: 3, Columns: 2, Rows: 2, Harmonics: true, Environment: 50, Seed: 1}
}

// openCapture opens a capture until the end of the test.
func openCapture(t *testing.T, files folder.Reader, name string) *splat.Capture {
	t.Helper()
	c, err := splat.Open(t.Context(), files, name)
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close %s: %v", name, err)
		}
	})
	return c
}

// ordered is a folder in memory that remembers the order of its files.
type ordered struct {
	folder.Memory

	names []string
}

// Put implements folder.Writer.
func (o *ordered) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	o.names = append(o.names, name)
	return o.Memory.Put(ctx, name, size, r)
}

func TestCapture_of_LCC_converts_to_a_readable_SOG(t *testing.T) {
	t.Parallel()
	from := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	lcc := from.Facts
	if lcc.Format != splat.FormatLCC || lcc.Splats != 600 || lcc.Degree != 3 || lcc.Environment != 50 || lcc.Attribution != splat.AttributionXGRIDS {
		t.Errorf("facts of the LCC: got %+v", lcc)
	}

	out, percents := &ordered{Memory: folder.Memory{}}, []float64{}
	facts, _, err := from.WriteStreamedSOG(t.Context(), out, splat.ConvertOptions{
		Progress: func(percent float64, _ string) { percents = append(percents, percent) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := facts.Levels, []int64{600, 300, 150}; !slices.Equal(got, want) || facts.Attribution != splat.AttributionXGRIDS {
		t.Errorf("facts of what was written: got %+v", facts)
	}
	if got, want := out.names[len(out.names)-1], splat.StreamedSOGName; got != want {
		t.Errorf("last file: got %s, want %s", got, want)
	}
	if !slices.IsSorted(percents) || percents[len(percents)-1] != 100 {
		t.Errorf("progress: got %v, want it to rise to 100", percents)
	}
	again, err := splat.Inspect(t.Context(), out, splat.StreamedSOGName)
	if err != nil {
		t.Fatal(err)
	}
	// The file has no attribution, and its bounds are the box of whole leaves.
	again.Attribution, again.Bounds = facts.Attribution, facts.Bounds
	if diff := cmp.Diff(facts, again); diff != "" {
		t.Errorf("what is read is not what was written (-written +read):\n%s", diff)
	}

	var bundle bytes.Buffer
	if _, _, err = openCapture(t, out, splat.StreamedSOGName).WriteSOG(t.Context(), &bundle, splat.ConvertOptions{}); err != nil {
		t.Fatal(err)
	}
	if again, err = splat.Inspect(t.Context(), folder.Memory{"a.sog": bundle.Bytes()}, "a.sog"); err != nil || again.Splats != 600 || again.Format != splat.FormatSOG {
		t.Errorf("the bundle: got %+v, %v, want 600 splats", again, err)
	}
}

func TestCapture_Picture(t *testing.T) {
	t.Parallel()
	from := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	drawn, err := from.Picture(t.Context(), image.Pt(64, 40))
	if err != nil {
		t.Fatal(err)
	}
	var large bytes.Buffer
	if err := png.Encode(&large, drawn); err != nil {
		t.Fatal(err)
	}
	small, err := openCapture(t, folder.Memory{"a.png": large.Bytes()}, "a.png").Picture(t.Context(), image.Pt(16, 16))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := small.Bounds().Size(), image.Pt(16, 10); got != want {
		t.Errorf("size of the small one: got %v, want %v", got, want)
	}
	if err := splat.EncodeJPEG(io.Discard, small); err != nil {
		t.Error(err)
	}
}

func TestOpen_recognises_formats_by_their_content(t *testing.T) {
	t.Parallel()
	gif := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	for name, test := range map[string]struct {
		content string
		want    splat.Facts
	}{
		"points.ply": {
			"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n1 2 3\n",
			splat.Facts{Format: splat.FormatMeshPLY, Vertices: 2, Bounds: &splat.Bounds{Max: [3]float64{1, 2, 3}}},
		},
		"empty.gltf":   {`{"asset":{"version":"2.0"}}`, splat.Facts{Format: splat.FormatGLTF, Version: "2.0"}},
		"dot.gif":      {gif, splat.Facts{Format: splat.FormatGIF, Width: 1, Height: 1}},
		"misnamed.png": {gif, splat.Facts{Format: splat.FormatGIF, Width: 1, Height: 1}},
		"song.mp3":     {"ID3", splat.Facts{Format: splat.FormatOther}},
		"empty.json":   {"", splat.Facts{Format: splat.FormatOther}},
		"archive.gz":   {"\x1f\x8b\x08", splat.Facts{Format: splat.FormatOther}},
	} {
		got, err := splat.Inspect(t.Context(), folder.Memory{name: []byte(test.content)}, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOpen_limits_words_from_the_file(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `"KHR_%d",`, i)
	}
	text := `{"asset":{"version":"2.` + long + `"},"extensionsUsed":["\u001b[2J\u202e",` + many.String() + `"` + long + `"]}`
	got, err := splat.Inspect(t.Context(), folder.Memory{"a.gltf": []byte(text)}, "a.gltf")
	if err != nil {
		t.Fatal(err)
	}
	if want := "2." + long[:98] + "..."; got.Version != want {
		t.Errorf("version: got %d bytes, want %d", len(got.Version), len(want))
	}
	if len(got.Extensions) != 100 || got.Extensions[0] != "?[2J?" {
		t.Errorf("extensions: got %d, %q first, want 100 that a terminal shows as they are", len(got.Extensions), got.Extensions[0])
	}
}

func TestOpen_refuses_files_that_contradict_their_name(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.ply": "is not a PLY file", "a.spz": "is not an SPZ file",
		"a.SOG": "is not a SOG bundle", "a.glb": "is not a binary glTF file",
		"a.webp": "is not an image that can be read", "a.lcc": "", "a.lcc2": "", "meta.json": "", "lod-meta.json": "",
	} {
		_, err := splat.Open(t.Context(), folder.Memory{name: []byte("something else")}, name)
		if fault, ok := errors.AsType[*splat.InputError](err); !ok || fault.File != name || !strings.Contains(fault.Message, want) {
			t.Errorf("%s: got %v, want an error of this file: %q", name, err, want)
		}
	}
	if _, err := splat.Open(t.Context(), folder.Memory{}, "a.ply"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: got %v, want fs.ErrNotExist", err)
	}
}

func TestCapture_without_splats_is_not_converted(t *testing.T) {
	t.Parallel()
	c := openCapture(t, folder.Memory{"a.mp3": []byte("ID3")}, "a.mp3")
	_, _, streamed := c.WriteStreamedSOG(t.Context(), folder.Memory{}, splat.ConvertOptions{})
	_, _, bundle := c.WriteSOG(t.Context(), io.Discard, splat.ConvertOptions{})
	_, drawn := c.Picture(t.Context(), image.Pt(64, 40))
	for what, err := range map[string]error{"streamed SOG": streamed, "SOG": bundle, "picture": drawn} {
		if _, ok := errors.AsType[*splat.InputError](err); !ok {
			t.Errorf("%s: got %v, want an *InputError", what, err)
		}
	}
}

func TestCapture_stops_when_canceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	from := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	_, _, err := from.WriteStreamedSOG(ctx, folder.Memory{}, splat.ConvertOptions{
		Progress: func(float64, string) { cancel() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
