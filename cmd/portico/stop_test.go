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

	watching := c.watch(id)
	upload := c.halfUpload()

	ended := startTimer(t, "stop")
	server.Signal(syscall.SIGTERM)
	server.Logged("stopping")
	watching.wantStopped()
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

// watchers are two subscriptions to a job.
type watchers struct {
	t      testing.TB
	socket *websocket.Conn
	events *bufio.Reader // server-sent events
}

// watch subscribes to a job over a WebSocket and by server-sent events. It returns when both have
// the current state. The subscriptions end with the test.
func (c *user) watch(id string) watchers {
	c.T.Helper()
	w := watchers{t: c.T, socket: c.Socket()}
	c.T.Cleanup(func() { _ = w.socket.CloseNow() }) // usually closed
	check(c.T, wsjson.Write(c.T.Context(), w.socket, map[string]any{"id": "1", "type": "subscribe", "payload": api.WatchJob(id)}))
	_, _, err := w.socket.Read(c.T.Context())
	check(c.T, err)
	response := c.OpenEvents(c.T.Context(), id)
	c.T.Cleanup(func() { _ = response.Body.Close() }) // it was read
	w.events = bufio.NewReader(response.Body)
	for line := ""; !strings.HasPrefix(line, "data:"); {
		line, err = w.events.ReadString('\n')
		check(c.T, err)
	}
	return w
}

// wantStopped reads both subscriptions until they end, and checks that their clients will connect
// again: the server closes the socket as going away, and does not complete the event stream.
func (w watchers) wantStopped() {
	w.t.Helper()
	var err error
	for err == nil { // states that were sent before
		_, _, err = w.socket.Read(w.t.Context())
	}
	if got := websocket.CloseStatus(err); got != websocket.StatusGoingAway {
		w.t.Errorf("socket: got %v (%v), want it closed as going away", got, err)
	}
	if states, completed := api.ReadEvents(w.t, w.events); completed {
		w.t.Errorf("events: got complete after %v, want none, so that the client returns", states)
	}
}

// halfUpload is an upload whose body was sent only in part.
type halfUpload struct {
	t        testing.TB
	address  string
	rest     *io.PipeWriter
	response chan api.Response
}

// halfUpload starts an upload and returns when the server has read some bytes.
func (c *user) halfUpload() *halfUpload {
	c.T.Helper()
	params := c.Promise("half.png", 8)
	address, _, _ := strings.Cut(params.URL, "?")
	r, w := io.Pipe()
	u := &halfUpload{t: c.T, address: address, rest: w, response: make(chan api.Response, 1)}
	go func() {
		header := http.Header{"Content-Type": {params.Headers["Content-Type"]}, "Expect": {"100-continue"}}
		u.response <- c.Send("PUT", params.URL, header, r, 8)
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
	(<-u.response).Want(200, nil)
}

func pathOf(t testing.TB, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	check(t, err)
	return parsed.RequestURI()
}

// testSecondSignal delays the stop of a server with a stalled upload. The second signal must end
// the server and its Postgres immediately.
func testSecondSignal(t *testing.T, server *process, c *user) {
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
