package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// world has an npm that packs the files into the archive of every package, and
// returns a release of one and a folder to fetch it to.
func world(t *testing.T, files map[string]string) (r release, to string) {
	t.Helper()
	var archive bytes.Buffer
	compressor := gzip.NewWriter(&archive)
	writer := tar.NewWriter(compressor)
	for path, content := range files {
		check(t, writer.WriteHeader(&tar.Header{Name: "package/" + path, Mode: 0o644, Size: int64(len(content))}))
		_, err := io.WriteString(writer, content)
		check(t, err)
	}
	check(t, errors.Join(writer.Close(), compressor.Close()))
	bin := t.TempDir()
	script := "#!/bin/sh\nfor a; do case $a in --pack-destination=*) to=${a#*=} ;; esac; done\n" +
		`[ "$1" = pack ] && [ "$a" = lib@1.2.3 ] && cp "${0%/*}/archive" "$to/lib-1.2.3.tgz"` + "\n"
	check(t, os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700))
	check(t, os.WriteFile(filepath.Join(bin, "archive"), archive.Bytes(), 0o600))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	sum := sha512.Sum512(archive.Bytes())
	return release{
		name: "lib", version: "1.2.3", integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		files: []file{{"umd/lib.min.css", "lib.css"}},
	}, t.TempDir()
}

const style = "a{b:c}@font-face{font-family:D;src:url(data:e)}\n@font-face {\n  f: g\n}f{g:h}\n//# sourceMappingURL=lib.map\n"

func TestFetch_writes_the_same_bytes_each_time(t *testing.T) { //nolint:paralleltest // has an environment of its own
	r, to := world(t, map[string]string{"umd/lib.min.css": style, "LICENSE": "Do as you like.\n", "README.md": "Read!"})
	check(t, fetch(t.Context(), []release{r}, to))
	first, err := os.ReadFile(filepath.Join(to, "lib.css.gz"))
	check(t, err)
	check(t, fetch(t.Context(), []release{r}, to))
	second, err := os.ReadFile(filepath.Join(to, "lib.css.gz"))
	check(t, err)
	if !bytes.Equal(first, second) {
		t.Error("lib.css.gz: got other bytes the second time")
	}
	reader, err := gzip.NewReader(bytes.NewReader(second))
	check(t, err)
	content, err := io.ReadAll(reader)
	check(t, err)
	if got, want := string(content), "a{b:c}f{g:h}\n"; got != want {
		t.Errorf("lib.css: got %q, want %q", got, want)
	}
	licences, err := os.ReadFile(filepath.Join(to, "LICENSES"))
	check(t, err)
	if got, want := string(licences), "lib 1.2.3\n\nDo as you like.\n\n"; got != want {
		t.Errorf("LICENSES: got %q, want %q", got, want)
	}
	if entries, err := os.ReadDir(to); err != nil || len(entries) != 2 {
		t.Errorf("folder: got %v, %v, want these two", entries, err)
	}
}

func TestFetch_refuses(t *testing.T) { //nolint:paralleltest // has an environment of its own
	whole := map[string]string{"umd/lib.min.css": style, "LICENSE": "Do as you like."}
	for _, row := range []struct {
		name   string
		files  map[string]string
		change func(*release)
		want   string
	}{
		{"an archive that is another", whole, func(r *release) { r.integrity = "sha512-x" }, "lib@1.2.3: integrity: got sha512-"},
		{"a package without a file", map[string]string{"LICENSE": "Do as you like."}, nil, "lib@1.2.3: has no umd/lib.min.css"},
		{"a package without a licence", map[string]string{"umd/lib.min.css": style}, nil, "lib@1.2.3: has no LICENSE"},
		{"what npm does not find", whole, func(r *release) { r.version = "9.9.9" }, "lib@9.9.9: npm pack: exit status 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, to := world(t, row.files)
			if row.change != nil {
				row.change(&r)
			}
			if err := fetch(t.Context(), []release{r}, to); err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("got %v, want %s", err, row.want)
			}
			if entries, err := os.ReadDir(to); err != nil || len(entries) != 0 {
				t.Errorf("folder: got %v, %v, want it empty", entries, err)
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
