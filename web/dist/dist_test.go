package dist_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"strings"
	"testing"

	"portico/web/dist"
)

func TestEntry_names_files_of_the_build(t *testing.T) {
	t.Parallel()
	script, styles, err := dist.Entry("space")
	if err != nil {
		t.Fatal(err)
	}
	if len(styles) == 0 {
		t.Error("styles: got none")
	}
	for _, name := range append(styles, script) {
		if _, err := fs.Stat(dist.Files(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEntry_of_an_unknown_build_is_an_error(t *testing.T) {
	t.Parallel()
	if _, _, err := dist.Entry("nothing"); err == nil {
		t.Error("got no error")
	}
}

// A visitor waits for all scripts before the first picture.
func TestFiles_have_scripts_of_at_most_650_kB_compressed(t *testing.T) {
	t.Parallel()
	var compressed bytes.Buffer
	err := fs.WalkDir(dist.Files(), "space", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".js") {
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
	t.Logf("scripts: %d bytes", compressed.Len())
	if got, limit := compressed.Len(), 650_000; got > limit {
		t.Errorf("scripts: got %d bytes compressed, want at most %d", got, limit)
	}
}

func TestFiles_name_the_licences_of_what_they_contain(t *testing.T) {
	t.Parallel()
	licences, err := fs.ReadFile(dist.Files(), "space/.vite/license.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(licences, []byte("## playcanvas - ")) {
		t.Error("licences: got none of playcanvas")
	}
}
