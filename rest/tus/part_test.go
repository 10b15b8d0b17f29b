package tus_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
)

type divided struct {
	URL   string
	Parts []struct {
		URL          string
		Offset, Size int
	}
}

// createParts creates an upload that is sent in parts.
func createParts(c *api.Client, size, parts int) divided {
	c.T.Helper()
	var upload struct{ Params divided }
	c.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": "great hall.ply", "file_size": size, "content_type": "a/b", "resumable": true, "parts": parts,
	}).Want(200, &upload)
	return upload.Params
}

// The parts of an upload arrive at the same time, one of them in two pieces, and become one file.
func TestUpload_arrives_in_parts(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w world.World) {
		c := newClient(t, w, "ada")
		content := random(41<<20 + 321)
		upload := createParts(c, len(content), 4)
		if len(upload.Parts) != 3 {
			t.Fatalf("got %+v, want 3 parts of at most 16 MiB", upload)
		}
		for i, part := range upload.Parts {
			head := c.Send("HEAD", part.URL, header(c), http.NoBody, 0)
			if got, want := head.Header.Get("Upload-Length"), fmt.Sprint(part.Size); got != want || head.Header.Get("Upload-Concat") != "partial" {
				t.Errorf("part %d: got %v, want a partial upload of %s bytes", i+1, head.Header, want)
			}
		}
		var sending sync.WaitGroup
		for _, part := range upload.Parts {
			sending.Go(func() {
				own := content[part.Offset:][:part.Size]
				patch(c, part.URL, 0, bytes.NewReader(own[:1000]), 1000).Want(204, nil)
				patch(c, part.URL, 1000, bytes.NewReader(own[1000:part.Size-9]), -1).Want(204, nil)
			})
		}
		sending.Wait()
		checkUnfinished(t, c, upload)
		for _, part := range upload.Parts {
			patch(c, part.URL, part.Size-9, bytes.NewReader(content[part.Offset+part.Size-9:][:9]), 9).Want(204, nil)
		}
		var first, again struct{ URL string }
		c.Call("POST", "/v1/files/upload-complete", api.Completion(upload.URL)).Want(200, &first)
		c.Call("POST", "/v1/files/upload-complete", api.Completion(upload.URL)).Want(200, &again)
		if first.URL == "" || again != first {
			t.Errorf("a repeated confirmation: got %+v, want %+v", again, first)
		}
		file := c.Send("GET", first.URL, nil, http.NoBody, 0)
		if file.Status != 200 || !bytes.Equal(file.Body, content) {
			t.Errorf("the file: got %d and %d bytes, want 200 and the bytes that were sent", file.Status, len(file.Body))
		}
		for _, address := range []string{upload.URL, upload.Parts[0].URL} {
			if got := offset(c, address); got < upload.Parts[0].Size {
				t.Errorf("offset of a confirmed upload: got %d, want its size", got)
			}
		}
		c.AwaitUsed(int64(len(content))) // once, whatever the number of parts
	})
}

// checkUnfinished checks what an upload refuses before all of its parts are there.
func checkUnfinished(t *testing.T, c *api.Client, upload divided) {
	t.Helper()
	head := c.Send("HEAD", upload.URL, header(c), http.NoBody, 0)
	want := "final;" + upload.Parts[0].URL + " " + upload.Parts[1].URL + " " + upload.Parts[2].URL
	if got := head.Header.Get("Upload-Concat"); got != want || head.Header.Get("Upload-Offset") != "" {
		t.Errorf("the whole: got %v, want %s and no offset", head.Header, want)
	}
	patch(c, upload.URL, 0, strings.NewReader("x"), 1).Want(403, nil)
	c.Call("POST", "/v1/files/upload-complete", api.Completion(upload.URL)).Want(404, nil)
	c.Call("POST", "/v1/files/upload-complete", api.Completion(upload.Parts[0].URL)).Want(404, nil)
}

func TestUpload_in_parts_refuses(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	ada, bob := newClient(t, w, "ada"), newClient(t, w, "bob")
	upload := createParts(ada, 20<<20, 2)
	part := upload.Parts[1]
	patch(ada, part.URL, 0, bytes.NewReader(make([]byte, 100)), 100).Want(204, nil)
	for _, tt := range []struct {
		name, method, address string
		header                http.Header
		body                  int
		status                int
	}{
		{"another user", "PATCH", part.URL, patchHeader(bob, 100), 1, 404},
		{"another user's HEAD", "HEAD", part.URL, header(bob), 0, 404},
		{"part 0", "HEAD", upload.URL + ".0", header(ada), 0, 404},
		{"a part behind the last", "HEAD", upload.URL + ".3", header(ada), 0, 404},
		{"a part with another name", "HEAD", upload.URL + ".02", header(ada), 0, 404},
		{"a part of a part", "HEAD", part.URL + ".1", header(ada), 0, 404},
		{"an end of a part alone", "DELETE", part.URL, header(ada), 0, 405},
		{"another offset", "PATCH", part.URL, patchHeader(ada, 99), 1, 409},
		{"a body over the size of the part", "PATCH", part.URL, patchHeader(ada, 100), part.Size, 413},
		{"a body over the size of the file", "PATCH", part.URL, patchHeader(ada, 100), 21 << 20, 413},
		{"a final upload of the client's own", "POST", strings.TrimSuffix(upload.URL, "/"), header(ada, "Upload-Concat", "final;"+part.URL+" "+part.URL), 0, 405},
	} {
		got := ada.Send(tt.method, tt.address, tt.header, bytes.NewReader(make([]byte, tt.body)), int64(tt.body))
		if got.Status != tt.status {
			t.Errorf("%s: got %d %s, want %d", tt.name, got.Status, got.Body, tt.status)
		}
	}
	// In chunks, a body has no length to refuse: no byte over the size is stored.
	patch(ada, part.URL, 100, bytes.NewReader(make([]byte, part.Size)), -1)
	if got := offset(ada, part.URL); got > part.Size {
		t.Errorf("offset: got %d, want %d at most", got, part.Size)
	}
	if got := offset(ada, upload.Parts[0].URL); got != 0 {
		t.Errorf("offset of the other part: got %d, want 0", got)
	}
	for _, body := range []map[string]any{{"resumable": true, "parts": 9}, {"resumable": true, "parts": -1}, {"parts": 2}} {
		body["file_name"], body["file_size"], body["content_type"] = "a.ply", 20<<20, "a/b"
		if got := ada.Call("POST", "/v1/files/upload", body); got.Status != 400 || !bytes.Contains(got.Body, []byte("parts")) {
			t.Errorf("%v: got %d %s, want 400 that names parts", body, got.Status, got.Body)
		}
	}
	if plain := createParts(ada, 8<<20, 4); len(plain.Parts) != 0 {
		t.Errorf("a small file: got %+v, want no parts", plain)
	}
}

// One request at a time sends bytes of a part, and the other parts do not wait for it.
func TestUpload_has_a_sender_for_each_part(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada")
	upload := createParts(c, 20<<20, 2)
	partial := func() bool {
		files, err := filepath.Glob(filepath.Join(w.Config.DataDir, "files", "partial", "*.parts", "0"))
		check(t, err)
		return len(files) == 1
	}
	finish := hang(t, c, upload.Parts[0].URL, make([]byte, 300), partial)
	patch(c, upload.Parts[0].URL, 0, bytes.NewReader(make([]byte, 10)), 10).Want(423, nil)
	patch(c, upload.Parts[1].URL, 0, bytes.NewReader(make([]byte, 10)), 10).Want(204, nil)
	if got := offset(c, upload.Parts[0].URL); got != 300 {
		t.Errorf("offset: got %d, want the 300 bytes of the request that it interrupted", got)
	}
	if got := finish(); got == 204 {
		t.Error("the interrupted request: got 204, want it to fail")
	}
}

// An upload that is discarded leaves no part in the store, and frees its storage.
func TestUpload_in_parts_is_discarded(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w world.World) {
		c := newClient(t, w, "ada")
		upload := createParts(c, 90e6, 4) // of the quota of 100 MB
		c.Call("POST", "/v1/files/upload", map[string]any{
			"file_name": "a.ply", "file_size": 20 << 20, "content_type": "a/b", "resumable": true, "parts": 2,
		}).Want(507, nil)
		for _, part := range upload.Parts {
			patch(c, part.URL, 0, bytes.NewReader(make([]byte, 100)), 100).Want(204, nil)
		}
		c.Send("DELETE", upload.URL, header(c), http.NoBody, 0).Want(204, nil)
		for _, part := range upload.Parts {
			if got := offset(c, part.URL); got != -1 {
				t.Errorf("offset: got %d, want 404", got)
			}
			patch(c, part.URL, 100, bytes.NewReader(make([]byte, 100)), 100).Want(404, nil)
		}
		storage, err := w.DB.Accounts().Storage(t.Context(), c.ID)
		check(t, err)
		if storage.Used != 0 || storage.Reserved != 0 {
			t.Errorf("storage: got %+v, want none used", storage)
		}
		if left, err := os.ReadDir(filepath.Join(w.Config.DataDir, "files", "partial")); err == nil && len(left) > 0 {
			t.Errorf("left over: got %v, want nothing", left)
		}
	})
}
