package client

import (
	"archive/zip"
	"bytes"
	"testing"
)

func TestSpaceArchive_refuses_a_text_that_is_too_large(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	packed := zip.NewWriter(&b)
	for name, size := range map[string]int{"largest": maxText, "larger": maxText + 1} {
		entry, err := packed.Create(name)
		check(t, err)
		_, err = entry.Write(make([]byte, size))
		check(t, err)
	}
	check(t, packed.Close())
	read, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	check(t, err)
	archive := &PulledSpace{entries: map[string]*zip.File{}}
	for _, entry := range read.File {
		archive.entries[entry.Name] = entry
	}
	if text, err := archive.Text("largest"); err != nil || len(text) != maxText {
		t.Errorf("largest: got %d bytes, %v, want all", len(text), err)
	}
	if text, err := archive.Text("larger"); err == nil {
		t.Errorf("larger: got %d bytes, want an error", len(text))
	}
}
