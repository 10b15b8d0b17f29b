package graph_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"portico/model"
	"portico/storage"
)

// overtaken is a store whose first look for an object comes late: before it, another request is
// served.
type overtaken struct {
	storage.Store
	other func()
	once  sync.Once
}

func (s *overtaken) Stat(ctx context.Context, key string) (storage.Object, error) {
	s.once.Do(s.other)
	return s.Store.Stat(ctx, key)
}

// Another request has confirmed the archive, and its worker has removed the bytes.
func TestCompleteUpload_answers_with_the_job_that_has_just_started(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address, store := w.upload(w.alice, "a.zip", 10), w.store
	var other *model.Confirmation
	w.useStore(&overtaken{Store: store, other: func() {
		w.useStore(store)
		var err error
		other, err = w.complete(w.alice, address)
		check(t, err)
		key, _ := store.KeyOf(address)
		check(t, store.Delete(t.Context(), key))
	}})
	got, err := w.complete(w.alice, address)
	check(t, err)
	if got.Job == nil || got.Job.ID != other.Job.ID {
		t.Errorf("second confirmation: got %v, want job %s", got, other.Job.ID)
	}
}

// locked is a store in which another request has locked an object until the end of the first
// attempt to assemble it.
type locked struct {
	storage.Store
	unlock func()
	once   sync.Once
}

func (s *locked) Assemble(ctx context.Context, key string, size int64) error {
	err := s.Store.Assemble(ctx, key, size)
	s.once.Do(s.unlock)
	return err
}

func TestCompleteUpload_waits_for_a_request_that_has_locked_the_object(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := createUpload("scan.ply", 10)
	in.Resumable = true
	params, err := w.Mutation().CreateUpload(w.alice.ctx, in)
	check(t, err)
	upload, err := w.Access().OwnedUpload(w.alice.ctx, model.CompleteUpload{Status: model.StatusSuccess, FileURL: params.URL})
	check(t, err)
	_, err = w.store.Append(t.Context(), upload.StorageKey(), 0, io.LimitReader(zeros{}, 10))
	check(t, err)

	store, body, end := w.store, newBlocked(), make(chan error, 1)
	go func() {
		_, err := store.Append(t.Context(), upload.StorageKey(), 10, body)
		end <- err
	}()
	<-body.isRead
	w.useStore(&locked{Store: store, unlock: func() {
		close(body.finish)
		check(t, <-end)
	}})
	got, err := w.complete(w.alice, params.URL)
	check(t, err)
	if got.File == nil {
		t.Errorf("confirmation: got %v, want the file", got)
	}
}

// blocked is an empty reader that does not end before finish is closed.
type blocked struct {
	isRead, finish chan struct{}
	once           sync.Once
}

func newBlocked() *blocked { return &blocked{isRead: make(chan struct{}), finish: make(chan struct{})} }

func (b *blocked) Read([]byte) (int, error) {
	b.once.Do(func() { close(b.isRead) })
	<-b.finish
	return 0, io.EOF
}
