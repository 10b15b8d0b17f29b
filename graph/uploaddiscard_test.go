package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"portico/graph"
	"portico/model"
	"portico/storage"
)

// leaver is a body whose read ends the request.
type leaver struct{ leave context.CancelFunc }

func (l leaver) Read([]byte) (int, error) {
	l.leave()
	return 0, context.Canceled
}

func TestStoreUpload_frees_the_storage_when_the_client_leaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, leave := context.WithCancel(w.alice.ctx)
	_, err := w.StoreUpload(ctx, model.CreateUpload{FileName: "a.glb", FileSize: 3}, leaver{leave})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want %v", err, context.Canceled)
	}
	equal(t, "storage", w.storage(w.alice), model.Storage{Quota: testQuota})
}

// deletingStore calls deleting before it deletes an object.
type deletingStore struct {
	storage.Store
	deleting func(context.Context)
}

// Delete implements storage.Store.
func (s deletingStore) Delete(ctx context.Context, key string) error {
	s.deleting(ctx)
	return errors.Join(ctx.Err(), s.Store.Delete(ctx, key))
}

// A store that does not answer must not keep the request waiting forever.
func TestStoreUpload_limits_the_time_of_a_discard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var deadline time.Time
	w.useStore(deletingStore{w.store, func(ctx context.Context) { deadline, _ = ctx.Deadline() }})
	ctx, leave := context.WithCancel(w.alice.ctx)
	_, err := w.StoreUpload(ctx, model.CreateUpload{FileName: "a.glb", FileSize: 3}, leaver{leave})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want %v", err, context.Canceled)
	}
	if rest := time.Until(deadline); rest <= 0 || rest > graph.DiscardTimeout {
		t.Errorf("time for the discard: got %s, want at most %s", rest, graph.DiscardTimeout)
	}
}

func TestStoreUpload_frees_the_storage_of_an_upload_that_it_cannot_confirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'`)
	w.exec(`CREATE TRIGGER refuse BEFORE INSERT ON files FOR EACH ROW EXECUTE FUNCTION refuse()`)
	in, content := stored("a.glb", "123")
	_, err := w.StoreUpload(w.alice.ctx, in, content)
	checkError(t, err, model.CodeInternal, "")
	equal(t, "storage", w.storage(w.alice), model.Storage{Quota: testQuota})
	for object, err := range w.store.List(t.Context(), "") {
		t.Errorf("store: got %+v, %v; want nothing", object, err)
	}
}

// unreadable is a body that cannot be read, and whose upload is gone by then.
type unreadable struct{ w *world }

var errUnreadable = errors.New("the body cannot be read")

func (u unreadable) Read([]byte) (int, error) {
	u.w.exec("DELETE FROM uploads")
	return 0, errUnreadable
}

// The refusal to discard an upload must not hide why its content was not stored.
func TestStoreUpload_logs_that_it_cannot_discard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.StoreUpload(w.alice.ctx, model.CreateUpload{FileName: "a.glb", FileSize: 3}, unreadable{w})
	if !errors.Is(err, errUnreadable) || model.CodeOf(err) != model.CodeInternal {
		t.Errorf("error: got %v, want only %v", err, errUnreadable)
	}
	if got := w.log.String(); !strings.Contains(got, "discard an upload") {
		t.Errorf("log: got %q, want that the upload could not be discarded", got)
	}
}
