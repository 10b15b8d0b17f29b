package disk

import (
	"compress/gzip"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"portico/storage"
	"portico/storage/storagetest"
)

// manifestText returns JSON like the manifest of a capture.
func manifestText() string {
	return `{"tree":[` + strings.Repeat(`{"bound":{"min":[0.125,0.25,0.5],"max":[1,2,3]}},`, 200) + `{}]}`
}

// store stores objects as a worker does.
func (s *testServer) store(t *testing.T, objects map[string]string) {
	t.Helper()
	batch := s.Batch()
	for key, content := range objects {
		if size, err := batch.Put(t.Context(), key, strings.NewReader(content)); err != nil || size != int64(len(content)) {
			t.Fatalf("put %s: got %d, %v, want %d", key, size, err, len(content))
		}
	}
	if err := errors.Join(batch.Commit(), batch.Close()); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// compressedForms returns the keys of the compressed forms in the folder.
func (s *testServer) compressedForms(t *testing.T) (keys []string) {
	t.Helper()
	root := filepath.Join(s.dir, compressedFolder)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			keys = append(keys, strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(root)+"/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return keys
}

func unzip(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatalf("body: %v", err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("body: %v", err)
	}
	return string(plain)
}

// storedManifest stores a manifest. It returns its object and its public address.
func (s *testServer) storedManifest(t *testing.T) (object storage.Object, address string) {
	t.Helper()
	s.store(t, map[string]string{"1/derived/x/lod-meta.json": manifestText()})
	object, err := s.Stat(t.Context(), "1/derived/x/lod-meta.json")
	if err != nil {
		t.Fatal(err)
	}
	return object, s.PublicURL(object.Key)
}

// TestGet_negotiates_the_compressed_form has a row for each kind of request.
func TestGet_negotiates_the_compressed_form(t *testing.T) {
	t.Parallel()
	s, manifest := newTestServer(t, nil), manifestText()
	object, address := s.storedManifest(t)
	zippedTag := strings.TrimSuffix(object.ETag, `"`) + `-gzip"`
	size := strconv.Itoa(len(manifest))
	for _, test := range []struct {
		name         string
		header       http.Header
		status       int
		zipped       bool
		length, body string
	}{
		{"a browser", http.Header{"Accept-Encoding": {"gzip, deflate, br, zstd"}}, 200, true, "", manifest},
		{"any encoding", http.Header{"Accept-Encoding": {"*"}}, 200, true, "", manifest},
		{"gzip last of many", http.Header{"Accept-Encoding": {strings.Repeat("br;q=0.1,", 2000) + "gzip"}}, 200, true, "", manifest},
		{"no encoding", http.Header{"Accept-Encoding": {"identity"}}, 200, false, size, manifest},
		{"gzip refused", http.Header{"Accept-Encoding": {"gzip;q=0, *"}}, 200, false, size, manifest},
		{"nonsense", http.Header{"Accept-Encoding": {";;q=,gzip/2,q=1,\t"}}, 200, false, size, manifest},
		{"its tag", http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {zippedTag}}, 304, false, "", ""},
		{"the other tag", http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {object.ETag}}, 200, true, "", manifest},
		{"the tag of the object", http.Header{"Accept-Encoding": {"identity"}, "If-None-Match": {object.ETag}}, 304, false, "", ""},
		{"a range", http.Header{"Accept-Encoding": {"gzip"}, "Range": {"bytes=2-5"}}, 206, false, "4", manifest[2:6]},
		{"a range of the other form", http.Header{
			"Accept-Encoding": {"gzip"}, "Range": {"bytes=2-5"}, "If-Range": {zippedTag},
		}, 200, false, size, manifest},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			res, body := storagetest.Send(t, method, address, test.header, nil)
			encoding, tag, length := "", object.ETag, test.length
			if test.zipped {
				encoding, tag = "gzip", zippedTag
			}
			if test.status == http.StatusNotModified {
				tag = test.header.Get("If-None-Match")
			}
			if test.zipped && method == http.MethodGet {
				length = strconv.Itoa(len(body))
				if len(body) > len(manifest)/10 {
					t.Errorf("%s: got %d bytes for %d, want them compressed", test.name, len(body), len(manifest))
				}
				body = unzip(t, body)
			} else if test.zipped {
				length = res.Header.Get("Content-Length") // compared by the GET before
			}
			want := test.body
			if method == http.MethodHead {
				want = ""
			}
			if res.StatusCode != test.status || body != want {
				t.Errorf("%s %s: got %d with %d bytes, want %d with %d", method, test.name, res.StatusCode, len(body), test.status, len(want))
			}
			checkHeaders(t, res.Header, map[string]string{
				"Content-Encoding": encoding, "Content-Length": length, "ETag": tag, "Vary": "Accept-Encoding",
			})
		}
	}
}

func TestGet_refuses_with_a_compressed_form(t *testing.T) {
	t.Parallel()
	_, address := newTestServer(t, nil).storedManifest(t)
	res, body := storagetest.Get(t, address, http.Header{"Accept-Encoding": {"gzip"}, "If-Match": {`"other"`}})
	checkRefusal(t, res, body, http.StatusPreconditionFailed)
	res, body = storagetest.Get(t, address, http.Header{"Accept-Encoding": {"gzip"}, "Range": {"bytes=999999-"}})
	checkRefusal(t, res, body, http.StatusRequestedRangeNotSatisfiable)
}

// The compressed form has no address and no key of its own.
func TestCompressed_forms_have_no_address(t *testing.T) {
	t.Parallel()
	s, manifest := newTestServer(t, nil), manifestText()
	s.store(t, map[string]string{"1/derived/x/lod-meta.json": manifest})
	if got := s.compressedForms(t); len(got) != 1 {
		t.Fatalf("compressed forms: got %q, want one", got)
	}
	base := strings.TrimSuffix(s.PublicURL("x"), "/x")
	for _, path := range []string{
		"/gzip/1/derived/x/lod-meta.json", "/../gzip/1/derived/x/lod-meta.json", "/%2e%2e/gzip/1/derived/x/lod-meta.json",
		"/1/../../gzip/1/derived/x/lod-meta.json", "/1%2f..%2f..%2fgzip/1/derived/x/lod-meta.json",
		"/1/derived/x/lod-meta.json.gz", "/1/derived/x/lod-meta.json-gzip", "/1/derived/x/..%5c..%5cgzip",
	} {
		res, body := storagetest.Get(t, base+path, http.Header{"Accept-Encoding": {"gzip"}})
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d %.60s, want 404", path, res.StatusCode, body)
		}
	}
	count := 0
	for object, err := range s.List(t.Context(), "") {
		if err != nil || object.Key != "1/derived/x/lod-meta.json" {
			t.Errorf("list: got %+v, %v", object, err)
		}
		count++
	}
	if count != 1 {
		t.Errorf("objects: got %d, want 1", count)
	}
}

// TestCompressed_forms_follow_their_objects checks which objects have a form, and that none
// outlives its object or is served for another.
func TestCompressed_forms_follow_their_objects(t *testing.T) {
	t.Parallel()
	s, manifest := newTestServer(t, nil), manifestText()
	random := make([]byte, 4<<10)
	_, _ = rand.Read(random) // never fails
	s.store(t, map[string]string{
		"1/a/meta.json": manifest, "1/a/c.voxel.bin": strings.Repeat("voxel", 1000), "1/b/meta.json": manifest, "1/c/meta.json": manifest,
		"1/a/small.json": `{"a":1}`, "1/a/random.bin": string(random), "1/a/tile.sog": strings.Repeat("x", 5000),
	})
	storagetest.Put(t, s, "1/d/client.json", manifest) // an original
	if got, want := strings.Join(s.compressedForms(t), " "), "1/a/c.voxel.bin 1/a/meta.json 1/b/meta.json 1/c/meta.json"; got != want {
		t.Errorf("compressed forms: got %q, want %q", got, want)
	}
	accepts := http.Header{"Accept-Encoding": {"gzip"}}
	storagetest.Put(t, s, "1/c/meta.json", "[1]"+manifest)
	if res, body := storagetest.Get(t, s.PublicURL("1/c/meta.json"), accepts); res.Header.Get("Content-Encoding") != "" || body != "[1]"+manifest {
		t.Errorf("a replaced object: got %v with %d bytes, want the new one as it is", res.Header, len(body))
	}
	s.store(t, map[string]string{"1/c/meta.json": "[2]" + manifest})
	if res, body := storagetest.Get(t, s.PublicURL("1/c/meta.json"), accepts); res.Header.Get("Content-Encoding") != "gzip" || unzip(t, body) != "[2]"+manifest {
		t.Errorf("an object replaced by a worker: got %v, want its form", res.Header)
	}
	if err := errors.Join(s.Delete(t.Context(), "1/b/meta.json"), s.DeletePrefix(t.Context(), "1/a")); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(s.compressedForms(t), " "), "1/c/meta.json"; got != want {
		t.Errorf("compressed forms after deletions: got %q, want %q", got, want)
	}
	if err := os.RemoveAll(filepath.Join(s.dir, compressedFolder)); err != nil {
		t.Fatal(err)
	}
	res, body := storagetest.Get(t, s.PublicURL("1/c/meta.json"), accepts)
	checkHeaders(t, res.Header, map[string]string{"Content-Encoding": "", "Vary": ""})
	if body != "[2]"+manifest {
		t.Errorf("an object of an older version: got %d bytes, want %d", len(body), len(manifest)+3)
	}
	if err := s.DeletePrefix(t.Context(), "1"); err != nil {
		t.Errorf("delete without compressed forms: got %v, want nil", err)
	}
}

// A batch that is given up, or whose source fails, leaves no compressed form.
func TestCompressed_forms_wait_for_Commit(t *testing.T) {
	t.Parallel()
	s, manifest := newTestServer(t, nil), manifestText()
	batch := s.Batch()
	if _, err := batch.Put(t.Context(), "1/a.json", strings.NewReader(manifest)); err != nil {
		t.Fatal(err)
	}
	broken := io.MultiReader(strings.NewReader(manifest), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := batch.Put(t.Context(), "1/b.json", broken); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an object: got %v, want %v", err, io.ErrUnexpectedEOF)
	}
	if err := batch.Close(); err != nil {
		t.Fatal(err)
	}
	if got, left := s.compressedForms(t), s.incomingFiles(t); len(got)+len(left) > 0 {
		t.Errorf("after Close: got %q and %q, want nothing", got, left)
	}
}
