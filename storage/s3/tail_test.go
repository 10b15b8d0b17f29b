package s3

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	s3kit "portico/internal/testkit/s3"
	"portico/model"
	"portico/storage"
	"portico/storage/storagetest"
)

// testDeletesTailAfterError checks the calls that delete tails: the call fails while the server
// does not delete the tail, and the repeated call deletes it.
func testDeletesTailAfterError(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	const key = "1/api_uploads/a.ply"
	bytesOf := storagetest.Pattern(pieceSize + 5)
	parts := model.SplitUpload(int64(len(bytesOf)), 2)
	appendAll := func(s *Store) error {
		_, err := s.Append(t.Context(), key, 0, bytes.NewReader(bytesOf))
		return err
	}
	appendParts := func(s *Store) error {
		err := s.StartParts(t.Context(), key)
		for _, part := range parts {
			_, appending := s.AppendPart(t.Context(), key, part, 0, bytes.NewReader(bytesOf[part.Offset:]))
			err = errors.Join(err, appending)
		}
		return err
	}
	for _, test := range []struct {
		name       string
		send, call func(s *Store) error
	}{
		{"Assemble", appendAll, func(s *Store) error { return s.Assemble(t.Context(), key, int64(len(bytesOf))) }},
		{"AssembleParts", appendParts, func(s *Store) error { return s.AssembleParts(t.Context(), key, parts) }},
		{"Delete", appendAll, func(s *Store) error { return s.Delete(t.Context(), key) }},
		{"Delete of parts", appendParts, func(s *Store) error { return s.Delete(t.Context(), key) }},
	} {
		var refuses atomic.Bool
		f := &faults{refuse: func(_ int64, r *http.Request) bool {
			return refuses.Load() && r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/"+tailFolder)
		}}
		s := f.inFront(t, g)
		if err := test.send(s); err != nil {
			t.Fatalf("%s: send the bytes: %v", test.name, err)
		}
		if got := tails(t, s); got != 1 {
			t.Errorf("%s: tails before the call: got %d, want 1", test.name, got)
		}
		refuses.Store(true)
		if err := test.call(s); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s while the tail cannot be deleted: got %v, want ErrUnavailable", test.name, err)
		}
		refuses.Store(false)
		if err := test.call(s); err != nil {
			t.Errorf("%s again: %v", test.name, err)
		}
		if got := tails(t, s); got != 0 {
			t.Errorf("%s: tails after the call: got %d, want none", test.name, got)
		}
	}
}

// testDeletesLateTail deletes an object while a client sends it. The client notices only later, and
// then its tail is stored all the same.
func testDeletesLateTail(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	const key = "1/api_uploads/a.ply"
	s := openBucket(t, g, g.Endpoint, "")
	r, w := io.Pipe()
	appended := make(chan error, 1)
	go func() {
		_, err := s.Append(t.Context(), key, 0, r)
		appended <- err
	}()
	if _, err := io.WriteString(w, "ply"); err != nil { // returns when Append reads
		t.Fatalf("send: %v", err)
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Errorf("Delete while the client sends: %v", err)
	}
	if err := errors.Join(w.Close(), <-appended); err != nil {
		t.Errorf("Append: %v", err)
	}
	if got := tails(t, s); got != 1 {
		t.Errorf("tails before the second Delete: got %d, want 1", got)
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Errorf("Delete again: %v", err)
	}
	if got := tails(t, s); got != 0 {
		t.Errorf("tails: got %d, want none", got)
	}
}

// testLeavesTailToOtherAppend ends a request that has lost its lease. The next one has stored a
// longer tail, and its client knows the offset after it.
func testLeavesTailToOtherAppend(t *testing.T, g *s3kit.Server) {
	t.Helper()
	t.Parallel()
	const key = "1/api_uploads/a.ply"
	s := openBucket(t, g, g.Endpoint, "")
	r, w := io.Pipe()
	appended := make(chan error, 1)
	go func() {
		_, err := s.Append(t.Context(), key, 0, r)
		appended <- err
	}()
	if _, err := io.WriteString(w, "ply"); err != nil { // returns when Append reads
		t.Fatalf("send: %v", err)
	}
	if _, err := s.Append(t.Context(), key, 0, strings.NewReader("ply in full")); err != nil {
		t.Errorf("Append of the next request: %v", err)
	}
	if err := errors.Join(w.CloseWithError(storage.ErrOtherAppend), <-appended); !errors.Is(err, storage.ErrOtherAppend) {
		t.Errorf("Append without the lease: got %v, want ErrOtherAppend", err)
	}
	if got, err := s.Appended(t.Context(), key); err != nil || got != 11 {
		t.Errorf("Appended: got %d, %v, want the 11 bytes of the next request", got, err)
	}
}

// tails returns the number of tails in the bucket of a store.
func tails(t *testing.T, s *Store) int {
	t.Helper()
	prefix := s.prefix + tailFolder
	out, err := s.client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
	if err != nil {
		t.Fatalf("list the tails: %v", err)
	}
	return len(out.Contents)
}
