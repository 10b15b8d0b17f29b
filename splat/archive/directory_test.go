package archive_test

import (
	"testing"

	"portico/splat/archive"
	"portico/splat/splattest"
)

// zip64Extra is the start of an extra field for large files with size bytes.
func zip64Extra(size byte, body ...byte) []byte { return append([]byte{1, 0, size, 0}, body...) }

func TestDirectory_refuses(t *testing.T) {
	t.Parallel()
	const huge = 1<<32 - 1 // look into the extra field
	large := func(extra []byte) []byte {
		return splattest.Zip(splattest.Entry{Name: "a", Body: []byte("a"), ChangeCentral: func(h *splattest.Header) { h.Size, h.Extra = huge, extra }})
	}
	far := splattest.Zip(files("a", "a")...)
	split := splattest.Zip(files("a", "a")...)
	split[len(split)-22-1-46+34] = 1 // the entry's disk
	for _, test := range []struct {
		name, entry, reason string
		zip                 []byte
	}{
		{"large sizes without their field", "a", "zip64 sizes", large(nil)},
		{"large sizes with a short field", "a", "zip64 sizes", large(zip64Extra(4, 0, 0, 0, 0))},
		{"large sizes with a field that is cut off", "a", "zip64 sizes", large(zip64Extra(8, 0))},
		{"large sizes behind a field that is cut off", "a", "zip64 sizes", large(append([]byte{9, 9, 9, 0}, zip64Extra(0)...))},
		{"a negative size", "a", "zip64 sizes", large(zip64Extra(8, 0, 0, 0, 0, 0, 0, 0, 0x80))},
		{"an entry in another part", "a", "split archive", split},
		{"a locator to nowhere", "", "outside the file", append(splattest.End64(1, 46, 0, 1<<50), splattest.End(1<<16-1, 1<<32-1, 1<<32-1)...)},
		{"a locator to something else", "", "zip64 directory record is missing", append(splattest.End64(1, 46, 0, 10), splattest.End(1<<16-1, 1<<32-1, 1<<32-1)...)},
		{"large values without a locator", "", "outside the file", append(far[:len(far)-22:len(far)-22], splattest.End(1, 47, 1<<32-1)...)},
		{"a directory behind its end", "", "outside the file", append(far[:len(far)-22:len(far)-22], splattest.End(1, 47, len(far))...)},
		{"an invalid directory", "", "directory cannot be read", append(make([]byte, 100), splattest.End(1, 100, 0)...)},
		{"a directory that is cut off", "", "directory is cut off", append(far[:len(far)-22:len(far)-22], splattest.End(1, 46, len(far)-22-47)...)},
		{"a comment that is cut off", "", "directory is missing", withComment(splattest.Zip(), "text")[:22+2]},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(test.zip, archive.DefaultLimits())
			wantInputError(t, err, test.entry, test.reason)
		})
	}
}

func TestDirectory_skips_other_extra_fields(t *testing.T) {
	t.Parallel()
	other := []byte{0x55, 0x54, 3, 0, 1, 2, 3} // a timestamp, before the sizes
	b := splattest.Zip(splattest.Entry{Name: "a", Body: []byte("a"), Zip64: true, ChangeCentral: func(h *splattest.Header) { h.Extra = other }})
	if _, _, err := unpack(t, b); err != nil {
		t.Errorf("got %v, want it accepted", err)
	}
}

// A comment may contain anything, including bytes that look like another end record.
func TestDirectory_uses_the_last_end(t *testing.T) {
	t.Parallel()
	b := withComment(splattest.Zip(files("a", "a")...), "PK\x05\x06 in a comment")
	if _, _, err := unpack(t, b); err != nil {
		t.Errorf("got %v, want the end before the comment to count", err)
	}
}
