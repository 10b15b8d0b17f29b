package graph_test

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"testing"

	"portico/graph"
	"portico/model"
	"portico/storage"
)

// receiving creates a resumable upload of three bytes.
func (w *world) receiving() graph.ReceivingUpload {
	w.t.Helper()
	in := createUpload("a.glb", 3)
	in.Resumable = true
	params, err := w.Mutation().CreateUpload(w.alice.ctx, in)
	check(w.t, err)
	upload, err := w.ReceivingUpload(w.alice.ctx, path.Base(params.URL))
	check(w.t, err)
	return upload
}

// vanishing is a body whose upload is gone when it is read.
type vanishing struct {
	io.Reader
	w *world
}

func (v vanishing) Read(p []byte) (int, error) {
	v.w.exec("DELETE FROM uploads")
	return v.Reader.Read(p)
}

func TestAppendUpload_finds_no_upload_that_was_discarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.AppendUpload(w.alice.ctx, w.receiving(), 0, vanishing{strings.NewReader("abc"), w})
	checkError(t, err, model.CodeNotFound, model.UploadNotFound)
}

// hanging is a store that does not answer Delete. Its Delete returns at once, as if the deadline
// had passed, and notes a context that has none.
type hanging struct {
	storage.Store
	unlimited bool
}

func (s *hanging) Delete(ctx context.Context, _ string) error {
	if _, limited := ctx.Deadline(); !limited {
		s.unlimited = true
	}
	return context.DeadlineExceeded
}

func TestAppendUpload_does_not_wait_forever_for_a_store_that_cannot_delete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := &hanging{Store: w.store}
	w.useStore(store)
	_, err := w.AppendUpload(w.alice.ctx, w.receiving(), 0, vanishing{strings.NewReader("abc"), w})
	checkError(t, err, model.CodeNotFound, model.UploadNotFound)
	if got := w.log.String(); !strings.Contains(got, "delete the bytes of a discarded upload") {
		t.Errorf("log: got %q, want the bytes that stay", got)
	}
	if store.unlimited {
		t.Error("Delete: got a context without a deadline, want one with a deadline")
	}
}

// A discarded upload must not hide why its bytes were not stored.
func TestAppendUpload_returns_why_the_bytes_were_not_stored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.AppendUpload(w.alice.ctx, w.receiving(), 0, unreadable{w})
	if !errors.Is(err, errUnreadable) || model.CodeOf(err) != model.CodeInternal {
		t.Errorf("error: got %v, want only %v", err, errUnreadable)
	}
}

// The bytes are stored, and the lease ends by itself.
func TestAppendUpload_logs_a_lease_that_it_cannot_release(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END';
		CREATE TRIGGER fail BEFORE UPDATE ON uploads FOR EACH ROW WHEN (NEW.writer IS NULL) EXECUTE FUNCTION fail()`)
	upload := w.receiving()
	if _, err := w.AppendUpload(w.alice.ctx, upload, 2, strings.NewReader("c")); model.CodeOf(err) != model.CodeConflict {
		t.Errorf("another offset: got %v, want a conflict", err)
	}
	if got := w.log.String(); !strings.Contains(got, "release an upload") {
		t.Errorf("log: got %q, want the lease", got)
	}
	w.exec("UPDATE uploads SET writer_until = now()")
	stored, err := w.AppendUpload(w.alice.ctx, upload, 0, strings.NewReader("abc"))
	check(t, err)
	equal(t, "stored bytes", stored, 3)
}

// The bytes of a client that has left are stored only by a request that still has the lease.
func TestUploadLease_is_renewed_after_the_client_has_left(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	left, leave := context.WithCancel(w.alice.ctx)
	leave()
	lease := w.Lease(left, w.receiving(), strings.NewReader(""))
	if _, err := lease.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("read with the lease: got %v, want EOF", err)
	}
	w.exec("UPDATE uploads SET writer = 'second'")
	lease.Age()
	if _, err := lease.Read(make([]byte, 1)); !graph.IsOtherWriter(err) || !errors.Is(err, storage.ErrOtherAppend) {
		t.Errorf("read without the lease: got %v, want ErrOtherAppend", err)
	}
}

// Another request must not start while the store writes the bytes of this one. It may while this
// one waits for its client, which may have connected again.
func TestUploadLease_is_renewed_while_the_store_works(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	upload := w.receiving()
	lease := w.Lease(w.alice.ctx, upload, nil)
	check(t, lease.Acquire())
	defer lease.Release()
	second := func() bool {
		w.exec("UPDATE uploads SET writer_until = now()")
		lease.RenewForStore()
		acquired, err := w.AcquireLease(w.alice.ctx, upload, "second")
		check(t, err)
		return acquired
	}
	if second() {
		t.Error("a second request while the store works: got the lease, want it refused")
	}
	lease.SetReading(true)
	if !second() {
		t.Error("a second request while the first waits for its client: got no lease, want it")
	}
}
