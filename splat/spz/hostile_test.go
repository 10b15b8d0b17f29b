package spz_test

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/spz"
)

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	good := func(version uint32, degree int) *document { return newDocument(version, randomCloud(3, degree)) }
	changed := func(version uint32, change func(d *document)) []byte {
		d := good(version, 1)
		change(d)
		return d.bytes()
	}
	lying := func(at int, by int64) []byte {
		return good(4, 1).modern(func(sizes []uint64) { sizes[at] += uint64(by) })
	}
	patched := func(b []byte, at int, with ...byte) []byte {
		copy(b[at:], with)
		return b
	}
	for _, test := range []struct {
		name    string
		content []byte
		reason  string
	}{
		{"an empty file", nil, "is not an SPZ file"},
		{"another format", []byte("ply\nformat"), "is not an SPZ file"},
		{"half a magic number", []byte("NGS"), "is not an SPZ file"},
		{"gzip of something else", zip(make([]byte, 100)), "gzip file without SPZ data"},
		{"gzip of nothing", zip(nil), "is cut off"},
		{"gzip that is damaged", patched(good(2, 0).bytes(), 2, 99), "is damaged"},
		{"version 0", changed(0, func(*document) {}), "is SPZ version 0; versions 1 to 4"},
		{"version 5", changed(5, func(*document) {}), "is SPZ version 5; versions 1 to 4"},
		{"version 4 in gzip", zip(good(4, 1).header(0)), "is SPZ version 4 in a gzip file"},
		{"half a header without compression", []byte("NGSP\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"), "it ends within its SPZ header"},
		{"half a header of version 4", good(4, 1).bytes()[:20], "it ends within its SPZ header"},
		{"no Gaussians", newDocument(4, randomCloud(0, 1)).bytes(), "contains no Gaussians"},
		{"degree 5", changed(3, func(d *document) { d.degree = 5 }), "has harmonics of degree 5"},
		{"25 fractional bits", changed(3, func(d *document) { d.fraction = 25 }), "25 fractional bits"},
		{"a tree in version 4", changed(4, func(d *document) { d.flags = 0x80 }), "a tree of levels of detail, which version 4 cannot have"},
		{"more Gaussians than memory", changed(3, func(d *document) { d.splats = 1<<32 - 1 }), "its 4294967295 Gaussians have 29 bytes"},
		{"more Gaussians than the file can hold", changed(3, func(d *document) { d.splats = 10_000_000 }), "claims 10000000 Gaussians, more than its"},
		{"more Gaussians than the streams", changed(4, func(d *document) { d.splats = 4 }), "stream 1 claims 27 bytes unpacked, but 4 Gaussians have 36"},
		{"fewer Gaussians than the streams", changed(4, func(d *document) { d.splats = 2 }), "stream 1 claims 27 bytes unpacked, but 2 Gaussians have 18"},
		{"a stream too few", changed(4, func(d *document) { d.streams[5] = nil }), "has 5 streams, but degree 1 requires 6"},
		{"a stream too many", changed(4, func(d *document) { d.degree = 0 }), "has 6 streams, but degree 0 requires 5"},
		{"another degree", changed(4, func(d *document) { d.degree = 2 }), "stream 6 claims 27 bytes unpacked, but 3 Gaussians have 72"},
		{"a stream that is longer than the file", lying(10, 1), "is cut off: stream 6 has"},
		{"a stream of 64 bits", lying(0, -1<<62), "is cut off: stream 1 has"},
		{"bytes behind the streams", append(good(4, 1).bytes(), 0), "1 bytes follow its streams"},
		{"a table within the header", patched(good(4, 1).bytes(), 16, 31), "its table of streams cannot start at byte 31"},
		{"a table far behind", patched(good(4, 1).bytes(), 16, 0, 0, 0, 1), "its table of streams cannot start"},
		{"a table behind the end", patched(good(4, 1).bytes(), 16, 0, 10), "it ends within its table"},
		{"an extension that is cut off", changed(4, func(d *document) { d.flags, d.extensions = 2, extension(7, 1, 2, 3)[:10] }), "its extension 0x7 is cut off"},
		{"axes of another length", changed(4, func(d *document) { d.flags, d.extensions = 2, extension(0xadbe0003, 4) }), "has 1 bytes instead of 4"},
		{"axes that there are not", changed(4, func(d *document) { d.flags, d.extensions = 2, extension(0xadbe0003, 17, 0, 0, 0) }), "axes have the number 17"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, err := spz.Open(t.Context(), memory(t, test.content), "scene.spz")
			wantInputError(t, err, test.reason)
		})
	}
}

func TestBounds_refuses_faults_that_only_unpacking_shows(t *testing.T) {
	t.Parallel()
	c := randomCloud(3, 1)
	shorter := newDocument(4, c)
	longer := newDocument(4, c)
	shorter.streams[3], longer.streams[3] = shorter.streams[3][:8], append(longer.streams[3], 0)
	damaged := newDocument(4, c).bytes()
	for i := range 20 {
		damaged[len(damaged)-1-i] ^= 0x5a
	}
	checksum := newDocument(3, c).bytes()
	checksum[len(checksum)-6] ^= 1
	fewer := newDocument(3, c)
	fewer.splats = 4
	endless := newDocument(3, c)
	endless.tree = make([]byte, 70_000)
	tree := newDocument(3, c)
	tree.flags, tree.tree = 0x80, bytes.Repeat([]byte{1}, 18)
	axes := newDocument(3, c)
	axes.flags, axes.extensions = 2, extension(0xadbe0003, 99, 0, 0, 0)
	for _, test := range []struct {
		name    string
		content []byte
		reason  string
	}{
		{"a stream that holds less", shorter.modern(func(sizes []uint64) { sizes[7] = 9 }), "it ends within its Gaussians"},
		{"a stream that holds more", longer.modern(func(sizes []uint64) { sizes[7] = 9 }), "stream 4 holds more than 3 Gaussians"},
		{"a stream that is damaged", damaged, "its data cannot be unpacked"},
		{"a wrong checksum", checksum, "its data cannot be unpacked"},
		{"gzip that holds less", fewer.bytes(), "it ends within its Gaussians"},
		{"gzip that holds far more", endless.bytes(), "more than 65536 bytes follow its Gaussians"},
		{"a tree without ends", tree.bytes(), "has no leaves"},
		{"axes behind the Gaussians", axes.bytes(), "axes have the number 99"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			wantInputError(t, readAll(t, test.content), test.reason)
		})
	}
}

func TestBounds_tolerates_bytes_behind_old_files(t *testing.T) {
	t.Parallel()
	d := newDocument(3, randomCloud(3, 1))
	d.extensions = make([]byte, 100)
	if err := readAll(t, d.bytes()); err != nil {
		t.Errorf("got %v, want them maxNotFinite", err)
	}
	d.flags, d.extensions = 2, append(extension(0x12340001, 1, 2, 3), extension(0xadbe0003, 0, 0, 0, 0)...)
	if err := readAll(t, d.bytes()); err != nil {
		t.Errorf("extensions: got %v, want them skipped", err)
	}
}

func TestBounds_refuses_files_cut_off_anywhere(t *testing.T) {
	t.Parallel()
	for version := uint32(1); version <= 4; version++ {
		content := newDocument(version, randomCloud(2, 1)).bytes()
		for n := range content {
			err := readAll(t, content[:n])
			if _, ok := errors.AsType[*input.Error](err); !ok {
				t.Errorf("version %d, cut to %d of %d bytes: got %v, want an *input.Error", version, n, len(content), err)
			}
		}
	}
}

// A small file that claims much must not take much memory.
func TestBounds_allocates_memory_as_bytes_arrive(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	const splats = 800_000
	d := newDocument(3, randomCloud(3, 0))
	d.splats = splats
	var window [16]byte // a Zstandard frame with a window of 256 MiB and no more
	copy(window[:], []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3})
	wide := newDocument(4, randomCloud(3, 0))
	b := wide.modern(func(sizes []uint64) { sizes[0] += 16 })
	at := 32 + 5*16
	b = append(b[:at:at], append(window[:], b[at:]...)...)
	for name, content := range map[string][]byte{"claimed": d.bytes(), "remembered": b} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readAll(t, content)
		runtime.ReadMemStats(&after)
		if _, ok := errors.AsType[*input.Error](err); !ok {
			t.Errorf("%s: got %v, want an *input.Error", name, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 6<<20 {
			t.Errorf("%s: got %d bytes of memory, want at most 6 MiB", name, got)
		}
	}
}

// FuzzOpen opens and reads a file.
func FuzzOpen(f *testing.F) {
	for version := uint32(1); version <= 4; version++ {
		f.Add(newDocument(version, randomCloud(2, int(version))).bytes())
	}
	extended := newDocument(4, randomCloud(2, 0))
	extended.flags, extended.extensions = 2, append(extension(1, 2), extension(0xadbe0003, 5, 0, 0, 0)...)
	f.Add(extended.bytes())
	f.Fuzz(func(t *testing.T, b []byte) { exercise(t, b) })
}

// FuzzContent fuzzes what is within the compression, where changed bytes of a file
// seldom get.
func FuzzContent(f *testing.F) {
	for version := uint32(1); version <= 3; version++ {
		d := newDocument(version, randomCloud(2, 1))
		d.flags, d.extensions = 0x82, extension(0xadbe0003, 5, 0, 0, 0)
		d.tree = make([]byte, 12)
		f.Add(bytes.Join(append([][]byte{d.header(0)}, append(d.streams[:], d.tree, d.extensions)...), nil), true)
		f.Add(newDocument(4, randomCloud(2, 4)).streams[5], false)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = w.Close() }) // encodes in memory
	f.Fuzz(func(t *testing.T, b []byte, old bool) {
		if old {
			exercise(t, zip(b))
			return
		}
		d := newDocument(4, randomCloud(1, 0))
		d.degree, d.splats = byte(len(b)%5), uint32(max(1, len(b)/100))
		content := b
		for i, size := range []int{9, 1, 3, 3, 4, 3 * gaussian.Coefficients(int(d.degree))} {
			n := min(len(content), size*int(d.splats))
			d.streams[i], content = content[:n], content[n:]
		}
		exercise(t, d.bytes())
	})
}

// exercise reads a file. Every fault must be an input.Error, and Gaussians
// must be what a cloud promises.
func exercise(t *testing.T, b []byte) {
	t.Helper()
	f, err := spz.Open(t.Context(), memory(t, b), "scene.spz")
	if err != nil {
		wantFileFault(t, err)
		return
	}
	_, err = f.Bounds(t.Context())
	wantFileFault(t, err)
	n := f.Levels()[0]
	c := &gaussian.Cloud{}
	if err := f.Read(t.Context(), 0, []uint32{0, uint32(n - 1), uint32(n / 2)}, c); err != nil {
		wantFileFault(t, err)
		return
	}
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
		for _, v := range values {
			if v-v != 0 {
				t.Fatalf("Gaussians: got %v, want finite values", c)
			}
		}
	}
}

// wantFileFault checks that an error is about the file. The medium cannot fail.
func wantFileFault(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
		t.Fatalf("got %v, want an error that names the file", err)
	}
}

func TestOpen_reads_the_first_of_two_gzip_streams(t *testing.T) {
	t.Parallel()
	b := append(newDocument(3, randomCloud(3, 0)).bytes(), zip([]byte("more"))...)
	if err := readAll(t, b); err != nil {
		t.Errorf("got %v, want it read, as the reference does", err)
	}
}
