package child

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/jsonlines"
	"portico/splat"
)

// The facts in the database have the same names as the facts at a shell.
func TestFactsOf_keeps_every_fact(t *testing.T) {
	t.Parallel()
	facts := splat.Facts{
		Format: "ply", Version: "1", Splats: 2, LeftOut: 3, Degree: 4, Model: "m", Levels: []int64{5}, Environment: 6,
		Bounds: &splat.Bounds{Min: [3]float64{7, 8, 9}, Max: [3]float64{10, 11, 12}}, Width: 13, Height: 14,
		SuggestedView: &splat.View{Position: [3]float64{20, 21, 22}, Target: [3]float64{23, 24, 25}},
		Collision:     &splat.Collision{Meshes: 26, Vertices: 27, Triangles: 28}, Up: &[3]float64{33, 34, 35},
		Offset: &[3]float64{29, 30, 31}, Meshes: 15, Instances: 32, Vertices: 16, Triangles: 17, Materials: 18, Animations: 19, Extensions: []string{"e"}, Attribution: "a",
	}
	fields := func(v any) (all map[string]any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := fields(facts)
	if all := reflect.TypeFor[splat.Facts]().NumField(); len(want) != all {
		t.Errorf("facts: got %d fields, want each of the %d set", len(want), all)
	}
	if diff := cmp.Diff(want, fields(factsOf(facts))); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestStartOf_keeps_every_field(t *testing.T) {
	t.Parallel()
	start := splat.Start{
		Position: [3]float64{1, 2, 3}, Target: [3]float64{4, 5, 6}, Up: [3]float64{0, 1, 0}, Scene: "indoor",
		WalkableArea: 7, Certainty: 0.5, DoubtfulScale: true,
	}
	want, err := json.Marshal(start)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(startOf(&start))
	if err != nil || string(got) != string(want) {
		t.Errorf("start: got %s, %v, want %s", got, err, want)
	}
	if startOf(nil) != nil {
		t.Error("no start: got one")
	}
}

// noConversion is a Converter of tests that convert nothing.
func noConversion(context.Context, *splat.Capture, string, splat.ConvertOptions) (splat.Facts, *splat.Start, error) {
	return splat.Facts{}, nil, errors.New("converted")
}

func TestServe_refuses_requests(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"":                                 "read the request",
		`{"task":"inspect","color":"red"}`: "unknown field",
		`{"task":"inspect","in":"/nowhere/a.ply"}`: "no such file",
	} {
		if err := Serve(t.Context(), request, io.Discard, noConversion); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want it to say %q", request, err, want)
		}
	}
}

// The file is opened before the process is confined, which this test cannot undo.
func TestOpenInput_has_what_belongs_to_the_file(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.lcc", "b.bin", "c/d.bin"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for whole, want := range map[bool][]string{false: {"a.lcc"}, true: {"a.lcc", "b.bin", "c/d.bin"}} {
		files, err := openInput(t.Context(), filepath.Join(dir, "a.lcc"), whole)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != len(want) {
			t.Errorf("whole folder %v: got %d files, want %q", whole, len(files), want)
		}
		for _, name := range want {
			for range 2 { // closing the file leaves it open for the next call
				file, err := files.Open(t.Context(), name)
				if err != nil {
					t.Fatalf("open %s: %v", name, err)
				}
				got := make([]byte, len(name))
				if _, err := file.ReadAt(got, 0); err != nil || string(got) != name {
					t.Errorf("read %s: got %q, %v", name, got, err)
				}
				_ = file.Close()
			}
		}
	}
}

// The parent can read what the child writes.
func TestLines_are_read_as_they_are_written(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		write func(*jsonlines.Writer) error
		want  func(*output) bool
	}{
		{"a result", func(w *jsonlines.Writer) error { return w.Result(Result{Facts: factsOf(splat.Facts{Splats: 3})}) },
			func(o *output) bool { return o.result != nil && o.result.Facts.Splats == 3 }},
		{"a fault", func(w *jsonlines.Writer) error { return w.Fault(&splat.InputError{Message: "bad <file>"}) },
			func(o *output) bool { return o.fault != nil && *o.fault == "bad <file>" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var text bytes.Buffer
			lines := &jsonlines.Writer{Out: &text}
			lines.Progress(40, "a")
			lines.Progress(30, "too soon after the first")
			if err := test.write(lines); err != nil {
				t.Fatal(err)
			}
			var percent []float64
			o := &output{
				onLine: func() {}, stop: func(err error) { t.Errorf("stopped: %v", err) },
				progress: func(p float64, _ string) { percent = append(percent, p) },
			}
			_, _ = o.Write(text.Bytes())
			if !test.want(o) {
				t.Errorf("output: got %+v from %s", o, &text)
			}
			if diff := cmp.Diff([]float64{40}, percent); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
		})
	}
}

// A capture may have more files than the process may open.
func TestOpenInput_needs_few_descriptors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const files = maxOpenFiles + 300
	for i := range files {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%04d.sog", i)), fmt.Appendf(nil, "tile %d", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := openInput(t.Context(), filepath.Join(folder, "0000.sog"), true)
	if err != nil {
		t.Fatal(err)
	}
	mapped := 0
	for i := range files {
		file, err := opened.Open(t.Context(), fmt.Sprintf("%04d.sog", i))
		if err != nil {
			t.Fatal(err)
		}
		content := make([]byte, file.Size())
		if _, err := file.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) || string(content) != fmt.Sprintf("tile %d", i) {
			t.Fatalf("file %d: got %q, %v", i, content, err)
		}
		if _, ok := opened[fmt.Sprintf("%04d.sog", i)].(mappedFile); ok {
			mapped++
		}
	}
	if mapped != files-maxOpenFiles {
		t.Errorf("got %d mapped files of %d, want all but %d", mapped, files, maxOpenFiles)
	}
	for _, file := range opened {
		_ = file.Close() // read only
	}
}
