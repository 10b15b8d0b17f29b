package storage

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Two objects of one file, and an object of another file of the same user.
const (
	roomManifest = "12345678/api_uploads/abc_room/lod-meta.json"
	roomChunk    = "12345678/api_uploads/abc_room/data/0 1.sog"
	roomPoster   = "12345678/derived/abc/poster.jpg"
	otherFile    = "12345678/api_uploads/abcd_other.ply"
)

// protected returns a store whose objects are all protected, or all readable.
type protected struct {
	shown atomic.Bool
	now   atomic.Int64 // nanoseconds after it was made
}

func (p *protected) ask(context.Context, string) (bool, error) { return p.shown.Load(), nil }

func TestDisk_serves_protected_files_only_while_shown(t *testing.T) {
	t.Parallel()
	rule := &protected{}
	s := newTestServer(t, func(o *DiskOptions) {
		o.Shown = rule.ask
		began := time.Now()
		o.Now = func() time.Time { return began.Add(time.Duration(rule.now.Load())) }
	})
	for _, key := range []string{roomManifest, roomChunk, roomPoster, otherFile} {
		put(t, s, key, "0123456789")
	}
	signed := readURL(t, s, roomManifest)
	if strings.Contains(signed, "?") || !strings.HasSuffix(signed, "/"+roomManifest) {
		t.Errorf("ReadURL: got %s, want one without a query that ends in the key", signed)
	}
	if key, ok := s.KeyOf(signed); !ok || key != roomManifest {
		t.Errorf("KeyOf(%s): got %q, want the key", signed, key)
	}
	check := func(when string, status func(int) int) {
		t.Helper()
		for _, tt := range protectedAddresses(s.PublicURL(roomManifest), signed) {
			if res, _ := get(t, tt.address, nil); res.StatusCode != status(tt.status) {
				t.Errorf("%s, %s: got %d, want %d", when, tt.name, res.StatusCode, status(tt.status))
			}
		}
	}
	check("protected", func(status int) int { return status })
	res, body := get(t, signed, http.Header{"Range": {"bytes=2-4"}})
	if res.StatusCode != http.StatusPartialContent || body != "234" {
		t.Errorf("range: got %d %q, want 206 %q", res.StatusCode, body, "234")
	}
	if got := res.Header.Get("Cache-Control"); !strings.HasPrefix(got, "private, max-age=") {
		t.Errorf("Cache-Control: got %q, want it private", got)
	}
	if res, _ := send(t, http.MethodPut, signed+"?expires=1&size=1&signature=x", nil, strings.NewReader("x")); res.StatusCode != http.StatusForbidden {
		t.Errorf("PUT: got %d, want 403", res.StatusCode)
	}
	rule.now.Store(int64(30 * time.Minute)) // of at least an hour
	check("half an hour later", func(status int) int { return status })
	rule.now.Store(int64(2*readLifetime + time.Minute))
	check("expired", func(int) int { return 404 })
	rule.shown.Store(true)
	if res, _ := get(t, s.PublicURL(roomManifest), nil); res.StatusCode != 200 || res.Header.Get("Cache-Control") != "private, max-age=60" {
		t.Errorf("shown: got %d, kept %q, want 200, kept for a minute", res.StatusCode, res.Header.Get("Cache-Control"))
	}
	if secret := strings.Split(strings.TrimPrefix(signed, s.url+"/files/"), "/")[0]; strings.Contains(s.log.String(), secret) {
		t.Error("log: got a signature in it, want none")
	}
}

// protectedAddress is an address of a protected file, and the status of its response while the
// signature is valid.
type protectedAddress struct {
	name, address string
	status        int
}

// protectedAddresses returns addresses that the signed address of roomManifest permits, and others.
func protectedAddresses(public, signed string) []protectedAddress {
	folder := strings.TrimSuffix(signed, "lod-meta.json")
	root := strings.TrimSuffix(signed, roomManifest)
	return []protectedAddress{
		{"the address of everyone", public, 404},
		{"signed", signed, 200},
		{"a file beside it", folder + "data/0%201.sog", 200},
		{"its poster", root + roomPoster, 200},
		{"another file", root + otherFile, 404},
		{"another user's", root + "87654321" + roomManifest[8:], 404},
		{"another signature", strings.Replace(signed, "~", "~1", 1), 404},
		{"no signature", strings.Replace(signed, "/~", "/~~", 1), 404},
	}
}

// readURL returns the address of an object for somebody who may read it.
func readURL(t *testing.T, s Store, key string) string {
	t.Helper()
	address, err := s.ReadURL(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// A signed address ends before its time when the version of its account changes.
func TestReadURL_ends_with_the_version_of_its_account(t *testing.T) {
	t.Parallel()
	var version atomic.Int64
	asked := make(chan string, 10)
	s := newTestServer(t, func(o *DiskOptions) {
		o.Shown = (&protected{}).ask
		o.KeyVersion = func(_ context.Context, userID string) (int64, error) {
			asked <- userID
			return version.Load(), nil
		}
	})
	put(t, s, otherFile, "0123456789")
	before := readURL(t, s, otherFile)
	if got := <-asked; got != "12345678" {
		t.Errorf("account: got %q, want the owner of the file", got)
	}
	for want, address := range map[int]string{http.StatusOK: before, http.StatusNotFound: s.PublicURL(otherFile)} {
		if res, _ := get(t, address, nil); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", address, res.StatusCode, want)
		}
	}
	version.Add(1)
	for want, address := range map[int]string{http.StatusOK: readURL(t, s, otherFile), http.StatusNotFound: before} {
		if res, _ := get(t, address, nil); res.StatusCode != want {
			t.Errorf("in another version, %s: got %d, want %d", address, res.StatusCode, want)
		}
	}
}

func TestReadURL_is_public_where_nothing_is_protected(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	if got, want := readURL(t, s, otherFile), s.PublicURL(otherFile); got != want {
		t.Errorf("ReadURL: got %s, want %s", got, want)
	}
}

func TestWithoutSignature_removes_only_a_signature(t *testing.T) {
	t.Parallel()
	a, err := newAccess((&protected{}).ask, nil, []byte("a secret for the tests alone"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(key string) string {
		folder, err := a.sign(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}
	for path, want := range map[string]string{
		"/files/" + sign(roomChunk) + roomChunk: "/files/" + roomChunk,
		"/files/" + roomChunk:                   "/files/" + roomChunk,
		"/files/~1~x/a.ply":                     "/files/~1~x/a.ply",
		"/" + sign("a") + "a":                   "/a",
	} {
		if got := WithoutSignature(path); got != want {
			t.Errorf("WithoutSignature(%q): got %q, want %q", path, got, want)
		}
	}
}

// A private bucket is read through the server, which redirects to it.
func TestS3_protects_files(t *testing.T) { //nolint:paralleltest // it sets variables, as the other suites
	gateway := startGateway(t)
	rule := &protected{}
	var s *S3
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s, err := OpenS3(t.Context(), S3Options{
		URL:      "s3://" + gateway.PrivateBucket(t) + "?prefix=ours&endpoint=" + gateway.Endpoint,
		FilesURL: server.URL + "/files", Shown: rule.ask, Secret: []byte("a secret for the tests alone"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{roomManifest, roomChunk, otherFile} {
		put(t, s, key, "0123456789")
	}
	signed := readURL(t, s, roomManifest)
	for _, tt := range []struct {
		name, method, address string
		header                http.Header
		status                int
		body                  string
	}{
		{"signed", "GET", signed, nil, 200, "0123456789"},
		{"a chunk beside it", "GET", strings.TrimSuffix(signed, "lod-meta.json") + "data/0%201.sog", nil, 200, "0123456789"},
		{"a range", "GET", signed, http.Header{"Range": {"bytes=2-4"}}, 206, "234"},
		{"HEAD", "HEAD", signed, nil, 200, ""},
		{"another file", "GET", strings.TrimSuffix(signed, roomManifest) + otherFile, nil, 404, ""},
		{"the address of everyone", "GET", s.PublicURL(roomManifest), nil, 404, ""},
		{"the bucket's own address", "GET", s.uploads.objectURL(roomManifest), nil, 403, ""},
	} {
		res, body := send(t, tt.method, tt.address, tt.header, nil)
		if res.StatusCode != tt.status || tt.body != "" && body != tt.body {
			t.Errorf("%s: got %d %q, want %d %q", tt.name, res.StatusCode, body, tt.status, tt.body)
		}
		if tt.status == 200 && tt.method == "GET" && res.Header.Get("Content-Type") != MediaType(res.Request.URL.Path) {
			t.Errorf("%s: got type %q, want %q", tt.name, res.Header.Get("Content-Type"), MediaType(res.Request.URL.Path))
		}
	}
	rule.shown.Store(true)
	if res, body := get(t, s.PublicURL(otherFile), nil); res.StatusCode != 200 || body != "0123456789" {
		t.Errorf("shown: got %d %q, want 200", res.StatusCode, body)
	}
	if key, ok := s.KeyOf(signed); !ok || key != roomManifest {
		t.Errorf("KeyOf(%s): got %q, want the key", signed, key)
	}
	checkUpload := presign(t, s, Upload{Key: "1/a.ply", ContentType: "a/b", Size: 3})
	if res := upload(t, checkUpload, strings.NewReader("ply")); res.StatusCode != http.StatusOK {
		t.Errorf("PUT: got %d, want 200 of the bucket", res.StatusCode)
	}
}

// The address of the bucket works for minutes, even where everyone may read everything.
func TestS3_redirects_for_minutes(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIA")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s, err := OpenS3(t.Context(), S3Options{URL: "s3://bucket?region=eu-central-1", FilesURL: "https://portico.example/files"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://portico.example/files/1/a.ply", nil))
	if got, want := w.Header().Get("Cache-Control"), "private, max-age=300"; w.Code != http.StatusFound || got != want {
		t.Errorf("redirect: got %d with %q, want 302 with %q", w.Code, got, want)
	}
}
