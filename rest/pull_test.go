package rest

import (
	"archive/zip"
	"io"
	"strings"
)

// pulled returns the files of a pulled space by path.
func (w *world) pulled(who account, id string) map[string]string {
	w.t.Helper()
	got := w.call(who, "POST", "/v1/spaces/"+id+"/pull", "")
	if got.status != 200 || got.header.Get("Content-Type") != "application/zip" {
		w.t.Fatalf("pull: got %d %s %s, want an archive", got.status, got.header.Get("Content-Type"), got.body)
	}
	archive, err := zip.NewReader(strings.NewReader(got.body+"\n"), int64(len(got.body)))
	if err != nil { // send cuts a final line feed off
		archive, err = zip.NewReader(strings.NewReader(got.body+"\n"), int64(len(got.body)+1))
	}
	check(w.t, err)
	files := map[string]string{}
	for _, entry := range archive.File {
		reader, err := entry.Open()
		check(w.t, err)
		content, err := io.ReadAll(reader)
		check(w.t, err)
		files[entry.Name] = string(content)
	}
	return files
}
