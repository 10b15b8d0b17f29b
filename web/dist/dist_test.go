package dist_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"portico/web/dist"
)

func TestEntry_names_files_of_the_build(t *testing.T) {
	t.Parallel()
	for _, build := range []string{"console", "space"} {
		script, styles, err := dist.Entry(build)
		if err != nil {
			t.Fatal(err)
		}
		if len(styles) == 0 {
			t.Errorf("styles of %s: got none", build)
		}
		for _, name := range append(styles, script) {
			if _, err := fs.Stat(dist.Files(), name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The parts that views share have style sheets of their own, which nothing else loads.
func TestEntry_names_the_styles_of_what_the_script_imports(t *testing.T) {
	t.Parallel()
	chunks := readChunks(t, "console")
	_, styles, err := dist.Entry("console")
	if err != nil {
		t.Fatal(err)
	}
	main := chunks["src/main.ts"]
	for _, part := range main.Imports {
		for _, want := range chunks[part].CSS {
			if !slices.Contains(styles, "console/"+want) {
				t.Errorf("styles: got %v, want the one of %s in it", styles, part)
			}
		}
	}
	if last := "console/" + main.CSS[0]; styles[len(styles)-1] != last {
		t.Errorf("last style: got %s, want %s", styles[len(styles)-1], last)
	}
}

func TestImports_names_the_engine_once(t *testing.T) {
	t.Parallel()
	got, err := dist.Imports("space", "src/visit.ts", "src/messages/de.json", "src/none.ts")
	if err != nil {
		t.Fatal(err)
	}
	engines := 0
	for _, name := range got {
		if _, err := fs.Stat(dist.Files(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(name, "/engine-") {
			engines++
		}
	}
	unique := slices.Compact(slices.Sorted(slices.Values(got)))
	if engines != 1 || len(unique) != len(got) {
		t.Errorf("got %q, want each script once and the engine among them", got)
	}
	if _, err := dist.Imports("nothing"); err == nil {
		t.Error("unknown build: got no error")
	}
}

func TestEntry_of_an_unknown_build_is_an_error(t *testing.T) {
	t.Parallel()
	if _, _, err := dist.Entry("nothing"); err == nil {
		t.Error("got no error")
	}
}

// A visitor of a space waits for the entry, the engine, what a visit imports and one language before the
// first picture. Tools load when they are used.
func TestFirst_load_of_a_space_is_small(t *testing.T) {
	t.Parallel()
	const limit = 650_000
	sources := []string{"src/visit.ts"}
	for source := range readChunks(t, "space") {
		if strings.HasSuffix(source, "messages/ja.json") && strings.Count(source, "/") == 2 { // the largest
			sources = append(sources, source)
		}
	}
	if len(sources) != 2 {
		t.Fatalf("sources: got %q, want the visit and a language", sources)
	}
	got := sizeOf(t, load(t, "space", sources...))
	t.Logf("%d bytes compressed", got)
	if got > limit {
		t.Errorf("got %d bytes compressed, want at most %d", got, limit)
	}
}

// Whatever address of the console a person opens first, the browser loads the entry with its
// imports, one view and one language.
func TestFirst_load_of_the_console_is_small(t *testing.T) {
	t.Parallel()
	const limit = 130_000
	entry := load(t, "console")
	always := sizeOf(t, entry)
	language, view := 0, 0
	for source := range readChunks(t, "console") {
		size := sizeOf(t, slices.DeleteFunc(load(t, "console", source), func(name string) bool { return slices.Contains(entry, name) }))
		switch {
		case strings.HasPrefix(source, "src/messages/"):
			language = max(language, size)
		default:
			view = max(view, size)
		}
	}
	if language == 0 || view == 0 {
		t.Fatalf("got %d bytes of languages and %d of views, want some of both", language, view)
	}
	t.Logf("%d bytes compressed, and %d for a language and %d for a view at most", always, language, view)
	if got := always + language + view; got > limit {
		t.Errorf("got %d bytes compressed, want at most %d", got, limit)
	}
}

// load returns the files that the page of a build loads, and the ones that these sources load in
// addition.
func load(t *testing.T, build string, sources ...string) []string {
	t.Helper()
	script, files, err := dist.Entry(build)
	if err != nil {
		t.Fatal(err)
	}
	imports, err := dist.Imports(build, sources...)
	if err != nil {
		t.Fatal(err)
	}
	files = append(append(files, script), imports...)
	for _, chunk := range readChunks(t, build) {
		if slices.Contains(imports, build+"/"+chunk.File) {
			for _, style := range chunk.CSS {
				files = append(files, build+"/"+style)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// chunk is an entry of the manifest.
type chunk struct {
	File         string
	CSS, Imports []string
}

// readChunks returns the manifest of a build.
func readChunks(t *testing.T, build string) (chunks map[string]chunk) {
	t.Helper()
	manifest, err := fs.ReadFile(dist.Files(), build+"/.vite/manifest.json")
	if err == nil {
		err = json.Unmarshal(manifest, &chunks)
	}
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

// sizeOf returns the size of files, each compressed alone as it is sent.
func sizeOf(t *testing.T, names []string) (size int) {
	t.Helper()
	for _, name := range names {
		content, err := fs.ReadFile(dist.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		size += gzipped(t, content)
	}
	return size
}

// gzipped returns the compressed size of a file.
func gzipped(t *testing.T, content []byte) int {
	t.Helper()
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return compressed.Len()
}

func TestFiles_name_the_licences_of_what_they_contain(t *testing.T) {
	t.Parallel()
	for build, packages := range map[string][]string{
		"space": {"playcanvas"}, "console": {"svelte", "@urql/core", "@urql/exchange-graphcache", "graphql-ws"},
	} {
		licences, err := fs.ReadFile(dist.Files(), build+"/.vite/license.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range packages {
			if !bytes.Contains(licences, []byte("## "+name+" - ")) {
				t.Errorf("licences of %s: got none of %s", build, name)
			}
		}
	}
}

// The controls, the poster and the request for the space wait for what the entry imports, and
// not for the engine, which is loaded at the same time.
func TestEntry_of_a_space_does_not_wait_for_the_engine(t *testing.T) {
	t.Parallel()
	manifest, err := fs.ReadFile(dist.Files(), "space/.vite/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var chunks map[string]struct {
		File    string
		Imports []string
	}
	if err := json.Unmarshal(manifest, &chunks); err != nil {
		t.Fatal(err)
	}
	size, seen, next := 0, map[string]bool{}, []string{"src/main.ts"}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		script, err := fs.ReadFile(dist.Files(), "space/"+chunks[name].File)
		if err != nil {
			t.Fatal(err)
		}
		size += gzipped(t, script)
		next = append(next, chunks[name].Imports...)
	}
	const limit = 20_000
	if size > limit {
		t.Errorf("got %d bytes compressed in %v, want at most %d", size, slices.Sorted(maps.Keys(seen)), limit)
	}
}
