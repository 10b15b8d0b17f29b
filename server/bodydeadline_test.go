package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// deadlines is a writer that notes until when the next bytes may come.
type deadlines struct {
	*httptest.ResponseRecorder
	read time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.read = t
	return nil
}

func TestLimitBodyTime(t *testing.T) {
	t.Parallel()
	const size = 800 << 10
	for _, test := range []struct {
		name, method, path string
		read               int64         // bytes that the handler reads
		want               time.Duration // until the deadline, 0 for none
	}{
		{"bounds a body that is not read", "POST", "/graphql", 0, bodyGrace},
		{"bounds a body that is being read", "POST", "/v1/spaces", size / 2, bodyGrace + 50*time.Second},
		{"lets go of a body that has come", "POST", "/v1/mcp", size + 1, 0},
		{"leaves uploads to the store", "PUT", "//files/1/a.ply", 0, 0},
		{"bounds other things at the addresses of files", "POST", "/files/1/a.ply", 0, bodyGrace},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequestWithContext(t.Context(), test.method, "/", strings.NewReader(strings.Repeat("x", size)))
			r.URL.Path = test.path
			before := time.Now()
			limitBodyTime((&originRouter{path: filesPath}).isUpload, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, err := io.CopyN(io.Discard, r.Body, test.read)
				if err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("read: got %v, want the body", err)
				}
			})).ServeHTTP(w, r)
			got := time.Duration(0)
			if !w.read.IsZero() {
				got = w.read.Sub(before)
			}
			if got < test.want || got > test.want+10*time.Second {
				t.Errorf("deadline: got %v after the start, want %v", got, test.want)
			}
		})
	}
}

// A body that stops coming ends with its deadline, and one that has come does not
// end the request that it belongs to.
func TestLimitBodyTime_over_a_connection(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(limitBodyTime((&originRouter{path: filesPath}).isUpload, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" { // as if its time had come
			body := r.Body.(*timedBody)
			body.started = time.Now().Add(-time.Hour)
			body.extend()
		}
		_, err := io.ReadAll(r.Body)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			w.WriteHeader(http.StatusRequestTimeout)
		}
	})))
	t.Cleanup(server.Close)
	stalled, end := io.Pipe()
	t.Cleanup(func() { _ = end.Close() }) // a pipe's never fails
	for _, test := range []struct {
		path string
		body io.Reader
		want int
	}{{"/late", stalled, http.StatusRequestTimeout}, {"/", strings.NewReader("{}"), http.StatusOK}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+test.path, test.body)
		check(t, err)
		response, err := server.Client().Do(r)
		check(t, err)
		if got := response.StatusCode; got != test.want {
			t.Errorf("%s: got %d, want %d", test.path, got, test.want)
		}
		check(t, response.Body.Close())
	}
}

func TestLimitWriteBuffer_of_a_stream(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { check(t, listener.Close()) })
	client, err := net.Dial("tcp", listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { check(t, client.Close()) })
	server, err := listener.Accept()
	check(t, err)
	t.Cleanup(func() { check(t, server.Close()) })
	check(t, client.(*net.TCPConn).SetReadBuffer(4096))

	r := httptest.NewRequestWithContext(withConnection(context.Background(), server), http.MethodGet, "/", nil)
	limitWriteBuffer(r)
	check(t, server.SetWriteDeadline(time.Now().Add(time.Second)))
	written, err := io.CopyN(server, endless{}, 64<<20)
	if !errors.Is(err, os.ErrDeadlineExceeded) || written > 1<<20 {
		t.Errorf("to a client that does not read: wrote %d bytes, %v, want less than 1 MiB and a timeout", written, err)
	}
}

// endless is a body of zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
