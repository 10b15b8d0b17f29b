package tus_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// random returns n bytes that are the same in each run.
func random(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content) // never fails
	return content
}

// An upload arrives in pieces, one of which breaks off, and is confirmed like any other.
func TestUpload_arrives_in_pieces(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w world.World) {
		c := newClient(t, w, "ada")
		content := random(9<<20 + 321)
		address := create(c, "great hall.ply", len(content))
		if got := offset(c, address); got != 0 {
			t.Fatalf("offset of a new upload: got %d, want 0", got)
		}
		patch(c, address, 0, bytes.NewReader(content[:1000]), 1000).Want(204, nil)
		breakOff(t, c, address, 1000, content[1000:5000])
		at := offset(c, address)
		if at < 1000 || at > 5000 {
			t.Fatalf("offset after a broken request: got %d, want 1000 to 5000", at)
		}
		patch(c, address, 999, bytes.NewReader(content[999:]), len(content)-999).Want(409, nil)
		c.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(404, nil)
		got := patch(c, address, at, bytes.NewReader(content[at:]), -1)
		if got.Want(204, nil); got.Header.Get("Upload-Offset") != fmt.Sprint(len(content)) || got.Header.Get("Upload-Expires") == "" {
			t.Errorf("the last piece: got %v, want the offset and the expiry", got.Header)
		}
		var first, again struct{ URL string }
		c.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(200, &first)
		c.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(200, &again)
		if first.URL == "" || again != first {
			t.Errorf("a repeated confirmation: got %+v, want %+v", again, first)
		}
		file := c.Send("GET", first.URL, nil, http.NoBody, 0)
		if file.Status != 200 || !bytes.Equal(file.Body, content) {
			t.Errorf("the file: got %d and %d bytes, want 200 and the %d bytes that were sent", file.Status, len(file.Body), len(content))
		}
		if got := offset(c, address); got != len(content) {
			t.Errorf("offset of a confirmed upload: got %d, want its size", got)
		}
		patch(c, address, len(content), http.NoBody, 0).Want(204, nil)
		patch(c, address, 0, bytes.NewReader(content[:9]), 9).Want(409, nil)
		c.AwaitUsed(int64(len(content)))
	})
}

// breakOff sends a piece of a longer body and no more. It returns when the server has ended
// the request: until then, a HEAD may come before the piece.
func breakOff(t *testing.T, c *api.Client, address string, at int, piece []byte) {
	t.Helper()
	u, err := url.Parse(address)
	check(t, err)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host)
	check(t, err)
	fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"+
		"Content-Type: application/offset+octet-stream\r\nUpload-Offset: %d\r\nContent-Length: 1000000\r\n\r\n", u.Path, u.Host, c.Key, at)
	_, err = conn.Write(piece)
	check(t, err)
	check(t, conn.(*net.TCPConn).CloseWrite()) //nolint:forcetypeassert // the network is tcp
	_, err = io.Copy(io.Discard, conn)
	check(t, errors.Join(err, conn.Close()))
}

func TestUpload_refuses(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	ada, bob := newClient(t, w, "ada"), newClient(t, w, "bob")
	address := create(ada, "a.ply", 1000)
	patch(ada, address, 0, bytes.NewReader(make([]byte, 100)), 100).Want(204, nil)
	stranger, thief := *ada, *ada
	stranger.Key, thief.Key = "", strings.Repeat("x", len(ada.Key))
	body := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name, method, address string
		header                http.Header
		body                  string
		status                int
	}{
		{"a stranger", "PATCH", address, patchHeader(&stranger, 100), "x", 401},
		{"a stranger's HEAD", "HEAD", address, header(&stranger), "", 401},
		{"an unknown key", "PATCH", address, patchHeader(&thief, 100), "x", 401},
		{"another user", "PATCH", address, patchHeader(bob, 100), "x", 404},
		{"another user's HEAD", "HEAD", address, header(bob), "", 404},
		{"another user's DELETE", "DELETE", address, header(bob), "", 404},
		{"an unknown upload", "HEAD", address + "x", header(ada), "", 404},
		{"an upload with a NUL", "HEAD", address + "%00", header(ada), "", 404},
		{"a path below an upload", "HEAD", address + "/x", header(ada), "", 404},
		{"another method", "POST", address, header(ada), "x", 405},
		{"an override with another method", "POST", address, header(ada, "X-HTTP-Method-Override", "PUT"), "x", 405},
		{"a stranger's override", "POST", address, header(&stranger, "X-HTTP-Method-Override", "DELETE"), "", 401},
		{"another user's override", "POST", address, header(bob, "X-HTTP-Method-Override", "DELETE"), "", 404},
		{"a reading method", "GET", address, header(ada), "", 405},
		{"an offset too small", "PATCH", address, patchHeader(ada, 99), "x", 409},
		{"an offset too large", "PATCH", address, patchHeader(ada, 101), "x", 409},
		{"a negative offset", "PATCH", address, patchHeader(ada, -1), "x", 400},
		{"an offset over the size", "PATCH", address, patchHeader(ada, 1001), "x", 409},
		{"an offset over all numbers", "PATCH", address, header(ada, "Content-Type", "application/offset+octet-stream", "Upload-Offset", "99999999999999999999"), "x", 400},
		{"another type", "PATCH", address, header(ada, "Content-Type", "application/octet-stream", "Upload-Offset", "100"), "x", 415},
		{"no type", "PATCH", address, header(ada, "Upload-Offset", "100"), "x", 415},
		{"another version", "PATCH", address, header(ada, "Tus-Resumable", "0.2.2"), "x", 412},
		{"another version of HEAD", "HEAD", address, header(ada, "Tus-Resumable", "0.2.2"), "", 412},
		{"another length", "PATCH", address, withLength(patchHeader(ada, 100), "1001"), "x", 400},
		{"a length that is no number", "PATCH", address, withLength(patchHeader(ada, 100), "long"), "x", 400},
		{"a body over the size", "PATCH", address, patchHeader(ada, 100), body[:901], 413},
		{"a body over the size of the file", "PATCH", address, patchHeader(ada, 100), body, 413},
	} {
		got := ada.Send(tt.method, tt.address, tt.header, strings.NewReader(tt.body), int64(len(tt.body)))
		if got.Status != tt.status {
			t.Errorf("%s: got %d %s, want %d", tt.name, got.Status, got.Body, tt.status)
		}
		if version := got.Header.Get("Tus-Resumable"); version != "1.0.0" {
			t.Errorf("%s: got version %q, want 1.0.0", tt.name, version)
		}
		if versions := got.Header.Get("Tus-Version"); (versions == "1.0.0") != (tt.status == 412) {
			t.Errorf("%s: got versions %q", tt.name, versions)
		}
		if isEnvelope := bytes.HasPrefix(got.Body, []byte(`{"status":"error","message":"`)); isEnvelope != (tt.method != "HEAD") {
			t.Errorf("%s: got the body %s, want the envelope of the API", tt.name, got.Body)
		}
	}
	if got := offset(ada, address); got != 100 {
		t.Errorf("offset after all refusals: got %d, want 100", got)
	}
}

// withLength adds the header with the length of the whole upload.
func withLength(h http.Header, length string) http.Header {
	h.Set("Upload-Length", length)
	return h
}

// Some clients cannot send PATCH or DELETE, and older ones repeat the length with the last bytes.
func TestUpload_arrives_by_the_method_that_a_header_names(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada")
	address := create(c, "a.ply", 1000)
	send := func(method, override string, h http.Header, body string) api.Response {
		h.Set("X-HTTP-Method-Override", override)
		return c.Send(method, address, h, strings.NewReader(body), int64(len(body)))
	}
	half := strings.Repeat("x", 500)
	for _, offset := range []int{0, 500} {
		got := send("POST", "PATCH", withLength(patchHeader(c, offset), "1000"), half)
		if got.Want(204, nil); got.Header.Get("Upload-Offset") != strconv.Itoa(offset+500) {
			t.Errorf("PATCH at %d: got offset %s", offset, got.Header.Get("Upload-Offset"))
		}
	}
	if got := send("POST", "HEAD", header(c), ""); got.Status != 200 || got.Header.Get("Upload-Offset") != "1000" || len(got.Body) > 0 {
		t.Errorf("HEAD: got %d, %v, %q", got.Status, got.Header, got.Body)
	}
	patch(c, address, 1000, strings.NewReader("x"), 1).Want(413, nil)
	send("POST", "DELETE", header(c), "").Want(204, nil)
	if got := offset(c, address); got != -1 {
		t.Errorf("after DELETE: got offset %d, want none", got)
	}
}

// A length that overflows when it is added to the offset is a length over the size.
func TestUpload_refuses_a_huge_length(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada")
	address := create(c, "a.ply", 1000)
	patch(c, address, 0, bytes.NewReader(make([]byte, 100)), 100).Want(204, nil)
	u, err := url.Parse(address)
	check(t, err)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host)
	check(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"+
		"Content-Type: application/offset+octet-stream\r\nUpload-Offset: 100\r\nContent-Length: %d\r\n\r\n%s", u.Path, u.Host, c.Key, int64(math.MaxInt64), make([]byte, 5000))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	check(t, err)
	check(t, response.Body.Close())
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d, want 413", response.StatusCode)
	}
	// In chunks, a body has no length to refuse: no byte over the size is stored.
	if got := patch(c, address, 100, bytes.NewReader(make([]byte, 5000)), -1).Status; got != 204 && got != 413 {
		t.Errorf("a long body in chunks: got %d, want 204 or 413", got)
	}
	if got := offset(c, address); got > 1000 {
		t.Errorf("offset: got %d, want 1000 at most", got)
	}
}

// The same quotas, types and sizes hold as for a PUT.
func TestUpload_has_the_rules_of_a_PUT(t *testing.T) {
	t.Parallel()
	w := world.Start(t, "--max-file-size=90MB")
	c := newClient(t, w, "ada")
	for _, tt := range []struct {
		name   string
		size   int64
		status int
	}{{"a.exe", 1, 400}, {"a.ply", 0, 400}, {"a.ply", 90e6 + 1, 413}, {"a.ply", 60e6, 200}, {"a.ply", 60e6, 507}} {
		c.Call("POST", "/v1/files/upload", map[string]any{
			"file_name": tt.name, "file_size": tt.size, "content_type": "a/b", "resumable": true,
		}).Want(tt.status, nil)
	}
}

// A second PATCH is refused while one is under way. HEAD ends the first, because its client
// asks where to continue.
func TestUpload_has_one_sender(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada")
	address := create(c, "a.ply", 1000)
	partial := func() bool {
		files, err := filepath.Glob(filepath.Join(w.Config.DataDir, "files", "partial", "*"))
		check(t, err)
		if len(files) != 1 {
			return false
		}
		info, err := os.Stat(files[0])
		return err == nil && info.Size() == 300
	}
	finish := hang(t, c, address, make([]byte, 300), partial)
	patch(c, address, 0, bytes.NewReader(make([]byte, 10)), 10).Want(423, nil)
	patch(c, address, 300, bytes.NewReader(make([]byte, 10)), 10).Want(423, nil)
	if got := offset(c, address); got != 300 {
		t.Errorf("offset: got %d, want the 300 bytes of the request that it interrupted", got)
	}
	patch(c, address, 300, bytes.NewReader(make([]byte, 700)), 700).Want(204, nil)
	if got := finish(); got == 204 {
		t.Error("the interrupted request: got 204, want it to fail")
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(200, nil)
}

// A key that is revoked sends nothing more.
func TestUpload_ends_with_the_key(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada")
	address := create(c, "a.ply", 1000)
	caller, err := w.Keys.Caller(t.Context(), c.Key)
	check(t, err)
	check(t, w.Keys.RevokeOwn(t.Context(), caller))
	patch(c, address, 0, bytes.NewReader(make([]byte, 10)), 10).Want(401, nil)
}

// An upload that is discarded frees its storage, and nothing of it stays.
func TestUpload_is_discarded(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w world.World) {
		c := newClient(t, w, "ada")
		for _, discard := range []func(address string){
			func(address string) { c.Send("DELETE", address, header(c), http.NoBody, 0).Want(204, nil) },
			func(address string) {
				c.Call("POST", "/v1/files/upload-complete", map[string]any{
					"status": "failed", "extra_info": map[string]string{"file_url": address},
				}).Want(200, nil)
			},
		} {
			address := create(c, "a.ply", 90e6) // of the quota of 100 MB
			patch(c, address, 0, bytes.NewReader(make([]byte, 100)), 100).Want(204, nil)
			discard(address)
			if got := offset(c, address); got != -1 {
				t.Errorf("offset: got %d, want 404", got)
			}
			patch(c, address, 100, bytes.NewReader(make([]byte, 100)), 100).Want(404, nil)
			c.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(404, nil)
		}
		storage, err := w.DB.Accounts().Storage(t.Context(), c.ID)
		check(t, err)
		if storage.Used != 0 || storage.Reserved != 0 {
			t.Errorf("storage: got %+v, want none used", storage)
		}
	})
}

// A client learns what the server can do, and scripts of other sites may send.
func TestUpload_describes_itself(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada")
	got := c.Send("OPTIONS", w.BaseURL()+"/uploads/x", http.Header{"Origin": {"https://elsewhere.example"}}, http.NoBody, 0)
	for name, want := range map[string]string{
		"Tus-Version": "1.0.0", "Tus-Extension": "termination,expiration", "Access-Control-Allow-Origin": "*",
		"Access-Control-Allow-Methods": "HEAD, PATCH, DELETE, OPTIONS", "Tus-Max-Size": strconv.FormatInt(int64(w.Config.MaxFileSize), 10),
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, got.Header.Get(name), want)
		}
	}
	var created model.UploadParams
	check(t, c.GraphQL(`mutation { createUpload(input: {fileName: "a.ply", fileSize: 9, contentType: "a/b", resumable: true}) { upload { url } } }`, nil, &created))
	if got := offset(c, created.URL); got != 0 {
		t.Errorf("offset of an upload of GraphQL: got %d, want 0", got)
	}
}
