package connection

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"portico/internal/semaphore"
)

// noted is a writer that notes until when its bytes may be taken.
type noted struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *noted) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

func TestTimedResponse_extends_the_deadline_while_the_client_reads(t *testing.T) {
	t.Parallel()
	w := &noted{ResponseRecorder: httptest.NewRecorder()}
	began := time.Now()
	LimitResponseTime(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n, err := w.Write(make([]byte, 3*responseChunk+1)); n != 3*responseChunk+1 || err != nil {
			t.Errorf("write: got %d, %v, want all", n, err)
		}
	})).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/v1/files", nil))
	if got, want := w.Body.Len(), 3*responseChunk+1; got != want {
		t.Errorf("body: got %d bytes, want %d", got, want)
	}
	// None from the request before, one for each part, and one for the buffers.
	want := []time.Duration{8 * time.Second, 8 * time.Second, 8 * time.Second, 0}
	if len(w.set) != len(want)+2 || !w.set[0].IsZero() {
		t.Fatalf("deadlines: got %v, want none first and then %d", w.set, len(want)+1)
	}
	for i, allowed := range want {
		got, want := w.set[i+1].Sub(began), ResponseGrace+allowed
		if got < want || got > want+10*time.Second {
			t.Errorf("deadline of part %d: got %v from the start, want %v", i, got, want)
		}
	}
}

// A client may accept events, or name a protocol to change to, and ask for a document.
func TestLimitResponseTime_does_not_limit_streams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, contentType string
		limited           bool
	}{
		{"//graphql/", "text/event-stream", false},
		{"//graphql/", "application/json", true},
		{"/v1/mcp", "text/event-stream", true},
	} {
		w := &noted{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(t.Context(), "POST", test.path, nil)
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Upgrade", "none")
		LimitResponseTime(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", test.contentType)
			_, err := w.Write([]byte("x"))
			check(t, err)
		})).ServeHTTP(w, r)
		limited := slices.ContainsFunc(w.set, func(at time.Time) bool { return !at.IsZero() })
		if limited != test.limited {
			t.Errorf("%s that responds %s: got the deadlines %v, want some: %t", test.path, test.contentType, w.set, test.limited)
		}
	}
}

// A client that reads nothing is dropped by every door, also one that says it takes
// events; one that reads gets all.
func TestLimitResponseTime_over_a_connection(t *testing.T) {
	t.Parallel()
	const size = 64 << 20 // more than the system buffers
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, make([]byte, size), 0o600))
	for _, path := range []string{"/v1/files", "/graphql", "/v1/mcp", "/files/a"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			ended := make(chan error, 1)
			// On a busy machine, a client that reads may pause for a second.
			server := httptest.NewServer(limitResponseTimeWith(3*time.Second, 1<<30, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var err error
				if r.URL.Path == "/files/a" {
					opened, failed := os.Open(file)
					check(t, failed)
					_, err = io.Copy(w, io.LimitReader(opened, size))
					check(t, opened.Close())
				} else {
					_, err = w.Write(make([]byte, size))
				}
				ended <- err
			})))
			t.Cleanup(server.Close)
			response, err := server.Client().Get(server.URL + path)
			check(t, err)
			if n, err := io.Copy(io.Discard, response.Body); n != size || err != nil {
				t.Errorf("got %d bytes, %v, want all %d", n, err, size)
			}
			check(t, response.Body.Close())
			check(t, <-ended)

			silent, err := net.Dial("tcp", server.Listener.Addr().String())
			check(t, err)
			_, err = io.WriteString(silent, "GET "+path+" HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n")
			check(t, err)
			if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("to a client that does not read: got %v, want %v", err, os.ErrDeadlineExceeded)
			}
			check(t, silent.Close())
		})
	}
}

// Clients that read slower than the minimum rate make room for others.
func TestTimedResponse_is_dropped_when_others_need_the_memory(t *testing.T) {
	t.Parallel()
	room := &semaphore.Room{Size: responseChunk, Floor: 1, Grace: time.Millisecond}
	unread := func() (*semaphore.Room, string) { return room, "first" }
	// The client of the first response reads nothing until it is dropped.
	conn, client := net.Pipe()
	t.Cleanup(func() { _ = client.Close() }) // a pipe's never fails
	first := &timedResponse{ResponseWriter: pipeWriter{httptest.NewRecorder(), conn}, unread: unread, grace: time.Hour, rate: 1}
	first.control = http.NewResponseController(first.ResponseWriter)
	ended := make(chan error, 1)
	go func() {
		_, err := first.Write(make([]byte, 2*responseChunk))
		ended <- err
	}()
	for err := error(nil); err == nil; { // each one adds to the waiting bytes
		select {
		case err = <-ended:
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("first response: got %v, want %v", err, os.ErrDeadlineExceeded)
			}
			return
		case <-t.Context().Done():
			t.Fatal("the first response was never dropped")
		default:
			other, _ := room.Enter("other", 0, func() {})
			other.Grow(responseChunk)
			other.Leave()
		}
	}
}

type pipeWriter struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (w pipeWriter) Write(p []byte) (int, error)        { return w.conn.Write(p) }
func (w pipeWriter) SetWriteDeadline(t time.Time) error { return w.conn.SetWriteDeadline(t) }
