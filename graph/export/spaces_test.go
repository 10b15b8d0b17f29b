package export

import (
	"bytes"
	"context"
	"io"
	"testing"

	"portico/graph"
	"portico/model"
	"portico/storage"
)

// deletingStore calls a function of the test after an object has been opened.
type deletingStore struct {
	storage.Store
	afterOpen func()
}

func (s deletingStore) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	object, err := s.Store.Open(ctx, key)
	s.afterOpen()
	return object, err
}

// The archive leaves such a space out, but its assets stay with the account.
func TestWrite_keeps_the_files_of_a_space_that_is_deleted_meanwhile(t *testing.T) {
	t.Parallel()
	core, user := newCore(t)
	core.Settings.AsyncThreshold, core.Settings.MaxFileSize = 1, 1
	resolver := graph.New(core)
	ctx := model.WithCaller(t.Context(), &model.Caller{UserID: user.ID})
	space, err := resolver.Mutation().CreateSpace(ctx, model.CreateSpace{})
	check(t, err)
	_, err = resolver.Mutation().ApplyChanges(ctx, model.ChangeSet{SpaceID: space.ID, Puts: []model.FilePut{
		{Path: model.SpaceFolder + "assets/hall.png", Content: []byte("x")},
	}})
	check(t, err)
	store := deletingStore{core.Store, func() {
		if _, err := resolver.Mutation().DeleteSpace(ctx, space.ID); err != nil && model.CodeOf(err) != model.CodeNotFound {
			t.Errorf("delete the space: %v", err)
		}
	}}

	var out bytes.Buffer
	check(t, Write(t.Context(), Options{DB: core.DB, Store: store, Resolver: resolver, User: user}, &out))
	var spaces []model.ExportedSpace
	readJSON(t, out.Bytes(), model.ExportSpacesFile, &spaces)
	var files []model.ExportedUpload
	readJSON(t, out.Bytes(), model.ExportFilesFile, &files)
	if len(spaces) != 0 || len(files) != 1 {
		t.Errorf("got %d spaces and %d files, want no space and its file", len(spaces), len(files))
	}
}
