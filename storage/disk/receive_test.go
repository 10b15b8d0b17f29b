package disk

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"portico/storage"
	"portico/storage/storagetest"
)

// presignUpload presigns an upload of 4 bytes that has not expired.
func (s *testServer) presignUpload(t *testing.T, key string) storage.Presigned {
	t.Helper()
	return storagetest.Presign(t, s, storage.Upload{Key: key, ContentType: "model/gltf-binary", Size: 4, Expires: s.now.Add(time.Minute)})
}

// hideLength hides the length of a body, so that it is sent in chunks.
func hideLength(body string) io.Reader { return iotest.OneByteReader(strings.NewReader(body)) }

// rewrite changes one value of the query.
func rewrite(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

func TestPut_receives_what_was_declared(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	for name, body := range map[string]io.Reader{"sized": strings.NewReader("glTF"), "chunked": hideLength("glTF")} {
		key := "1/" + name + ".glb"
		res := storagetest.Upload(t, s.presignUpload(t, key), body)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d, want 200", name, res.StatusCode)
		}
		checkHeaders(t, res.Header, map[string]string{"Content-Length": "0", "Access-Control-Allow-Origin": "*"})
		if got := storagetest.Content(t, s, key); got != "glTF" {
			t.Errorf("%s: content = %q, want %q", name, got, "glTF")
		}
		res, _ = storagetest.Get(t, s.url+"/files/"+key, nil)
		checkHeaders(t, res.Header, map[string]string{"Content-Type": "model/gltf-binary"})
	}
	empty := storagetest.Presign(t, s, storage.Upload{Key: "1/empty.bin", ContentType: "a/b", Expires: s.now.Add(time.Minute)})
	if res := storagetest.Upload(t, empty, http.NoBody); res.StatusCode != http.StatusOK {
		t.Errorf("empty: got %d, want 200", res.StatusCode)
	}
	if got := s.incomingFiles(t); len(got) != 0 {
		t.Errorf("incoming = %q, want nothing", got)
	}
}

func TestPut_refuses_everything_else(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	good := s.presignUpload(t, "1/a.glb")
	const glb = "model/gltf-binary"
	unsigned := errNotSigned.Message
	expires := strconv.FormatInt(s.now.Add(time.Hour).Unix(), 10)
	other := s.presignUpload(t, "1/b.glb")
	expired := storagetest.Presign(t, s, storage.Upload{Key: "1/a.glb", ContentType: glb, Size: 4, Expires: s.now})
	otherBase, otherQuery, _ := strings.Cut(other.URL, "?")
	base, query, _ := strings.Cut(good.URL, "?")
	tests := []struct {
		name, url, contentType string
		body                   io.Reader
		message                string
	}{
		{"no signature", base, glb, strings.NewReader("glTF"), unsigned},
		{"empty signature", rewrite(t, good.URL, "signature", ""), glb, strings.NewReader("glTF"), unsigned},
		{"another signature", base + "?" + otherQuery, glb, strings.NewReader("glTF"), unsigned},
		{"another key", otherBase + "?" + query, glb, strings.NewReader("glTF"), unsigned},
		{"key below", base + "/b?" + query, glb, strings.NewReader("glTF"), unsigned},
		{"escaped slash", strings.Replace(good.URL, "1/a", "1%2Fa", 1), glb, strings.NewReader("glTF"), unsigned},
		{"doubled slash", strings.Replace(good.URL, "1/a", "1//a", 1), glb, strings.NewReader("glTF"), unsigned},
		{"key outside", s.url + "/files/%2e%2e/a.glb?" + query, glb, strings.NewReader("glTF"), unsigned},
		{"no key", s.url + "/files/?" + query, glb, strings.NewReader("glTF"), unsigned},
		{"later expiry", rewrite(t, good.URL, "expires", expires), glb, strings.NewReader("glTF"), unsigned},
		{"another size", rewrite(t, good.URL, "size", "5"), glb, strings.NewReader("glTF5"), unsigned},
		{"another type", good.URL, "text/html", strings.NewReader("glTF"), unsigned},
		{"type with more", good.URL, "model/gltf-binary; charset=utf-8", strings.NewReader("glTF"), unsigned},
		{"no type", good.URL, "", strings.NewReader("glTF"), unsigned},
		{"shorter", good.URL, glb, strings.NewReader("glT"), errWrongSize.Message},
		{"longer", good.URL, glb, strings.NewReader("glTF5"), errWrongSize.Message},
		{"empty", good.URL, glb, http.NoBody, errWrongSize.Message},
		{"shorter in chunks", good.URL, glb, hideLength("glT"), errWrongSize.Message},
		{"longer in chunks", good.URL, glb, hideLength("glTF5"), errWrongSize.Message},
		{"expired", expired.URL, glb, strings.NewReader("glTF"), errExpired.Message},
	}
	for _, tt := range tests {
		header := http.Header{"Content-Type": {tt.contentType}}
		res, body := storagetest.Send(t, http.MethodPut, tt.url, header, tt.body)
		checkRefusal(t, res, body, http.StatusForbidden)
		if !strings.Contains(body, tt.message) {
			t.Errorf("%s: body = %s, want %q", tt.name, body, tt.message)
		}
	}
	if kept, incoming := storagetest.Keys(t, s, ""), s.incomingFiles(t); len(kept)+len(incoming) != 0 {
		t.Errorf("kept %q and %q, want nothing", kept, incoming)
	}
}

// A request with a wrong length is refused before its body is read.
func TestPut_refuses_a_wrong_length_at_once(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	p := s.presignUpload(t, "1/a.glb")
	r := httptest.NewRequest(p.Method, p.URL, iotest.ErrReader(errors.New("the body was read")))
	r.Header.Set("Content-Type", p.Headers["Content-Type"])
	r.ContentLength = 5
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	checkRefusal(t, w.Result(), w.Body.String(), http.StatusForbidden)
}

func TestPut_may_repeat_the_same_bytes(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	p := s.presignUpload(t, "1/a.glb")
	first := storagetest.Upload(t, p, strings.NewReader("glTF"))
	second := storagetest.Upload(t, p, strings.NewReader("glTF"))
	if second.StatusCode != http.StatusOK || second.Header.Get("ETag") != first.Header.Get("ETag") {
		t.Errorf("same bytes: got %d %s, want 200 %s", second.StatusCode, second.Header.Get("ETag"), first.Header.Get("ETag"))
	}
	header := http.Header{"Content-Type": {"model/gltf-binary"}}
	res, body := storagetest.Send(t, http.MethodPut, p.URL, header, strings.NewReader("evil"))
	checkRefusal(t, res, body, http.StatusConflict)
	longer := storagetest.Presign(t, s, storage.Upload{Key: "1/a.glb", ContentType: "model/gltf-binary", Size: 5, Expires: s.now.Add(time.Minute)})
	res, body = storagetest.Send(t, http.MethodPut, longer.URL, header, strings.NewReader("glTF5"))
	checkRefusal(t, res, body, http.StatusConflict)
	storagetest.Put(t, s, "1/folder/b.glb", "b")
	res, body = storagetest.Send(t, http.MethodPut, s.presignUpload(t, "1/folder").URL, header, strings.NewReader("glTF"))
	checkRefusal(t, res, body, http.StatusConflict)
	if got := storagetest.Content(t, s, "1/a.glb"); got != "glTF" {
		t.Errorf("content = %q, want %q", got, "glTF")
	}
}

func TestConcurrent_Put_keeps_one_whole_file(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	const size = 300_000
	p := storagetest.Presign(t, s, storage.Upload{Key: "1/a.glb", ContentType: "a/b", Size: size, Expires: s.now.Add(time.Minute)})
	statuses := make([]int, 8)
	var sending sync.WaitGroup
	for i := range statuses {
		sending.Go(func() {
			body := strings.Repeat(strconv.Itoa(i/2), size)
			statuses[i] = storagetest.Upload(t, p, strings.NewReader(body)).StatusCode
		})
	}
	sending.Wait()
	got := storagetest.Content(t, s, "1/a.glb")
	if want := strings.Repeat(got[:1], size); got != want {
		t.Fatalf("content is %d bytes of several uploads", len(got))
	}
	for i, status := range statuses {
		want := http.StatusConflict
		if strconv.Itoa(i/2) == got[:1] {
			want = http.StatusOK
		}
		if status != want {
			t.Errorf("upload %d: got %d, want %d (%q won)", i, status, want, got[:1])
		}
	}
}

func TestPut_that_breaks_off_leaves_nothing(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) { o.StallTimeout = 20 * time.Millisecond })
	p := s.presignUpload(t, "1/a.glb")
	stalled, w := io.Pipe()
	defer w.Close()
	header := http.Header{"Content-Type": {"model/gltf-binary"}}
	res, body := storagetest.Send(t, http.MethodPut, p.URL, header, io.MultiReader(strings.NewReader("gl"), stalled))
	checkRefusal(t, res, body, http.StatusRequestTimeout)

	r := httptest.NewRequest(p.Method, p.URL, io.MultiReader(strings.NewReader("gl"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	r.Header.Set("Content-Type", p.Headers["Content-Type"])
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	checkRefusal(t, recorder.Result(), recorder.Body.String(), http.StatusBadRequest)

	if kept, incoming := storagetest.Keys(t, s, ""), s.incomingFiles(t); len(kept)+len(incoming) != 0 {
		t.Errorf("kept %q and %q, want nothing", kept, incoming)
	}
	// Again with enough time, even on a slow machine.
	s.Store = openStore(t, s.options())
	if res := storagetest.Upload(t, p, strings.NewReader("glTF")); res.StatusCode != http.StatusOK {
		t.Errorf("another try: got %d, want 200", res.StatusCode)
	}
}

func TestLogs_hold_no_signature(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	p := s.presignUpload(t, "1/a.glb")
	storagetest.Upload(t, p, strings.NewReader("glTF"))
	storagetest.Upload(t, p, strings.NewReader("evil"))
	storagetest.Upload(t, p, strings.NewReader("longer"))
	storagetest.Upload(t, storage.Presigned{URL: p.URL, Method: http.MethodPost}, nil)
	log := s.log.String()
	if !strings.Contains(log, "1/a.glb") || !strings.Contains(log, "status=409") {
		t.Errorf("log = %s, want the refusals", log)
	}
	if u, err := url.Parse(p.URL); err != nil || strings.Contains(log, u.Query().Get("signature")) {
		t.Errorf("log = %s, %v, want no signature", log, err)
	}
}

// zeros is an endless body.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// putZeros receives an upload of size zeros, without a network between.
func (s *testServer) putZeros(tb testing.TB, key string, size int64) {
	tb.Helper()
	p, err := s.PresignPut(tb.Context(), storage.Upload{Key: key, ContentType: "a/b", Size: size, Expires: s.now.Add(time.Hour)})
	if err != nil {
		tb.Fatal(err)
	}
	r := httptest.NewRequest(p.Method, p.URL, io.LimitReader(zeros{}, size))
	r.Header.Set("Content-Type", "a/b")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		tb.Fatalf("PUT: got %d %s, want 200", w.Code, w.Body)
	}
}

// Not parallel: it counts what the whole process allocates.
func TestPut_of_a_big_file_takes_little_memory(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	s := newTestServer(t, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.putZeros(t, "1/big.bin", 64<<20)
	s.putZeros(t, "1/big.bin", 64<<20)
	runtime.ReadMemStats(&after)
	if got, want := after.TotalAlloc-before.TotalAlloc, uint64(4<<20); got > want {
		t.Errorf("two uploads of 64 MiB allocate %d bytes, want at most %d", got, want)
	}
}

func TestEqual_compares_whole_streams(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	half := bytes.Repeat([]byte("x"), copyBuffer/2)
	tests := []struct {
		name string
		a, b []byte
		want bool
	}{
		{"nothing", nil, nil, true},
		{"one buffer", half, half, true},
		{"more than a buffer", append(half, 'a'), append(half, 'a'), true},
		{"different end", append(half, 'a'), append(half, 'b'), false},
		{"prefix at a buffer's end", half, append(half, 'a'), false},
		{"nothing and something", nil, half, false},
	}
	for _, tt := range tests {
		if got, err := s.equal(bytes.NewReader(tt.a), bytes.NewReader(tt.b)); got != tt.want || err != nil {
			t.Errorf("%s: equal = %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	broken := errors.New("broken disk")
	if _, err := s.equal(iotest.ErrReader(broken), bytes.NewReader(nil)); !errors.Is(err, broken) {
		t.Errorf("equal of a broken reader: got %v, want its error", err)
	}
}
