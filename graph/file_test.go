package graph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/storage"
)

func TestFiles_lists_the_files_of_the_caller_newest_first(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.file(w.alice, "first.glb"), w.file(w.alice, "second.glb")
	w.file(w.bob, "other.glb")
	page, err := w.Query().Files(w.alice.ctx, ptr(1), nil)
	check(t, err)
	if len(page.Nodes) != 1 || page.Nodes[0].ResourceKey != second.ResourceKey || page.TotalCount != 2 {
		t.Fatalf("first page: got %v of %d, want the newest of 2", page.Nodes, page.TotalCount)
	}
	page, err = w.Query().Files(w.alice.ctx, nil, page.PageInfo.EndCursor)
	check(t, err)
	if len(page.Nodes) != 1 || page.Nodes[0].ResourceKey != first.ResourceKey || page.PageInfo.HasNextPage {
		t.Errorf("second page: got %v, want the oldest and the end", page.Nodes)
	}
	got, err := w.Query().File(w.alice.ctx, first.ResourceKey)
	check(t, err)
	equal(t, "name", got.Name, "first.glb")
}

// extracted makes a file of a zip, in a folder of two objects, as a worker does.
func (w *world) extracted(who account) (file *model.File, address string) {
	w.t.Helper()
	ctx := w.t.Context()
	address = w.upload(who, "scan.zip", 10)
	confirmation, err := w.complete(who, address)
	check(w.t, err)
	job := w.claim(confirmation.Job)
	upload, err := w.db.Uploads().Upload(ctx, job.UploadID)
	check(w.t, err)
	file = model.NewFile(upload)
	file.ResourceKey, file.Objects = upload.ExtractedRoot()+"scan.lcc2", 2
	for _, key := range []string{file.StorageKey(), upload.StorageRoot() + "tiles/0.sog"} {
		_, err := w.store.Put(ctx, key, strings.NewReader("content"))
		check(w.t, err)
	}
	check(w.t, w.db.InTx(ctx, func(tx *db.DB) error {
		if _, err := tx.Jobs().CompleteJob(ctx, job.ID, job.Attempt, file.ResourceKey, "Completed"); err != nil {
			return err
		}
		if _, err := tx.Uploads().MoveUpload(ctx, upload.ID, model.UploadProcessing, model.UploadConfirmed); err != nil {
			return err
		}
		return tx.Files().AddFile(ctx, file)
	}))
	check(w.t, w.store.Delete(ctx, upload.StorageKey()))
	return file, address
}

// objects counts what the store has.
func (w *world) objects() (count int) {
	w.t.Helper()
	for _, err := range w.store.List(w.t.Context(), "") {
		check(w.t, err)
		count++
	}
	return count
}

func TestDeleteFile(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(w *world) (*model.File, string){
		"one object": func(w *world) (*model.File, string) {
			address := w.upload(w.alice, "a.glb", 10)
			confirmation, err := w.complete(w.alice, address)
			check(w.t, err)
			return confirmation.File, address
		},
		"a folder": func(w *world) (*model.File, string) { return w.extracted(w.alice) },
	} {
		t.Run("removes "+name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.file(w.alice, "kept.glb")
			file, address := make(w)
			entity, err := w.put(model.CreateEntity{SpaceID: w.space(w.alice, model.SpaceInfinite).ID, ResourceKey: &file.ResourceKey})
			check(t, err)
			used := w.storage(w.alice).Used

			key, err := w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
			check(t, err)
			equal(t, "key", key, file.ResourceKey)
			equal(t, "used", w.storage(w.alice).Used, used-file.Size)
			equal(t, "objects", w.objects(), 1)
			_, err = w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
			checkError(t, err, model.CodeNotFound, "File not found")
			_, err = w.complete(w.alice, address)
			checkError(t, err, model.CodeNotFound, "Uploaded file not found")
			// A second discard gets the response of the first.
			_, err = w.Mutation().CompleteUpload(w.alice.ctx, model.CompleteUpload{Status: "failed", FileURL: address})
			check(t, err)
			checkData(t, w.entity(&model.Space{ID: entity.Entity.SpaceID, OwnerID: w.alice.id}, entity.Entity.EntityID).Data, string(entity.Entity.Data))
		})
	}
}

// TestDeleteFile_records_its_objects checks that the objects of a file are recorded for removal
// when the store is unavailable, and that bytes that are sent again are removed again.
func TestDeleteFile_records_its_objects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file, address := w.extracted(w.alice)
	w.useStore(away{w.store})
	_, err := w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
	check(t, err)
	equal(t, "objects that are left", w.objects(), 2)
	due, err := w.db.Files().DueRemovals(t.Context(), 10)
	check(t, err)
	folder := strings.TrimSuffix(file.StorageKey(), "scan.lcc2")
	if len(due) != 1 || due[0] != folder {
		t.Errorf("due: got %v, want the folder %s", due, folder)
	}
	w.exec("UPDATE removals SET due_at = now()")
	due, err = w.db.Files().DueRemovals(t.Context(), 10)
	check(t, err)
	key, _ := w.store.KeyOf(address)
	slices.Sort(due)
	if want := []string{folder, key, file.DerivedStorageRoot()}; !slices.Equal(due, slices.Sorted(slices.Values(want))) {
		t.Errorf("due when nothing can come any more: got %v, want %v", due, want)
	}
}

// A worker adds a view while a request that has read the file waits for its row. The storage of the
// view must count until its objects are deleted.
func TestDeleteFile_counts_a_view_that_was_just_added(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scan.ply")
	w.useStore(away{w.store})
	activity := postgres.Connect(t, w.url)
	const viewBytes = 7
	deleted := make(chan error, 1)
	check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
		if added, err := tx.Files().AddView(t.Context(), file, file.DerivedStorageRoot()+"view", viewBytes); err != nil || !added {
			t.Errorf("AddView: got %v, %v, want true", added, err)
		}
		go func() {
			_, err := w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
			deleted <- err
		}()
		for waiting := 0; waiting == 0; {
			err := activity.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	check(t, <-deleted)
	equal(t, "used", w.storage(w.alice).Used, file.Size+viewBytes)
}

// sharedDisk is a store on the disk of the database, which has room once objects are deleted.
type sharedDisk struct {
	storage.Store
	makeRoom func()
}

func (s sharedDisk) Delete(ctx context.Context, key string) error {
	defer s.makeRoom()
	return s.Store.Delete(ctx, key)
}

func (s sharedDisk) DeletePrefix(ctx context.Context, prefix string) error {
	defer s.makeRoom()
	return s.Store.DeletePrefix(ctx, prefix)
}

// TestDeleteFile_makes_room_for_the_database deletes a file while the database has no room for the
// event that the deletion records.
func TestDeleteFile_makes_room_for_the_database(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "a.glb")
	w.exec("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '53100'; END $$")
	w.exec("CREATE TRIGGER full_disk BEFORE INSERT ON audit_events EXECUTE FUNCTION full_disk()")
	w.useStore(sharedDisk{w.store, func() { w.exec("DROP TRIGGER IF EXISTS full_disk ON audit_events") }})
	_, err := w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
	check(t, err)
	equal(t, "objects", w.objects(), 0)
	equal(t, "used", w.storage(w.alice).Used, 0)
}

// away is a store that cannot delete.
type away struct{ storage.Store }

func (away) Delete(context.Context, string) error       { return errors.New("the store is away") }
func (away) DeletePrefix(context.Context, string) error { return errors.New("the store is away") }

// TestDeleteFile_by_concurrent_requests checks that exactly one of many concurrent requests deletes.
func TestDeleteFile_by_concurrent_requests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "a.glb")
	var deleted int
	for _, err := range atOnce(10, func() error {
		_, err := w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
		return err
	}) {
		if err == nil {
			deleted++
			continue
		}
		checkError(t, err, model.CodeNotFound, "File not found")
	}
	equal(t, "deleted", deleted, 1)
}
