package rest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/internal/semaphore"
	"portico/model"
)

// hostile returns the headers of entries that must not be unpacked, by what the refusal says.
func hostile() map[string]zip.FileHeader {
	link := zip.FileHeader{Name: "space/assets/link.png"}
	link.SetMode(fs.ModeSymlink | 0o777)
	device := zip.FileHeader{Name: "space/assets/device.png"}
	device.SetMode(fs.ModeDevice | 0o666)
	return map[string]zip.FileHeader{
		"is encrypted":             {Name: "space/assets/a.png", Flags: encryptedFlag},
		"link.png: The entry is a": link,
		"another special file":     device,
		"more than 26214400 bytes": {Name: "space/assets/a.png", UncompressedSize64: 1 << 40},
	}
}

// zipped returns an archive with a good entry and these, whose headers are not checked.
func zipped(t *testing.T, entries ...zip.FileHeader) []byte {
	t.Helper()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	good, err := out.Create("space/entities/good.json")
	check(t, err)
	_, err = good.Write([]byte(`{"type":"Simple","data":{}}`))
	check(t, err)
	for _, header := range entries {
		_, err := out.CreateRaw(&header)
		check(t, err)
	}
	check(t, out.Close())
	return b.Bytes()
}

// One wrong entry refuses the archive, and nothing of it is applied.
func TestArchive_with_a_hostile_entry_changes_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	before := w.pulled(w.alice, id)
	for want, header := range hostile() {
		got := w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply?force=1", string(zipped(t, header)))
		if got.status != 422 || !strings.Contains(got.body, want) {
			t.Errorf("archive of %q: got %d %s, want a refusal with %q", header.Name, got.status, got.body, want)
		}
	}
	for name, got := range w.pulled(w.alice, id) {
		if name != model.ManifestFile && got != before[name] { // the manifest has the time of the export
			t.Errorf("%s: got %q, want %q as before", name, got, before[name])
		}
	}
}

// The content of an archive is read only for a caller who may edit the space.
func TestArchive_of_a_stranger_is_not_unpacked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	got := w.call(w.bob, "POST", "/v1/spaces/"+id+"/apply?force=1", "no zip")
	if got.status != http.StatusForbidden {
		t.Errorf("got %d %s, want 403", got.status, got.body)
	}
}

// A bomb whose entries are small by their own account is stopped where it has unpacked enough.
func TestArchive_refuses_bombs(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	zeros := make([]byte, 20<<20)
	for i := range maxUnpacked/len(zeros) + 1 {
		file, err := out.Create("space/assets/" + strings.Repeat("a", i+1) + ".bin")
		check(t, err)
		_, err = file.Write(zeros)
		check(t, err)
	}
	check(t, out.Close())
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	check(t, err)
	if _, err := unpack(archive); model.CodeOf(err) != model.CodeTooLarge {
		t.Errorf("%d bytes that unpack to more than the maximum: got %v, want a refusal as too large", b.Len(), err)
	}
}

// A directory takes four times its size in memory, so a large one is refused before it is read.
func TestArchive_refuses_large_directories(t *testing.T) {
	t.Parallel()
	a := &api{tempFolder: t.TempDir(), largeBodies: semaphore.Room{Size: 1}}
	entries := func(n, commentBytes int) []zip.FileHeader {
		headers := make([]zip.FileHeader, n)
		for i := range headers {
			headers[i] = zip.FileHeader{Name: "space/assets/a.png", Comment: strings.Repeat("c", commentBytes)}
		}
		return headers
	}
	for _, row := range []struct {
		entries []zip.FileHeader
		want    string
	}{
		{entries(model.MaxChanges, 0), "The archive has too many files: 5,001 entries, at most 5,000"},
		{entries(200, 50_000), "The archive's directory is too large: "},
	} {
		sent := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/spaces/a/apply", bytes.NewReader(zipped(t, row.entries...)))
		body, err := a.spoolBody(httptest.NewRecorder(), sent)
		check(t, err)
		_, err = a.readArchive(t.Context(), body)
		if model.CodeOf(err) != model.CodeTooLarge || !strings.Contains(err.Error(), row.want) {
			t.Errorf("archive with %d entries: got %v, want a refusal as too large with %q", len(row.entries)+1, err, row.want)
		}
		check(t, body.Close())
	}
}

// An archive waits for memory if its files are large, however small its own size is.
func TestArchive_that_unpacks_to_much_waits_for_memory(t *testing.T) {
	t.Parallel()
	a := &api{tempFolder: t.TempDir(), largeBodies: semaphore.Room{Size: 1}}
	read := func(ctx context.Context, unpacked int) (*spool, error) {
		var b bytes.Buffer
		out := zip.NewWriter(&b)
		file, err := out.Create("space/assets/a.bin")
		check(t, err)
		_, err = file.Write(make([]byte, unpacked))
		check(t, err)
		check(t, out.Close())
		spooled, err := a.spoolBody(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/spaces/a/apply", &b))
		check(t, err)
		_, err = a.readArchive(ctx, spooled)
		return spooled, err
	}
	large, err := read(t.Context(), largeBody+1)
	check(t, err)
	small, err := read(t.Context(), largeBody)
	check(t, err)
	check(t, small.Close())
	left, leave := context.WithCancel(t.Context())
	leave()
	waiting, err := read(left, largeBody+1)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a second large archive whose client has left: got %v, want it canceled", err)
	}
	check(t, waiting.Close())
	check(t, large.Close())
	next, err := read(t.Context(), largeBody+1)
	check(t, err)
	check(t, next.Close())
}

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
