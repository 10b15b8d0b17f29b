package graph_test

import (
	"context"
	"io"
	"sync/atomic"
	"testing"

	"portico/model"
	"portico/storage"
)

// countingStore counts the objects that are opened.
type countingStore struct {
	storage.Store
	opened atomic.Int64
}

func (s *countingStore) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	s.opened.Add(1)
	return s.Store.Open(ctx, key)
}

// Dry runs that name an uploaded file make the server read it once, and not once each.
func TestHashOf_reads_a_file_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	counting := &countingStore{Store: w.store}
	w.useStore(counting)
	space, file := w.space(w.alice, model.SpaceInfinite), w.file(w.alice, "hall.glb")
	in := model.ChangeSet{
		SpaceID: space.ID, DryRun: true, Puts: []model.FilePut{{Path: "space/assets/hall.glb", ResourceKey: file.ResourceKey}},
	}
	for range 3 {
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, in)
		check(t, err)
	}
	if got := counting.opened.Load(); got != 1 {
		t.Errorf("three dry runs opened the file %d times, want once", got)
	}
	hash, err := w.db.Files().FileHash(t.Context(), file.ResourceKey)
	check(t, err)
	if len(hash) != 64 {
		t.Errorf("remembered hash: got %q, want 64 digits", hash)
	}
}
