package graph_test

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"portico/db"
	"portico/graph"
	"portico/model"
	"portico/storage"
)

// storedNames returns the keys of the account's objects in the store, without their ids.
func (w *world) storedNames() (names []string) {
	w.t.Helper()
	for object, err := range w.store.List(w.t.Context(), w.alice.id) {
		check(w.t, err)
		_, name, _ := strings.Cut(object.Key, "_")
		_, name, _ = strings.Cut(name, "_")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func folderOf(space *model.Space, name string, files map[string]string) model.ChangeSet {
	set := model.ChangeSet{SpaceID: space.ID}
	for inner, content := range files {
		set.Puts = append(set.Puts, model.FilePut{Path: "space/plugins/" + name + "/" + inner, Content: []byte(content)})
	}
	return set
}

// Another editor changes the folder while a change set of one of its files waits for the space. The
// change set has read the other files before, and would set them back.
func TestApplyChanges_refuses_a_part_of_a_plugin_folder_that_has_just_changed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	for _, name := range []string{"clock", "other"} {
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, folderOf(space, name, map[string]string{"index.mjs": "1", "lib/a.mjs": name}))
		check(t, err)
	}
	files, err := graph.SpaceFilesOf(t.Context(), w.db, space.ID)
	check(t, err)
	before := w.storedNames()
	applied := make(chan error, 1)
	check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
		if _, err := graph.LockEditableSpace(t.Context(), tx, space.ID); err != nil {
			return err
		}
		go func() {
			_, err := w.Mutation().ApplyChanges(w.alice.ctx, folderOf(space, "clock", map[string]string{"lib/b.mjs": "2"}))
			applied <- err
		}()
		w.untilOneWaits()
		changed := *files["plugins/clock"]
		changed.ResourceKey, changed.SHA256 = files["plugins/other"].ResourceKey, files["plugins/other"].SHA256
		return tx.Spaces().PutSpaceFile(t.Context(), &changed)
	}))
	checkError(t, <-applied, model.CodeConflict, "The space has changed since it was read: space/plugins/clock")
	if after := w.storedNames(); !slices.Equal(after, before) {
		t.Errorf("store: got %q, want %q as before", after, before)
	}
}

// brokenStore cannot store objects with this name.
type brokenStore struct {
	storage.Store
	name string
}

var errBrokenStore = errors.New("broken store")

// Put implements storage.Store.
func (s brokenStore) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if path.Base(key) == s.name {
		return 0, errBrokenStore
	}
	return s.Store.Put(ctx, key, r)
}

func TestApplyChanges_leaves_nothing_of_a_plugin_folder_that_it_cannot_store(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	w.exec("UPDATE users SET quota = 2000")
	disk, free := w.store, w.storage(w.alice).Free()
	for _, test := range []struct {
		name  string
		files map[string]string
		store storage.Store
		code  model.Code
	}{
		{"a store that breaks", map[string]string{"index.mjs": "1", "a.mjs": "2", "lib/b.mjs": "3"}, brokenStore{disk, "index.mjs"}, model.CodeInternal},
		{"no storage left", map[string]string{"index.mjs": "1", "a.bin": strings.Repeat("x", 3000)}, disk, model.CodeQuotaExceeded},
	} {
		w.useStore(test.store)
		set := folderOf(space, "clock", test.files)
		set.Puts = append(set.Puts, model.FilePut{Path: "space/plugins/whole.mjs", Content: []byte("1")})
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, set)
		if model.CodeOf(err) != test.code {
			t.Errorf("%s: got %v, want %v", test.name, err, test.code)
		}
		w.useStore(disk)
		if got := w.storedNames(); len(got) != 0 {
			t.Errorf("%s: got the objects %q, want none", test.name, got)
		}
		export, err := w.Query().ExportSpace(w.alice.ctx, space.ID)
		check(t, err)
		equal(t, test.name+": files", len(export.Files), 0)
		equal(t, test.name+": free storage", w.storage(w.alice).Free(), free)
	}
	// The removal of the folder of the first try is recorded, in case that the process had ended.
	removals := 0
	w.scan(&removals, "SELECT count(*) FROM removals WHERE key LIKE '%\\_clock/'")
	equal(t, "removals of the folder", removals, 1)
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, folderOf(space, "clock", map[string]string{"index.mjs": "1", "lib/b.mjs": "3"}))
	check(t, err)
	w.scan(&removals, "SELECT count(*) FROM removals WHERE key LIKE '%\\_clock/'")
	equal(t, "removals after a folder that is stored", removals, 1)
}
