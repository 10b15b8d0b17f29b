package dist_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"slices"
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

func TestEntry_of_an_unknown_build_is_an_error(t *testing.T) {
	t.Parallel()
	if _, _, err := dist.Entry("nothing"); err == nil {
		t.Error("got no error")
	}
}

// A visitor of a space waits for all scripts before the first picture. The limit of the
// console is for all that it can ever load, languages and workers included.
func TestFiles_are_small(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		build      string
		extensions []string
		limit      int
	}{
		{"space", []string{".js"}, 650_000},
		{"console", []string{".js", ".css"}, 120_000},
	} {
		got := compressedSize(t, row.build, row.extensions)
		t.Logf("%s: %d bytes compressed", row.build, got)
		if got > row.limit {
			t.Errorf("%s: got %d bytes compressed, want at most %d", row.build, got, row.limit)
		}
	}
}

// compressedSize returns the size of the files of a build with one of the extensions, each
// compressed alone as it is sent.
func compressedSize(t *testing.T, build string, extensions []string) int {
	t.Helper()
	var compressed bytes.Buffer
	err := fs.WalkDir(dist.Files(), build, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !slices.Contains(extensions, path.Ext(name)) {
			return err
		}
		content, err := fs.ReadFile(dist.Files(), name)
		if err != nil {
			return err
		}
		w := gzip.NewWriter(&compressed)
		if _, err := w.Write(content); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
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
