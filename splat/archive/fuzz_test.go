package archive_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"

	"portico/splat/archive"
	"portico/splat/splattest"
)

// fuzzLimits are small, so that the fuzzer reaches them.
func fuzzLimits() archive.Limits {
	return archive.Limits{
		Entries: 50, DirectoryBytes: 10_000, FileBytes: 100_000, TotalBytes: 200_000,
		Ratio: 200, RatioFloor: 50_000, ManifestBytes: 50_000,
	}
}

// strict is a folder.Writer that checks what must hold of every file.
type strict struct {
	t     *testing.T
	bytes int64
	seen  map[string]bool
	last  string
}

// Put implements folder.Writer.
func (s *strict) Put(_ context.Context, name string, size int64, r io.Reader) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
		s.t.Errorf("name: got %q, want a clean relative path", name)
	}
	if key := strings.ToLower(name); s.seen[key] {
		s.t.Errorf("name: got %q twice", name)
	} else {
		s.seen[key] = true
	}
	n, err := io.Copy(io.Discard, r)
	if s.bytes += n; n > size || s.bytes > fuzzLimits().TotalBytes {
		s.t.Errorf("%s: got %d bytes, %d in all, want no more than declared and allowed", name, n, s.bytes)
	}
	if err == nil && n != size {
		s.t.Errorf("%s: got %d bytes, want %d", name, n, size)
	}
	s.last = name
	return err
}

// exercise opens, plans and extracts a zip.
func exercise(t *testing.T, b []byte) {
	a, err := archive.Open(bytes.NewReader(b), int64(len(b)), fuzzLimits())
	if err != nil {
		return
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		return
	}
	if (plan.Kind == archive.KindWhole) != (len(plan.Files) == 0) {
		t.Errorf("plan: got %d files for %q", len(plan.Files), plan.Kind)
	}
	extracted := &strict{t: t, seen: map[string]bool{}}
	err = a.Extract(t.Context(), plan, extracted, nil)
	if err == nil && (extracted.last != plan.Primary || strings.Contains(plan.Primary, "/")) {
		t.Errorf("last file: got %q, want the primary %q at the top", extracted.last, plan.Primary)
	}
	if err := a.Verify(t.Context(), nil); err == nil && plan.Bytes > fuzzLimits().TotalBytes {
		t.Errorf("plan: got %d bytes, want no more than allowed", plan.Bytes)
	}
}

func FuzzArchive(f *testing.F) {
	for _, hostile := range splattest.HostileZips() {
		if len(hostile.Zip) < 10_000 {
			f.Add(hostile.Zip)
		}
	}
	f.Add(splattest.LCC("scan"))
	f.Add(splattest.Zip(files(sogFiles("out/")...)...))
	f.Add(splattest.Zip(files("m/a.gltf", `{"buffers":[{"uri":"b.bin"}]}`, "m/b.bin", "x")...))
	f.Add(withEnd64(splattest.Zip(
		splattest.Entry{Name: "a/s.lcc2", Body: []byte(`{"root":{"splatFiles":["0.sog"]}}`), Method: splattest.Deflate},
		splattest.Entry{Name: "a/0.sog", Body: []byte(tile), Zip64: true},
	)))
	f.Fuzz(exercise)
}

// FuzzEntry fuzzes what an archive says of one entry, in an archive that is
// otherwise good: changed bytes alone seldom get that far.
func FuzzEntry(f *testing.F) {
	f.Add("data/a.sog", []byte(tile), uint16(8), uint16(0), uint32(0o100644), int64(0), int64(0), int64(0), uint8(0))
	f.Add("../s.lcc2", []byte("{}"), uint16(0), uint16(1), uint32(0o120777), int64(1), int64(-1), int64(-40), uint8(9))
	f.Add("data\\a.gltf", []byte("{}"), uint16(99), uint16(1<<13), uint32(0), int64(1)<<40, int64(1)<<62, int64(-1), uint8(255))
	f.Fuzz(func(t *testing.T, name string, body []byte, method, flags uint16, mode uint32, size, packed, offset int64, extra uint8) {
		lie := func(h *splattest.Header) {
			h.Flags |= flags
			h.Size, h.CompressedSize, h.Offset = h.Size+uint64(size), h.CompressedSize+uint64(packed), h.Offset+uint64(offset)
		}
		exercise(t, splattest.Zip(
			splattest.Entry{Name: "s.lcc2", Body: []byte("{}"), Method: splattest.Deflate},
			splattest.Entry{Name: name, Body: body, Method: method, Mode: mode, ChangeCentral: lie, Zip64: flags%2 == 0,
				ChangeLocal: func(h *splattest.Header) { h.Extra = make([]byte, extra) }},
			splattest.Entry{Name: "b.sog", Body: []byte(tile)},
		))
	})
}

// FuzzLCC2 fuzzes the manifest of a good archive.
func FuzzLCC2(f *testing.F) {
	f.Add(splattest.Capture{Tiles: 2}.ManifestJSON())
	for _, manifest := range []string{
		`{"total_splats":1,"lod_3dgs_info":[1],"lod_level":1,"root":{"files":["/data/3dgs/0"]}}`,
		"\xff\xfe{\x00}\x00", `{"root":{"splatFiles":["..\\a.sog",],},}`, `{"splatType":".spz"}`, "\ufeff{}",
	} {
		f.Add([]byte(manifest))
	}
	f.Fuzz(func(t *testing.T, manifest []byte) {
		exercise(t, splattest.Zip(
			splattest.Entry{Name: "scan/s.lcc2", Body: manifest},
			splattest.Entry{Name: "scan/" + splattest.TileName(0), Body: []byte(tile)},
			splattest.Entry{Name: "scan/" + splattest.TileName(1), Body: []byte(tile)},
			splattest.Entry{Name: "outside.sog", Body: []byte(tile)},
		))
	})
}
