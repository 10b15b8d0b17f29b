package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	s3kit "portico/internal/testkit/s3"

	"portico/storage"
	"portico/storage/storagetest"
)

// faults is a proxy between the store and the server that fails as servers and networks do.
type faults struct {
	requests atomic.Int64
	// refuse reports whether the request with this number, from 1 on, gets
	// 503 instead of being carried out.
	refuse func(number int64, r *http.Request) bool
	// tear is after how many bytes of a response the connection breaks; 0 never.
	tear int
	// hold is after how many bytes of a response nothing more comes; 0 never.
	hold int
	// mute says that no response begins.
	mute atomic.Bool
	// acceptEncoding replaces the header, as Google's storage and some proxies do; empty keeps it.
	acceptEncoding string
	// address is where the front is.
	address string
}

// inFront returns a store that reaches the server through the proxy.
func (f *faults) inFront(t *testing.T, g *s3kit.Server) *Store {
	t.Helper()
	server, err := url.Parse(g.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(server)
		r.Out.Host = r.In.Host // which is signed
		if f.acceptEncoding != "" {
			r.Out.Header.Set("Accept-Encoding", f.acceptEncoding)
		}
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without it, the first byte of a response closes the body that the proxy may still read.
		_ = http.NewResponseController(w).EnableFullDuplex() // never fails over HTTP/1.1
		number := f.requests.Add(1)
		if f.refuse != nil && f.refuse(number, r) {
			_, _ = io.Copy(io.Discard, r.Body) // whatever came of it
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if f.tear > 0 && r.Method == http.MethodGet {
			w = &tornWriter{ResponseWriter: w, left: f.tear}
		}
		if f.hold > 0 && r.Method == http.MethodGet {
			w = &heldWriter{w, f.hold, r.Context()}
		}
		if f.mute.Load() {
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // a return would respond with 200
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	f.address = front.URL
	return openBucket(t, g, front.URL, "")
}

// tornWriter breaks the connection after some bytes of the body.
type tornWriter struct {
	http.ResponseWriter
	left int
}

// Write implements http.ResponseWriter.
func (w *tornWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		_, _ = w.ResponseWriter.Write(p[:w.left]) // the connection breaks anyway
		panic(http.ErrAbortHandler)
	}
	w.left -= len(p)
	return w.ResponseWriter.Write(p)
}

// Unwrap lets the proxy flush.
func (w *tornWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// heldWriter sends some bytes of the body, and then nothing until the client has
// disconnected.
type heldWriter struct {
	http.ResponseWriter
	left   int
	client context.Context
}

// Write implements http.ResponseWriter.
func (w *heldWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		_, _ = w.ResponseWriter.Write(p[:w.left])
		_ = http.NewResponseController(w.ResponseWriter).Flush()
		<-w.client.Done()
		panic(http.ErrAbortHandler)
	}
	w.left -= len(p)
	return w.ResponseWriter.Write(p)
}

// Unwrap lets the proxy flush.
func (w *heldWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Google's storage appends to Accept-Encoding, and then checks the signature.
func TestStore_works_behind_a_proxy_that_rewrites_Accept_Encoding(t *testing.T) { //nolint:paralleltest // it sets variables, as startGateway
	s := (&faults{acceptEncoding: "identity,gzip(gfe)"}).inFront(t, startGateway(t))
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("Ping: got %v, want no error", err)
	}
	if _, err := s.Put(t.Context(), "1/a.txt", strings.NewReader("text")); err != nil {
		t.Fatalf("Put: got %v, want no error", err)
	}
	object, err := s.Open(t.Context(), "1/a.txt")
	if err != nil {
		t.Fatalf("Open: got %v, want no error", err)
	}
	got, err := io.ReadAll(object)
	if err := errors.Join(err, object.Close()); err != nil || string(got) != "text" {
		t.Errorf("object: got %q, %v, want text", got, err)
	}
	p := storagetest.Presign(t, s, storage.Upload{Key: "1/b.ply", ContentType: "a/b", Size: 3})
	if res := storagetest.Upload(t, p, strings.NewReader("ply")); res.StatusCode != http.StatusOK {
		t.Errorf("presigned PUT: got %d, want 200", res.StatusCode)
	}
}
