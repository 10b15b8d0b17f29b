package storagetest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/storage"
)

// Send makes a request and returns the response with its body.
func Send(t *testing.T, method, address string, header http.Header, body io.Reader) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	if header == nil {
		r.Header = http.Header{}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("read the response: %v", err)
	}
	return res, string(b)
}

// Get gets an address.
func Get(t *testing.T, address string, header http.Header) (*http.Response, string) {
	t.Helper()
	return Send(t, http.MethodGet, address, header, nil)
}

// Put stores an object or ends the test.
func Put(t *testing.T, s storage.Store, key, content string) {
	t.Helper()
	size, err := s.Put(t.Context(), key, strings.NewReader(content))
	if err != nil || size != int64(len(content)) {
		t.Fatalf("Put(%q) = %d, %v, want %d", key, size, err, len(content))
	}
}

// Content reads an object or ends the test.
func Content(t *testing.T, s storage.Store, key string) string {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("Open(%q): %v", key, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read %q: %v", key, err)
	}
	return string(b)
}

// ReadURL returns the address of an object for somebody who may read it.
func ReadURL(t *testing.T, s storage.Store, key string) string {
	t.Helper()
	address, err := s.ReadURL(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Keys returns the keys of the objects below a folder.
func Keys(t *testing.T, s storage.Store, prefix string) []string {
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

// Presign signs an upload, which expires in a minute unless it has an expiry.
func Presign(t *testing.T, s storage.Store, u storage.Upload) storage.Presigned {
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

// Upload sends a presigned request with a body.
func Upload(t *testing.T, p storage.Presigned, body io.Reader) *http.Response {
	t.Helper()
	header := http.Header{}
	for name, value := range p.Headers {
		header.Set(name, value)
	}
	res, _ := Send(t, p.Method, p.URL, header, body)
	return res
}

// Pattern returns n bytes in which no two neighbouring pieces are equal.
func Pattern(n int) []byte {
	content := make([]byte, n)
	for i := range content {
		content[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return content
}
