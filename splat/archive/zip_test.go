package archive_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"portico/splat/archive"
	"portico/splat/input"
	"portico/splat/splattest"
)

func TestHostileZips(t *testing.T) {
	t.Parallel()
	for _, test := range splattest.HostileZips() {
		t.Run("refuses "+test.Name, func(t *testing.T) {
			t.Parallel()
			_, extracted, err := unpack(t, test.Zip)
			wantInputError(t, err, test.Entry, test.Reason)
			if _, ok := extracted.files["scene.lcc2"]; ok {
				t.Errorf("files: got %q, want no manifest", extracted.names)
			}
		})
	}
}

func TestOpen_accepts(t *testing.T) {
	t.Parallel()
	good := files("a.bin", "a", "folder/b.bin", "b")
	for name, b := range map[string][]byte{
		"stored entries": splattest.Zip(good...),
		"no entries":     splattest.Zip(),
		"a comment":      withComment(splattest.Zip(good...), "made by hand"),
		"zip64 sizes":    splattest.Zip(splattest.Entry{Name: "a", Body: []byte("a"), Zip64: true}),
		"zip64 end":      withEnd64(splattest.Zip(good...)),
		"empty files":    splattest.Zip(splattest.Entry{Name: "a"}, splattest.Entry{Name: "b", Method: splattest.Deflate}),
		"folders":        splattest.Zip(splattest.Entry{Name: "folder/"}, splattest.Entry{Name: "other", Mode: 0o040755}),
		"the top folder": splattest.Zip(splattest.Entry{Name: "./"}, splattest.Entry{Name: "./a", Body: []byte("a")}),
		"other scripts":  splattest.Zip(files("扫描/点云 №1.ply", "x")...),
		"litter twice":   splattest.Zip(files("__MACOSX/._a", "1", "__macosx/._A", "2", ".DS_Store", "3")...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _, err := unpack(t, b)
			if err != nil || plan.Kind != archive.KindWhole {
				t.Errorf("got kind %q, %v, want %q", plan.Kind, err, archive.KindWhole)
			}
		})
	}
}

// Names that no file system allows are not a fault of a capture beside them, whose archive keeps
// only the capture.
func TestOpen_discards_files_with_names_that_cannot_be_kept(t *testing.T) {
	t.Parallel()
	c := splattest.Capture{Tiles: 1, TileBytes: 64}
	for name, others := range map[string][]splattest.Entry{
		"the icon of a folder on macOS": files("Icon\r", "x"),
		"a NUL":                         files("x\x00.txt", "x"),
		"broken UTF-8":                  files("x\xff.txt", "x"),
		"no name":                       files("", "x"),
		"a long name":                   files(strings.Repeat("x", 256), "x"),
		"a long path":                   files(strings.Repeat("abcdefghi/", 91)+"x", "x"),
		"a deep path":                   files(strings.Repeat("x/", 65)+"x", "x"),
		"one name in two cases":         files("readme.txt", "x", "README.TXT", "y", "ReadMe.txt", "z"),
		"a file that is a folder":       files("x", "x", "x/y", "y", "x/z", "z"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries := append(slices.Clone(others),
				splattest.Entry{Name: "scene.lcc2", Body: c.ManifestJSON()}, splattest.Entry{Name: splattest.TileName(0), Body: []byte(splattest.BundleMagic + "tile")})
			plan, extracted, err := unpack(t, splattest.Zip(entries...))
			if err != nil || plan.Kind != archive.KindLCC2 || len(extracted.names) != 2 {
				t.Errorf("got kind %q, %v and the files %q, want the capture", plan.Kind, err, extracted.names)
			}
			if _, _, err := unpack(t, splattest.Zip(others...)); err == nil {
				t.Error("without a capture: got no error")
			}
		})
	}
}

// Windows Explorer and 7-Zip write names in code page 437, without the flag of UTF-8.
func TestOpen_reads_names_in_code_page_437(t *testing.T) {
	t.Parallel()
	noFlag := func(h *splattest.Header) { h.Flags = 0 }
	for stored, want := range map[string]string{
		"K\x81che/\x8eu\xe1eres.ply": "Küche/Äußeres.ply",
		"Caf\x82 \xa4o\xff.ply":      "Café ño\u00a0.ply",
		"扫描/é.ply":                   "扫描/é.ply", // UTF-8 without the flag, as of macOS
		"plain.ply":                  "plain.ply",
	} {
		b := splattest.Zip(splattest.Entry{Name: stored, Body: []byte(gaussianPLY), ChangeCentral: noFlag, ChangeLocal: noFlag})
		plan, extracted, err := unpack(t, b)
		if err != nil || plan.Kind != archive.KindSingle || path.Join(plan.Root, plan.Primary) != want || extracted.files[plan.Primary] != gaussianPLY {
			t.Errorf("%q: got kind %q, the file %q and %v, want %q", stored, plan.Kind, path.Join(plan.Root, plan.Primary), err, want)
		}
	}
}

func withComment(b []byte, comment string) []byte {
	binary.LittleEndian.PutUint16(b[len(b)-2:], uint16(len(comment)))
	return append(b, comment...)
}

// withEnd64 moves what the end record says into a zip64 one.
func withEnd64(b []byte) []byte {
	at := len(b) - 22
	end, le := b[at:], binary.LittleEndian
	entries, size, offset := le.Uint16(end[10:]), le.Uint32(end[12:]), le.Uint32(end[16:])
	end64 := splattest.End64(uint64(entries), uint64(size), uint64(offset), uint64(at))
	return append(append(b[:at:at], end64...), splattest.End(1<<16-1, 1<<32-1, 1<<32-1)...)
}

func TestLimits_refuse_what_exceeds_them(t *testing.T) {
	t.Parallel()
	zeros := splattest.Entry{Name: "zeros", Body: make([]byte, 10_000), Method: splattest.Deflate}
	for _, test := range []struct {
		name   string
		change func(*archive.Limits)
		zip    []byte
		entry  string
		reason string // empty: accepted
	}{
		{"entries reached", func(l *archive.Limits) { l.Entries = 2 }, splattest.Zip(files("a", "1", "b", "2")...), "", ""},
		{"entries exceeded", func(l *archive.Limits) { l.Entries = 1 }, splattest.Zip(files("a", "1", "b", "2")...), "", "too many files: 2 entries, at most 1"},
		{"directory reached", func(l *archive.Limits) { l.DirectoryBytes = 47 }, splattest.Zip(files("a", "1")...), "", ""},
		{"directory exceeded", func(l *archive.Limits) { l.DirectoryBytes = 46 }, splattest.Zip(files("a", "1")...), "", "directory is too large"},
		{"file reached", func(l *archive.Limits) { l.FileBytes = 3 }, splattest.Zip(files("a", "123")...), "", ""},
		{"file exceeded", func(l *archive.Limits) { l.FileBytes = 2 }, splattest.Zip(files("a", "123")...), "a", "too large: 3 bytes, at most 2"},
		{"total reached", func(l *archive.Limits) { l.TotalBytes = 6 }, splattest.Zip(files("a", "123", "b", "456")...), "", ""},
		{"total exceeded", func(l *archive.Limits) { l.TotalBytes = 5 }, splattest.Zip(files("a", "123", "b", "456")...), "", "more than 5 bytes"},
		{"ratio below its floor", func(l *archive.Limits) { l.RatioFloor = 10_000 }, splattest.Zip(zeros), "", ""},
		{"ratio exceeded", func(l *archive.Limits) { l.RatioFloor, l.Ratio = 9_999, 50 }, splattest.Zip(zeros), "zeros", "more than 50 times"},
		{"ratio within", func(l *archive.Limits) { l.RatioFloor, l.Ratio = 0, 1000 }, splattest.Zip(zeros), "", ""},
		{"ratio of all exceeded", func(l *archive.Limits) { l.RatioFloor, l.Ratio = 10_000, 50 }, splattest.Zip(zeros, splattest.Entry{Name: "more", Body: zeros.Body, Method: splattest.Deflate}), "", "archive unpacks to more than 50 times"},
		{"nothing allowed", func(l *archive.Limits) { *l = archive.Limits{} }, splattest.Zip(files("a", "1")...), "", "at most 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limits := archive.DefaultLimits()
			test.change(&limits)
			_, err := open(test.zip, limits)
			if test.reason != "" {
				wantInputError(t, err, test.entry, test.reason)
			} else if err != nil {
				t.Errorf("got %v, want it accepted", err)
			}
		})
	}
}

// sparse is a file of zeros with a few bytes at its end. It counts what is read.
type sparse struct {
	size int64
	tail []byte
	read int64
}

// ReadAt implements io.ReaderAt.
func (s *sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if from := s.size - int64(len(s.tail)); off+int64(len(p)) > from {
		copy(p[max(0, from-off):], s.tail[max(0, off-from):])
	}
	s.read += int64(len(p))
	return len(p), nil
}

func TestOpen_reads_little_of_a_huge_directory(t *testing.T) {
	t.Parallel()
	const size = 16 << 30
	for name, tail := range map[string][]byte{
		// Four gigabytes that declare one entry, and a likely number of them.
		"few":  append(splattest.End64(1, 4<<30, 0, size-98), splattest.End(1, 1<<32-1, 0)...),
		"many": append(splattest.End64(80<<20, 4<<30, 0, size-98), splattest.End(1<<16-1, 1<<32-1, 0)...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := &sparse{size: size, tail: tail}
			_, err := archive.Open(file, size, archive.DefaultLimits())
			wantInputError(t, err, "", "The archive")
			if file.read > 4<<20 {
				t.Errorf("read: got %d bytes, want at most 4 MiB", file.read)
			}
		})
	}
}

func TestOpen_reports_a_failing_reader_as_internal(t *testing.T) {
	t.Parallel()
	b := splattest.Zip(files("a", "1")...)
	broken := errors.New("connection reset")
	for name, r := range map[string]io.ReaderAt{
		"an error":     failing{err: broken},
		"an early end": bytes.NewReader(nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := archive.Open(r, int64(len(b)), archive.DefaultLimits())
			if _, ok := errors.AsType[*input.Error](err); ok || err == nil {
				t.Errorf("got %v, want an error that does not classify the file", err)
			}
		})
	}
}

// failing is a reader whose medium is gone.
type failing struct{ err error }

// ReadAt implements io.ReaderAt.
func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// An archive of many entries must cost little more than their names.
func TestOpen_takes_little_memory(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	const entries = 20_000
	var pairs []string
	for i := range entries {
		pairs = append(pairs, splattest.TileName(i), "")
	}
	b := splattest.Zip(files(pairs...)...)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a, err := open(b, archive.DefaultLimits())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := int64(after.HeapAlloc) - int64(before.HeapAlloc); got > entries*600 {
		t.Errorf("memory: got %d bytes, want at most %d", got, entries*600)
	}
	runtime.KeepAlive(a)
}
