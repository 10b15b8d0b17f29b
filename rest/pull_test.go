package rest

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"portico/graph"
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
			if lines := w.log.lines(); len(lines) != 0 {
				t.Errorf("log: got %q, want nothing", lines)
			}
			pull().status2xx()
		})
	}
}
