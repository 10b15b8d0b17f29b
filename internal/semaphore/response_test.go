package semaphore

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A response that nobody reads gives its place to one that somebody reads.
func TestRespond_takes_the_place_of_a_client_that_does_not_read(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	room := &Room{Size: 1, Floor: 1 << 30, Grace: 200 * time.Millisecond}
	ended := make(chan error, 2)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response, err := room.Respond(r.Context(), r.URL.Path, w)
		if err != nil {
			t.Errorf("Respond: %v", err)
			return
		}
		defer response.Leave()
		for written := 0; written < size && err == nil; written += 4096 {
			_, err = response.Write(make([]byte, 4096))
		}
		ended <- err
	}))
	server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		_ = conn.(*net.TCPConn).SetWriteBuffer(4096) // at worst the buffer is larger
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	silent, err := net.Dial("tcp", server.Listener.Addr().String())
	if err == nil {
		t.Cleanup(func() { _ = silent.Close() })
		_, err = io.WriteString(silent, "GET /silent HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	for room.Taken() == 0 {
		time.Sleep(time.Millisecond)
	}
	response, err := http.Get(server.URL + "/reader")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if got != size || err != nil {
		t.Errorf("the reader: got %d bytes, %v, want all", got, err)
	}
	if err := <-ended; !errors.Is(err, ErrGaveWay) {
		t.Errorf("the response that nobody reads: got %v, want %v", err, ErrGaveWay)
	}
}
