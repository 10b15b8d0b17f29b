package s3

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	s3kit "portico/internal/testkit/s3"

	"portico/storage"
	"portico/storage/storagetest"
)

// large is more than two parts and several blocks.
func large() []byte { return bytes.Repeat([]byte("0123456789abcdef"), (2*partSize+12345)/16) }

// TestStore_with_faults runs its tests behind one gateway, which takes a second to start.
func TestStore_with_faults(t *testing.T) { //nolint:paralleltest // startGateway sets variables of the process
	g := startGateway(t)
	t.Run("retries answers of 503", func(t *testing.T) { testRetries503(t, g) })
	t.Run("resumes broken connections", func(t *testing.T) { testResumesConnections(t, g) })
	t.Run("returns ErrUnavailable while the server is down", func(t *testing.T) { testReportsUnavailable(t, g) })
	t.Run("gives up on a server that stalls", func(t *testing.T) { testGivesUpOnStalls(t, g) })
	t.Run("keeps no incomplete object", func(t *testing.T) { testKeepsNothingIncomplete(t, g) })
	t.Run("deletes a tail after an error", func(t *testing.T) { testDeletesTailAfterError(t, g) })
	t.Run("deletes a tail that is stored after a deletion", func(t *testing.T) { testDeletesLateTail(t, g) })
	t.Run("leaves the tail to another request", func(t *testing.T) { testLeavesTailToOtherAppend(t, g) })
}

func testRetries503(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	f := &faults{refuse: func(number int64, _ *http.Request) bool { return number%2 == 1 }}
	s := f.inFront(t, g)
	storagetest.Put(t, s, "1/a.bin", "bytes")
	if got := storagetest.Content(t, s, "1/a.bin"); got != "bytes" {
		t.Errorf("content: got %q, want %q", got, "bytes")
	}
	if got := storagetest.Keys(t, s, "1"); len(got) != 1 {
		t.Errorf("List = %q, want one object", got)
	}
	if err := s.DeletePrefix(t.Context(), "1"); err != nil {
		t.Errorf("DeletePrefix: %v", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

func testResumesConnections(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	f := &faults{}
	s := f.inFront(t, g)
	body := large()
	if _, err := s.Put(t.Context(), "1/large.bin", bytes.NewReader(body)); err != nil {
		t.Fatalf("Put: %v", err)
	}
	f.tear = 9 << 20 // of each response
	want := sha256.Sum256(body)
	streamed := sha256.Sum256([]byte(storagetest.Content(t, s, "1/large.bin")))
	if streamed != want {
		t.Errorf("read as a stream: got %s, want %s", hex.EncodeToString(streamed[:4]), hex.EncodeToString(want[:4]))
	}
	f.tear = blockSize/(2*attempts) - 1 // so that a block takes many
	r, size, err := s.OpenReaderAt(t.Context(), "1/large.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, size)); err != nil || !bytes.Equal(sum.Sum(nil), want[:]) {
		t.Errorf("read in blocks: got %x, %v, want %x", sum.Sum(nil)[:4], err, want[:4])
	}
}

func testReportsUnavailable(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	f := &faults{}
	s := f.inFront(t, g)
	storagetest.Put(t, s, "1/a.bin", "bytes")
	f.refuse = func(int64, *http.Request) bool { return true }
	checkAway(t, s, "answers of 503")
	closed := httptest.NewServer(nil)
	closed.Close()
	checkAway(t, openBucket(t, g, closed.URL, ""), "nobody listens")
	s = openBucket(t, g, g.Endpoint, "")
	s.bucket = "nowhere"
	_, opening := s.Open(t.Context(), "1/a.bin")
	_, stating := s.Stat(t.Context(), "1/a.bin")
	_, _, reading := s.OpenReaderAt(t.Context(), "1/a.bin")
	for call, err := range map[string]error{"Open": opening, "Stat": stating, "OpenReaderAt": reading} {
		if !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrNotFound) {
			t.Errorf("no such bucket: %s: got %v, want ErrUnavailable", call, err)
		}
	}
}

func testGivesUpOnStalls(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	f := &faults{}
	s := f.inFront(t, g)
	body := large()
	if _, err := s.Put(t.Context(), "1/large.bin", bytes.NewReader(body)); err != nil {
		t.Fatalf("Put: %v", err)
	}
	s, err := Open(t.Context(), Options{
		URL:        "s3://" + s.bucket + "?endpoint=" + f.address,
		MaxBackoff: 10 * time.Millisecond, StallTimeout: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.hold = 20 << 20 // of each response, so that the second one brings the rest
	if got := storagetest.Content(t, s, "1/large.bin"); got != string(body) {
		t.Errorf("content: got %d bytes that differ, want all %d", len(got), len(body))
	}
	f.mute.Store(true)
	if _, err := s.Stat(t.Context(), "1/large.bin"); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Stat where no response comes: got %v, want ErrUnavailable", err)
	}
}

func testKeepsNothingIncomplete(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	f := &faults{refuse: func(_ int64, r *http.Request) bool { return r.URL.Query().Get("partNumber") == "3" }}
	s := f.inFront(t, g)
	if _, err := s.Put(t.Context(), "1/large.bin", bytes.NewReader(large())); err == nil {
		t.Error("Put: got no error, want the error of the third part")
	}
	if _, err := s.Stat(t.Context(), "1/large.bin"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Stat: got %v, want ErrNotFound", err)
	}
	parts, err := s.client.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: &s.bucket})
	if err != nil || len(parts.Uploads) != 0 {
		t.Errorf("unfinished uploads: got %d, %v, want none", len(parts.Uploads), err)
	}
}

// checkAway checks the error of each method while the server is unavailable.
func checkAway(t *testing.T, s *Store, why string) {
	t.Helper()
	ctx := t.Context()
	_, putting := s.Put(ctx, "1/a.bin", strings.NewReader("bytes"))
	_, stating := s.Stat(ctx, "1/a.bin")
	_, opening := s.Open(ctx, "1/a.bin")
	_, _, reading := s.OpenReaderAt(ctx, "1/a.bin")
	for call, err := range map[string]error{
		"Put": putting, "Stat": stating, "Open": opening, "OpenReaderAt": reading,
		"Delete": s.Delete(ctx, "1/a.bin"), "DeletePrefix": s.DeletePrefix(ctx, "1"), "Ping": s.Ping(ctx),
	} {
		if !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s: %s: got %v, want ErrUnavailable", why, call, err)
		}
	}
}

func TestResumed_reads_nothing_where_there_is_no_room(t *testing.T) {
	t.Parallel()
	r := &resumingReader{ctx: t.Context(), body: io.NopCloser(strings.NewReader("bytes")), left: 5}
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("Read of no bytes: got %d, %v, want 0 and no error", n, err)
	}
	if got, err := io.ReadAll(r); string(got) != "bytes" || err != nil {
		t.Errorf("what is left: got %q, %v, want %q", got, err, "bytes")
	}
}

func TestStore_presign_refuses_what_one_PUT_does_not_carry(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{URL: "s3://bucket?region=eu-central-1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.PresignPut(t.Context(), storage.Upload{Key: "1/a.zip", ContentType: "a/b", Size: MaxUpload + 1, Expires: time.Now().Add(time.Minute)})
	if err == nil || !strings.Contains(err.Error(), "more than one PUT") {
		t.Errorf("PresignPut: got %v, want that it is too large", err)
	}
}

func TestParseLocation_shows_no_secret_key(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"s3://AKIA:hidden/s+x@bucket", "s3://AKIA:12/hidden@bucket", "s3://AKIA:hidden@bucket", "https://AKIA:hidden@bucket"} {
		_, err := ParseLocation(text)
		if err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("ParseLocation(%q): got %v, want an error without the key", text, err)
		}
	}
}

func TestStore_addresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ url, files, want string }{
		{"s3://bucket?region=eu-central-1", "", "https://bucket.s3.eu-central-1.amazonaws.com/1/a.ply"},
		{"s3://bucket?region=eu-central-1&path_style=true", "", "https://s3.eu-central-1.amazonaws.com/bucket/1/a.ply"},
		{"s3://bucket?endpoint=https://s3.example/", "", "https://s3.example/bucket/1/a.ply"},
		{"s3://bucket?endpoint=https://s3.example&path_style=false", "", "https://bucket.s3.example/1/a.ply"},
		{"s3://bucket?endpoint=https://s3.example&prefix=/of/ours/", "", "https://s3.example/bucket/of/ours/1/a.ply"},
		{"s3://bucket?prefix=ours", "https://cdn.example/f", "https://cdn.example/f/1/a.ply"},
	} {
		s, err := Open(t.Context(), Options{URL: test.url, FilesURL: test.files})
		if err != nil {
			t.Errorf("Open(%q): %v", test.url, err)
			continue
		}
		if got := s.PublicURL("1/a.ply"); got != test.want {
			t.Errorf("PublicURL with %q: got %s, want %s", test.url, got, test.want)
		}
	}
}
