package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"portico/internal/testkit/api"
	"portico/splat/splattest"
)

// The test stops a server while everything runs that can, starts it again, and ends it at
// once.
func TestServer_stops_while_everything_runs(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := serve(t, dir, "PORTICO_WORKERS=0", "PORTICO_METRICS_ADDR=127.0.0.1:0")
	ready := "http://" + server.Logged("serving metrics")["address"].(string) + "/readyz"
	check(t, probe(ready))
	c := server.newUser(t, "stopper@example.com")
	scan := splattest.Capture{Tiles: 3, TileBytes: 1000}
	id := c.StartJob("scan.zip", api.Capture(t, scan))

	conn := c.Socket()
	defer conn.CloseNow()
	check(t, wsjson.Write(t.Context(), conn, map[string]any{"id": "1", "type": "subscribe", "payload": api.WatchJob(id)}))
	_, _, err := conn.Read(t.Context()) // the state now: it is subscribed
	check(t, err)
	events := c.OpenEvents(t.Context(), id)
	defer events.Body.Close()
	stream := bufio.NewReader(events.Body)
	for line := ""; !strings.HasPrefix(line, "data:"); { // the state now
		line, err = stream.ReadString('\n')
		check(t, err)
	}
	upload := c.halfUpload()

	ended := startTimer(t, "stop")
	server.Signal(syscall.SIGTERM)
	server.Logged("stopping")
	_, _, err = conn.Read(t.Context())
	if got := websocket.CloseStatus(err); got != websocket.StatusGoingAway {
		t.Errorf("socket: got %v (%v), want it closed as going away", got, err)
	}
	if states, completed := api.ReadEvents(t, stream); len(states) != 0 || completed {
		t.Errorf("events: got %v, completed %v, want no complete, so that the client returns", states, completed)
	}
	api.Eventually(t, "no new connection is taken", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	if err := probe(ready); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("ready while it stops: got %v, want 503", err)
	}
	upload.finish()
	if code := server.Wait(); code != 0 {
		t.Errorf("exit code: got %d, want 0", code)
	}
	ended()
	awaitNoPostgres(t, dir)
	server.CheckJSON()

	started := startTimer(t, "start again")
	server = serve(t, dir)
	c = server.reconnect(c)
	started()
	if done := c.Await(id); done.Status != "completed" {
		t.Errorf("job that waited: got %+v, want it completed", done)
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(c.URL+pathOf(t, upload.address))).Want(200, nil)
	testSecondSignal(t, server, c)
}

// halfUpload is an upload whose body was sent only in part.
type halfUpload struct {
	t       testing.TB
	address string
	rest    *io.PipeWriter
	answer  chan api.Response
}

// halfUpload starts an upload and returns when the server has read some bytes.
func (c *client) halfUpload() *halfUpload {
	c.T.Helper()
	params := c.Promise("half.png", 8)
	address, _, _ := strings.Cut(params.URL, "?")
	r, w := io.Pipe()
	u := &halfUpload{t: c.T, address: address, rest: w, answer: make(chan api.Response, 1)}
	go func() {
		header := http.Header{"Content-Type": {params.Headers["Content-Type"]}, "Expect": {"100-continue"}}
		u.answer <- c.Send("PUT", params.URL, header, r, 8)
	}()
	_, err := w.Write([]byte("half")) // taken only once the server has said to continue
	check(c.T, err)
	return u
}

// finish sends the rest, which must be taken.
func (u *halfUpload) finish() {
	u.t.Helper()
	_, err := u.rest.Write([]byte("half"))
	check(u.t, errors.Join(err, u.rest.Close()))
	(<-u.answer).Want(200, nil)
}

// pathOf returns the path and the query of an address.
func pathOf(t testing.TB, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	check(t, err)
	return parsed.RequestURI()
}

// testSecondSignal delays the stop of a server with a stalled upload. The second signal must end
// the server and its Postgres immediately.
func testSecondSignal(t *testing.T, server *process, c *client) {
	t.Helper()
	params := c.Promise("half.png", 8)
	conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	check(t, err)
	defer conn.Close()
	path := pathOf(t, params.URL)
	_, err = io.WriteString(conn, "PUT "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\nExpect: 100-continue\r\nContent-Type: "+params.Headers["Content-Type"]+"\r\n\r\nhalf")
	check(t, err)
	_, err = conn.Read(make([]byte, 1)) // 100: the request runs
	check(t, err)

	server.Signal(syscall.SIGTERM)
	server.Logged("stopping")
	server.Signal(syscall.SIGINT)
	if got, want := server.Wait(), 128+int(syscall.SIGINT); got != want {
		t.Errorf("exit code: got %d, want %d, of the second signal", got, want)
	}
	awaitNoPostgres(t, server.dir)
}

func TestStop_while_starting(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := launch(t, dir, nil, "serve")
	// Its first start makes a cluster, which takes a while.
	api.Eventually(t, "it starts", func() bool {
		_, err := os.Stat(filepath.Join(dir, "postgres"))
		return err == nil
	})
	server.Signal(syscall.SIGINT)
	if code := server.Wait(); code != 0 {
		t.Errorf("exit code: got %d, want 0", code)
	}
	server.CheckJSON()
	awaitNoPostgres(t, dir)
}
