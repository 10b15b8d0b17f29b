package connection

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

	"portico/internal/semaphore"
	"portico/model"
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

// isPutOfFile reports whether a request is one whose body the store limits.
func isPutOfFile(r *http.Request) bool { return r.Method == http.MethodPut }

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
			LimitBodyTime(isPutOfFile, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
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
	server := httptest.NewServer(LimitBodyTime(isPutOfFile, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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

	r := httptest.NewRequestWithContext(WithConnection(context.Background(), server), http.MethodGet, "/", nil)
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

// Somebody without an account fills the room of incomplete bodies. The slower bodies of accounts
// arrive, and so does the form of another stranger.
func TestLimitBodyTime_of_strangers_takes_no_room_of_accounts(t *testing.T) {
	t.Parallel()
	const size = 1 << 10
	rooms := newBodyRooms()
	rooms.strangers = semaphore.Room{Size: 4 * size, Share: 3 * size, Floor: minBodyRate, Grace: bodyGrace}
	rooms.accounts = semaphore.Room{Size: 4 * size, Share: 3 * size, Floor: minBodyRate, Grace: bodyGrace}
	arrived, ended := make(chan struct{}), make(chan error, 10)
	never := func(*http.Request) bool { return false }
	inner := limitBodyTimeWith(never, rooms, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if user := r.Header.Get("Authorization"); user != "" {
			model.Identify(r.Context(), user)
		}
		if _, err := io.CopyN(io.Discard, r.Body, size); err != nil {
			t.Errorf("the first bytes: got %v, want them", err)
		}
		arrived <- struct{}{}
		_, err := io.ReadAll(r.Body)
		ended <- err
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := model.WithOrigin(r.Context(), model.Origin{Address: r.Header.Get("From")})
		inner.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(server.Close)
	begin := func(user, address string) *io.PipeWriter {
		body, sender := io.Pipe()
		t.Cleanup(func() { _ = sender.Close() }) // a pipe's never fails
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
		check(t, err)
		r.Header.Set("From", address)
		r.Header.Set("Authorization", user)
		go func() {
			if response, err := http.DefaultClient.Do(r); err == nil {
				_ = response.Body.Close()
			}
		}()
		_, err = sender.Write(make([]byte, size))
		check(t, err)
		<-arrived
		return sender
	}
	finish := func(whose string, sender *io.PipeWriter) {
		t.Helper()
		check(t, sender.Close())
		if err := <-ended; err != nil {
			t.Errorf("the body of %s: got %v, want the whole of it", whose, err)
		}
	}
	alice, visitor := begin("alice", "192.0.2.1"), begin("", "192.0.2.2")
	for range 6 { // a share of three
		begin("", "203.0.113.7")
	}
	for range 3 {
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("an unfinished body of the flood: got %v, want it to be given up", err)
		}
	}
	finish("another stranger", visitor)
	for range 5 { // an account that floods takes its own room
		begin("mallory", "203.0.113.8")
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("an unfinished body of an account's flood: got %v, want it to be given up", err)
		}
	}
	finish("alice", alice)
}
