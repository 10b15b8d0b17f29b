package splattest_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"portico/splat/splattest"
)

// files reads a zip with the standard library, independently of our code.
func files(t *testing.T, b []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatalf("zip.NewReader: %v", err)
	}
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatalf("open %s: %v", f.Name, err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("read %s: %v", f.Name, err)
		}
		all[f.Name] = string(body)
	}
	return all
}

func TestCapture_is_a_zip_with_its_files(t *testing.T) {
	t.Parallel()
	c := splattest.Capture{Folder: "export/scan", Tiles: 3, TileBytes: 5000, Collision: true}
	var b bytes.Buffer
	n, err := c.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo: got %d, %v, want %d bytes", n, err, b.Len())
	}
	got := files(t, b.Bytes())
	if want := 1 + 2*3; len(got) != want {
		t.Errorf("entries: got %d, want %d", len(got), want)
	}
	if !json.Valid([]byte(got["export/scan/scene.lcc2"])) {
		t.Errorf("manifest: got %q, want JSON", got["export/scan/scene.lcc2"])
	}
	for i := range c.Tiles {
		tile := got["export/scan/"+splattest.TileName(i)]
		if len(tile) != 5000 || !strings.HasPrefix(tile, splattest.BundleMagic) {
			t.Errorf("tile %d: got %d bytes that start with %.4q, want 5000 that start with %q", i, len(tile), tile, splattest.BundleMagic)
		}
	}
}

func TestCapture_is_the_same_every_time(t *testing.T) {
	t.Parallel()
	read := func(seed uint64, i int) string {
		b, err := io.ReadAll(splattest.Capture{Seed: seed, TileBytes: 100}.Tile(i))
		if err != nil {
			t.Fatalf("read tile: %v", err)
		}
		return string(b)
	}
	if first, again := read(1, 0), read(1, 0); first != again {
		t.Error("one seed gave two tiles, want one")
	}
	if read(1, 0) == read(2, 0) || read(1, 0) == read(1, 1) {
		t.Error("two tiles are the same, want them to differ")
	}
}

func TestZip_is_read_by_others(t *testing.T) {
	t.Parallel()
	got := files(t, splattest.Zip(
		splattest.Entry{Name: "stored", Body: []byte("one")},
		splattest.Entry{Name: "deflated", Body: []byte(strings.Repeat("two", 99)), Method: splattest.Deflate},
		splattest.Entry{Name: "zip64", Body: []byte("three"), Zip64: true},
	))
	want := map[string]string{"stored": "one", "deflated": strings.Repeat("two", 99), "zip64": "three"}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: got %q, want %q", name, got[name], want[name])
		}
	}
}

func TestLCC_has_records_of_20_and_32_bytes(t *testing.T) {
	t.Parallel()
	got := files(t, splattest.LCC("scan"))
	for name, want := range map[string]int{"scan/index.bin": 20, "scan/data.bin": 32} {
		if len(got[name]) != want {
			t.Errorf("%s: got %d bytes, want %d", name, len(got[name]), want)
		}
	}
}

// A reader that does not check for overlaps must unpack the whole bomb.
func TestQuoted_bomb_unpacks(t *testing.T) {
	t.Parallel()
	b := splattest.QuotedBomb(10, 1<<16)
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatalf("zip.NewReader: %v", err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatalf("open %s: %v", f.Name, err)
		}
		// The checksum is wrong, but the reader returns the bytes first.
		n, _ := io.Copy(io.Discard, r)
		if n < 1<<16 {
			t.Errorf("%s: got %d bytes, want at least %d", f.Name, n, 1<<16)
		}
	}
}
