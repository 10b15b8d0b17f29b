package rest

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"portico/graph"
	"portico/internal/semaphore"
	"portico/model"
	"portico/storage"
)

// A client cannot distinguish a closed connection from a failure of the network.
func TestPull_answers_an_error_before_the_first_byte(t *testing.T) {
	t.Parallel()
	var store storage.Store
	w := serveCore(t, func(o *graph.Options) { store = o.Store }, func(*Options) {})
	id := w.space(w.alice, `{}`)
	w.change(w.alice, id, "", `{'puts':[{'path':'space/assets/hall.png','content':'x'}]}`).
		want(200, strings.ReplaceAll(applied, "%", `{'op':'put_asset','target':'hall.png'}`))
	for object, err := range store.List(t.Context(), w.alice.id+"/") {
		check(t, err)
		check(t, store.Delete(t.Context(), object.Key))
	}
	got := w.call(w.alice, "POST", "/v1/spaces/"+id+"/pull", "")
	got.want(500, `{'status':'error','message':'Internal server error'}`)
	if header := got.header.Get("Content-Disposition"); header != "" {
		t.Errorf("Content-Disposition: got %q, want none", header)
	}
}

// deletingStore deletes each file that a pull opens, as another request of the owner does:
// before it is opened, or once its first byte was read.
type deletingStore struct {
	storage.Store
	resolver  *graph.Resolver
	whileRead bool
}

func (s *deletingStore) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	content, err := s.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	_, resourceKey, _ := strings.Cut(key, "/")
	if _, err := s.resolver.Mutation().DeleteFile(ctx, resourceKey); err != nil {
		return nil, err
	}
	if !s.whileRead {
		if err := content.Close(); err != nil {
			return nil, err
		}
		return s.Store.Open(ctx, key)
	}
	// A disk keeps an open object. A bucket reads the rest of it on a new connection if one breaks.
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(content, 1), iotest.ErrReader(storage.ErrNotFound)), content}, nil
}

// The client can only pull again, and a deletion is not a fault of the server.
func TestPull_refuses_if_a_file_is_deleted_meanwhile(t *testing.T) {
	t.Parallel()
	for name, whileRead := range map[string]bool{"before it is opened": false, "while it is read": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deleting := &deletingStore{whileRead: whileRead}
			w := serveCore(t, func(o *graph.Options) { deleting.Store, o.Store = o.Store, deleting }, func(*Options) {})
			deleting.resolver = w.resolver
			id := w.space(w.alice, `{}`)
			w.change(w.alice, id, "", `{'puts':[{'path':'space/assets/hall.png','content':'hall'}]}`).status2xx()
			pull := func() response { return w.call(w.alice, "POST", "/v1/spaces/"+id+"/pull", "") }
			pull().refused(409, "A file of the space was deleted during the pull: space/assets/hall.png. Pull again")
			if lines := w.log.Lines(); len(lines) != 0 {
				t.Errorf("log: got %q, want nothing", lines)
			}
			pull().status2xx()
		})
	}
}

// Clients that read an archive slowly hold neither memory nor the places of others for long.
func TestPull_of_a_slow_reader_gives_way(t *testing.T) {
	t.Parallel()
	w := serveCore(t, func(*graph.Options) {}, func(*Options) {})
	id := w.space(w.alice, `{}`)
	text := make([]byte, 512<<10) // more than the buffers of the connection below
	_, _ = rand.Read(text)
	w.makeRoom()
	entity := fmt.Sprintf(`{"id":"big","type":"Simple","data":{"text":%q}}`, base64.StdEncoding.EncodeToString(text))
	w.change(w.alice, id, "", fmt.Sprintf(`{"puts":[{"path":"space/entities/big.json","content":%q}]}`, entity)).status2xx()
	a := &api{resolver: w.resolver, log: slog.New(slog.DiscardHandler), tempFolder: t.TempDir(), pulls: newPulls()}
	a.pulls.sent = semaphore.Room{Size: 1, MaxWaiting: 2, Floor: 1 << 30, Grace: 200 * time.Millisecond}
	ended := make(chan any, 2)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		defer func() { ended <- recover() }()
		r.SetPathValue("spaceId", id)
		ctx := model.WithCaller(r.Context(), &model.Caller{UserID: w.alice.id})
		if err := a.exportSpace(out, r.WithContext(ctx)); err != nil {
			t.Errorf("pull: %v", err)
		}
	}))
	server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		check(t, conn.(*net.TCPConn).SetWriteBuffer(4096))
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	silent, err := net.Dial("tcp", server.Listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { check(t, silent.Close()) })
	check(t, silent.(*net.TCPConn).SetReadBuffer(4096))
	_, err = io.WriteString(silent, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
	check(t, err)
	for a.pulls.sent.Taken() == 0 {
		time.Sleep(time.Millisecond)
	}
	response, err := http.Post(server.URL, "", nil)
	check(t, err)
	size, err := io.Copy(io.Discard, response.Body)
	check(t, err)
	check(t, response.Body.Close())
	if size < int64(len(text)) {
		t.Errorf("the other pull: got %d bytes, want all", size)
	}
	if first := <-ended; first != http.ErrAbortHandler {
		t.Errorf("the pull of a client that does not read: got %v, want it to be aborted", first)
	}
}

// Few archives are made at a time, and few of one account wait.
func TestPull_refuses_an_account_with_too_many(t *testing.T) {
	t.Parallel()
	w := serveCore(t, func(*graph.Options) {}, func(*Options) {})
	a := &api{resolver: w.resolver, log: slog.New(slog.DiscardHandler), tempFolder: t.TempDir(), pulls: newPulls()}
	a.pulls.made = semaphore.Room{Size: 1, Share: 1, MaxWaiting: 1}
	turn, ok := a.pulls.made.Enter(w.alice.id, 1, nil)
	if !ok {
		t.Fatal("enter: got false")
	}
	defer turn.Leave()
	left, leave := context.WithCancel(model.WithCaller(t.Context(), &model.Caller{UserID: w.alice.id}))
	results := make(chan error, 2)
	for range 2 {
		go func() {
			results <- a.exportSpace(httptest.NewRecorder(), httptest.NewRequestWithContext(left, http.MethodPost, "/", nil))
		}()
	}
	if err := <-results; model.CodeOf(err) != model.CodeRateLimited || model.AsError(err).RetryAfter <= 0 {
		t.Errorf("a pull too many: got %v, want 429 with the time to wait", err)
	}
	leave()
	<-results
}
