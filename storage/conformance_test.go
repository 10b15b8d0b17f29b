package storage

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDiskConforms runs the suite on the store in a folder.
func TestDiskConforms(t *testing.T) {
	t.Parallel()
	conformance(t, func(t *testing.T) Store {
		t.Helper()
		return newTestServer(t, func(o *DiskOptions) { o.Now = time.Now })
	})
}

// conformance is what every Store must pass. open returns an empty store whose
// presigned and public addresses can be reached.
func conformance(t *testing.T, open func(t *testing.T) Store) {
	tests := map[string]func(t *testing.T, s Store){
		"put and read":             testPutAndRead,
		"put replaces":             testPutReplaces,
		"put is whole or nothing":  testPutIsWholeOrNothing,
		"read stays as opened":     testReadStaysAsOpened,
		"read ends with context":   testReadEndsWithContext,
		"zip by random access":     testZipByRandomAccess,
		"missing":                  testMissing,
		"invalid keys":             testInvalidKeys,
		"delete":                   testDelete,
		"delete prefix":            testDeletePrefix,
		"list":                     testList,
		"list stops":               testListStops,
		"addresses":                testAddresses,
		"any script":               testAnyScript,
		"presigned upload":         testPresignedUpload,
		"presigned upload refused": testPresignedUploadRefused,
		"presign refuses":          testPresignRefuses,
		"inert types":              testInertTypes,
		"ping":                     testPing,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func testPutAndRead(t *testing.T, s Store) {
	const key = "12345678/api_uploads/k3_räum 100% #1?.glb"
	before := time.Now()
	put(t, s, key, "glTF")
	object, err := s.Stat(t.Context(), key)
	if err != nil {
		t.Fatalf("Stat: %v", err)
	}
	if object.Key != key || object.Size != 4 || object.ContentType != "model/gltf-binary" {
		t.Errorf("Stat = %+v, want the key, size 4, model/gltf-binary", object)
	}
	if !strings.HasPrefix(object.ETag, `"`) || len(object.ETag) < 4 {
		t.Errorf("ETag = %s, want a strong one in quotes", object.ETag)
	}
	if age := object.ModifiedAt.Sub(before).Abs(); age > time.Minute || object.ModifiedAt.Location() != time.UTC {
		t.Errorf("ModifiedAt = %v, want about %v in UTC", object.ModifiedAt, before)
	}
	if got := content(t, s, key); got != "glTF" {
		t.Errorf("content = %q, want %q", got, "glTF")
	}
	put(t, s, "12345678/empty.bin", "")
	if got := content(t, s, "12345678/empty.bin"); got != "" {
		t.Errorf("content = %q, want nothing", got)
	}
}

func testPutReplaces(t *testing.T, s Store) {
	put(t, s, "1/a.json", "before")
	put(t, s, "1/a.json", "after")
	if got, want := content(t, s, "1/a.json"), "after"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
}

// failingReader gives some bytes and then runs its end.
type failingReader struct {
	bytes io.Reader
	end   func() error
}

func (r failingReader) Read(p []byte) (int, error) {
	if n, err := r.bytes.Read(p); err == nil {
		return n, nil
	}
	return 0, r.end()
}

func testPutIsWholeOrNothing(t *testing.T, s Store) {
	errSource := errors.New("source is gone")
	put(t, s, "1/old.bin", "old")
	for _, key := range []string{"1/old.bin", "1/new.bin"} {
		_, err := s.Put(t.Context(), key, failingReader{strings.NewReader("half"), func() error { return errSource }})
		if !errors.Is(err, errSource) {
			t.Errorf("Put(%q): got %v, want the reader's error", key, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = s.Put(ctx, key, failingReader{strings.NewReader("half"), func() error { cancel(); return io.EOF }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Put(%q) when cancelled: got %v, want context.Canceled", key, err)
		}
	}
	if got, want := content(t, s, "1/old.bin"), "old"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
	if got, want := keys(t, s, ""), []string{"1/old.bin"}; !slices.Equal(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
}

func testReadStaysAsOpened(t *testing.T, s Store) {
	put(t, s, "1/a.bin", "before")
	r, size, err := s.OpenReaderAt(t.Context(), "1/a.bin")
	if err != nil {
		t.Fatalf("OpenReaderAt: %v", err)
	}
	defer r.Close()
	put(t, s, "1/a.bin", "after!")
	got := make([]byte, 3)
	n, err := r.ReadAt(got, 3)
	// A store that cannot keep the old bytes must refuse to mix in new ones.
	if err == nil && (string(got[:n]) != "ore" || size != 6) {
		t.Errorf("ReadAt = %q of %d, want %q of 6 or an error", got[:n], size, "ore")
	}
}

func testReadEndsWithContext(t *testing.T, s Store) {
	put(t, s, "1/a.bin", "bytes")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Open(ctx, "1/a.bin")
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer r.Close()
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("read after cancel: got %v, want context.Canceled", err)
	}
}

func testZipByRandomAccess(t *testing.T, s Store) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("data/0.sog")
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, w, "tile")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, s, "1/room.zip", archive.String())
	r, size, err := s.OpenReaderAt(t.Context(), "1/room.zip")
	if err != nil {
		t.Fatalf("OpenReaderAt: %v", err)
	}
	defer r.Close()
	files, err := zip.NewReader(r, size)
	if err != nil {
		t.Fatalf("zip.NewReader: %v", err)
	}
	tile, err := files.Open("data/0.sog")
	if err != nil {
		t.Fatalf("open entry: %v", err)
	}
	if got, err := io.ReadAll(tile); string(got) != "tile" || err != nil {
		t.Errorf("entry = %q, %v, want %q", got, err, "tile")
	}
}

// calls are the methods that take one key.
func calls(ctx context.Context, s Store) map[string]func(key string) error {
	return map[string]func(key string) error{
		"Stat":         func(key string) error { _, err := s.Stat(ctx, key); return err },
		"Open":         func(key string) error { _, err := s.Open(ctx, key); return err },
		"OpenReaderAt": func(key string) error { _, _, err := s.OpenReaderAt(ctx, key); return err },
		"Put":          func(key string) error { _, err := s.Put(ctx, key, strings.NewReader("")); return err },
		"Delete":       func(key string) error { return s.Delete(ctx, key) },
		"DeletePrefix": func(key string) error { return s.DeletePrefix(ctx, key) },
		"PresignPut":   func(key string) error { _, err := s.PresignPut(ctx, Upload{Key: key, ContentType: "a/b"}); return err },
	}
}

func testMissing(t *testing.T, s Store) {
	put(t, s, "1/folder/a.ply", "a")
	for name, call := range calls(t.Context(), s) {
		for _, key := range []string{"2", "1/b.ply", "1/folder", "1/folder/a.ply/b", "1/folder/a"} {
			var want error
			switch name {
			case "Put", "PresignPut", "DeletePrefix":
				continue
			case "Delete":
			default:
				want = ErrNotFound
			}
			if err := call(key); !errors.Is(err, want) {
				t.Errorf("%s(%q): got %v, want %v", name, key, err, want)
			}
		}
	}
	if got, want := content(t, s, "1/folder/a.ply"), "a"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
}

func testInvalidKeys(t *testing.T, s Store) {
	for name, call := range calls(t.Context(), s) {
		for _, key := range []string{"", "/a", "..", "a/../b", "a//b", "a\\b", "a\x00b", "a/.", strings.Repeat("a", 256)} {
			if err := call(key); !errors.Is(err, ErrInvalidKey) {
				t.Errorf("%s(%q): got %v, want ErrInvalidKey", name, key, err)
			}
		}
	}
	for _, err := range s.List(t.Context(), "../a") {
		if !errors.Is(err, ErrInvalidKey) {
			t.Errorf("List: got %v, want ErrInvalidKey", err)
		}
	}
	if err := s.DeletePrefix(t.Context(), "/"); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("DeletePrefix of everything: got %v, want ErrInvalidKey", err)
	}
}

func testDelete(t *testing.T, s Store) {
	put(t, s, "1/a.ply", "a")
	put(t, s, "1/b.ply", "b")
	for range 2 {
		if err := s.Delete(t.Context(), "1/a.ply"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if got, want := keys(t, s, ""), []string{"1/b.ply"}; !slices.Equal(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
}

func testDeletePrefix(t *testing.T, s Store) {
	for _, key := range []string{"1/room.zip", "1/room/0.sog", "1/room/data/1.sog", "1/rooms/2.sog", "2/room/3.sog"} {
		put(t, s, key, key)
	}
	for _, prefix := range []string{"1/room", "1/room", "1/rooms/", "1/room.zip", "1/ro", "3"} {
		if err := s.DeletePrefix(t.Context(), prefix); err != nil {
			t.Errorf("DeletePrefix(%q): %v", prefix, err)
		}
	}
	if got, want := keys(t, s, ""), []string{"1/room.zip", "2/room/3.sog"}; !slices.Equal(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
}

// keys lists the keys below a prefix.
func keys(t *testing.T, s Store, prefix string) []string {
	t.Helper()
	var found []string
	for object, err := range s.List(t.Context(), prefix) {
		if err != nil {
			t.Fatalf("List(%q): %v", prefix, err)
		}
		found = append(found, object.Key)
	}
	return found
}

func testList(t *testing.T, s Store) {
	for _, key := range []string{"1/b/2.sog", "1/b/10.sog", "1/b.zip", "1/b-c/0.sog", "1/a.ply", "2/a.ply"} {
		put(t, s, key, key)
	}
	tests := []struct {
		prefix string
		want   []string
	}{
		{"", []string{"1/a.ply", "1/b-c/0.sog", "1/b.zip", "1/b/10.sog", "1/b/2.sog", "2/a.ply"}},
		{"1/b", []string{"1/b/10.sog", "1/b/2.sog"}},
		{"1/b/", []string{"1/b/10.sog", "1/b/2.sog"}},
		{"1/b.zip", nil},
		{"3", nil},
	}
	for _, tt := range tests {
		if got := keys(t, s, tt.prefix); !slices.Equal(got, tt.want) {
			t.Errorf("List(%q) = %q, want %q", tt.prefix, got, tt.want)
		}
	}
	for listed := range s.List(t.Context(), "1/b") {
		if object, err := s.Stat(t.Context(), listed.Key); err != nil || object != listed {
			t.Errorf("Stat = %+v, %v, want what is listed: %+v", object, err, listed)
		}
	}
}

func testListStops(t *testing.T, s Store) {
	put(t, s, "1/a/0.sog", "0")
	put(t, s, "1/b/1.sog", "1")
	seen := 0
	for range s.List(t.Context(), "1") {
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("seen %d objects after a break, want 1", seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var failures []error
	for _, err := range s.List(ctx, "1") {
		failures = append(failures, err)
	}
	if len(failures) != 1 || !errors.Is(failures[0], context.Canceled) {
		t.Errorf("List when cancelled yields %v, want context.Canceled once", failures)
	}
}

func testAddresses(t *testing.T, s Store) {
	for _, key := range []string{"1/a.ply", "1/api_uploads/k_räum 100% #1?&=+;:@'\"<>.glb", "1/.../~a..b", "1/%2e%2e/%2F"} {
		signed := presign(t, s, Upload{Key: key, ContentType: "a/b", Size: 1})
		bare, _, _ := strings.Cut(signed.URL, "?")
		for _, address := range []string{s.PublicURL(key), s.PublicURL(key) + "?v=1", signed.URL, bare} {
			if got, ok := s.KeyOf(address); got != key || !ok {
				t.Errorf("KeyOf(%q) = %q, %v, want %q", address, got, ok, key)
			}
		}
		if strings.ContainsAny(s.PublicURL(key), "? #") {
			t.Errorf("PublicURL(%q) = %q, want it escaped", key, s.PublicURL(key))
		}
	}
	base := strings.TrimSuffix(s.PublicURL("a"), "a")
	for _, address := range []string{
		"", "a", "1/a.ply", "https://elsewhere.invalid/files/1/a.ply", "http://%zz/", base, base + "/1/a.ply",
		base + "1//a.ply", base + "1/", base + "../1/a.ply", base + "1/%2e%2E/a.ply", base + "1%2Fa.ply",
		base + "1/..%2fa.ply", base + "1/%5Ca.ply", base + "1/%00.ply", base + "1/a.ply#b", base + "1/%ff",
		strings.Replace(base, "://", "://user@", 1) + "1/a.ply",
	} {
		if got, ok := s.KeyOf(address); ok || got != "" {
			t.Errorf("KeyOf(%q) = %q, %v, want none", address, got, ok)
		}
	}
}

// testAnyScript has keys with the names that people give their files.
func testAnyScript(t *testing.T, s Store) {
	keys := []string{"1/api_uploads/k_客厅/客厅.lcc2", "1/api_uploads/k_Küche.gltf", "1/api_uploads/k_Ku\u0308che.gltf", "1/कमरा/دار.glb"}
	for _, key := range keys {
		put(t, s, key, key)
		if got, ok := s.KeyOf(s.PublicURL(key)); got != key || !ok {
			t.Errorf("KeyOf(%q) = %q, %v, want %q", s.PublicURL(key), got, ok, key)
		}
	}
	for _, key := range keys {
		if res, body := get(t, s.PublicURL(key), nil); res.StatusCode != http.StatusOK || body != key {
			t.Errorf("GET %s: got %d %q, want 200 %q", s.PublicURL(key), res.StatusCode, body, key)
		}
	}
	if err := errors.Join(s.Delete(t.Context(), keys[1]), s.DeletePrefix(t.Context(), "1/api_uploads/k_客厅/")); err != nil {
		t.Errorf("Delete: %v", err)
	}
	var left []string
	for object, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, object.Key)
	}
	if want := []string{keys[2], keys[3]}; !slices.Equal(left, want) {
		t.Errorf("List = %q, want %q", left, want)
	}
}

// presign signs an upload; without an expiry it has a minute.
func presign(t *testing.T, s Store, u Upload) Presigned {
	t.Helper()
	if u.Expires.IsZero() {
		u.Expires = time.Now().Add(time.Minute)
	}
	p, err := s.PresignPut(t.Context(), u)
	if err != nil {
		t.Fatalf("PresignPut(%+v): %v", u, err)
	}
	return p
}

// upload carries out a presigned request with a body of its own.
func upload(t *testing.T, p Presigned, body io.Reader) *http.Response {
	t.Helper()
	header := http.Header{}
	for name, value := range p.Headers {
		header.Set(name, value)
	}
	res, _ := send(t, p.Method, p.URL, header, body)
	return res
}

func testPresignedUpload(t *testing.T, s Store) {
	const key = "12345678/api_uploads/k3_räum 1.glb"
	p := presign(t, s, Upload{Key: key, ContentType: "model/gltf-binary", Size: 4})
	if p.Method != http.MethodPut || p.Headers["Content-Type"] != "model/gltf-binary" {
		t.Errorf("PresignPut = %s %v, want PUT with the content type", p.Method, p.Headers)
	}
	res := upload(t, p, strings.NewReader("glTF"))
	if res.StatusCode != http.StatusOK {
		t.Fatalf("PUT: got %d, want 200", res.StatusCode)
	}
	object, err := s.Stat(t.Context(), key)
	if err != nil || res.Header.Get("ETag") != object.ETag {
		t.Errorf("ETag of PUT = %s, of Stat = %s, %v, want the same", res.Header.Get("ETag"), object.ETag, err)
	}
	res, body := get(t, s.PublicURL(key), nil)
	if res.StatusCode != http.StatusOK || body != "glTF" {
		t.Errorf("GET: got %d %q, want 200 %q", res.StatusCode, body, "glTF")
	}
}

func testPresignedUploadRefused(t *testing.T, s Store) {
	u := Upload{Key: "1/a.ply", ContentType: "application/octet-stream", Size: 4}
	past := u
	past.Expires = time.Now().Add(-time.Minute)
	good, expired := presign(t, s, u), presign(t, s, past)
	change := func(change func(*Presigned)) Presigned {
		p := good
		change(&p)
		return p
	}
	tests := []struct {
		name    string
		request Presigned
		body    string
	}{
		{"shorter", good, "ply"},
		{"longer", good, "ply12"},
		{"expired", expired, "ply1"},
		{"another type", change(func(p *Presigned) { p.Headers = map[string]string{"Content-Type": "text/html"} }), "ply1"},
		{"no type", change(func(p *Presigned) { p.Headers = nil }), "ply1"},
		{"another key", change(func(p *Presigned) { p.URL = strings.Replace(p.URL, "a.ply", "b.ply", 1) }), "ply1"},
		{"no query", change(func(p *Presigned) { p.URL, _, _ = strings.Cut(p.URL, "?") }), "ply1"},
	}
	for _, tt := range tests {
		if res := upload(t, tt.request, strings.NewReader(tt.body)); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", tt.name, res.StatusCode)
		}
	}
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("List = %q, want nothing kept", got)
	}
}

func testPresignRefuses(t *testing.T, s Store) {
	for _, u := range []Upload{
		{Key: "a.ply", ContentType: ""},
		{Key: "a.ply", ContentType: "a/b\r\nX: y"},
		{Key: "a.ply", ContentType: " a/b"},
		{Key: "a.ply", ContentType: "ä/b"},
		{Key: "a.ply", ContentType: "a/b", Size: -1},
	} {
		if p, err := s.PresignPut(t.Context(), u); err == nil {
			t.Errorf("PresignPut(%+v) = %+v, want an error", u, p)
		}
	}
}

// What an uploader calls the bytes does not decide what browsers take them for.
func testInertTypes(t *testing.T, s Store) {
	for key, want := range map[string]string{
		"1/sent.json": "application/json", "1/sent.html": "application/octet-stream", "1/sent.svg": "application/octet-stream",
		"1/sent.ply": "application/octet-stream", "1/sent.png": "image/png",
	} {
		p := presign(t, s, Upload{Key: key, ContentType: "text/html", Size: 4})
		if res := upload(t, p, strings.NewReader("<p/>")); res.StatusCode != http.StatusOK {
			t.Errorf("PUT %s: got %d, want 200", key, res.StatusCode)
		}
		written := strings.Replace(key, "sent", "written", 1)
		put(t, s, written, "<p/>")
		for _, key := range []string{key, written} {
			if res, _ := get(t, s.PublicURL(key), nil); res.Header.Get("Content-Type") != want {
				t.Errorf("GET %s: got type %q, want %q", key, res.Header.Get("Content-Type"), want)
			}
		}
	}
}

func testPing(t *testing.T, s Store) {
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("List = %q, want nothing left by Ping", got)
	}
}
