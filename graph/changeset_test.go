package graph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/graph"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// The bytes of an uploaded file are deleted after its row was read, by a request that deletes the
// file.
func TestApplyChanges_refuses_a_file_that_was_just_deleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, file := w.space(w.alice, model.SpaceInfinite), w.file(w.alice, "hall.glb")
	check(t, w.store.Delete(t.Context(), file.StorageKey()))
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID: space.ID, Puts: []model.FilePut{{Path: "space/assets/hall.glb", ResourceKey: file.ResourceKey}},
	})
	checkError(t, err, model.CodeInvalidFiles, "space/assets/hall.glb: File not found")
}

func TestApplyChanges_refuses_too_many_files(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	half := model.MaxChanges / 2
	for _, test := range []struct {
		in   model.ChangeSet
		want string
	}{
		{
			model.ChangeSet{Puts: make([]model.FilePut, half), Deletes: make([]string, half+1)},
			"A change set puts and deletes at most 5000 files",
		},
		{model.ChangeSet{Expected: make([]model.ExpectedFile, model.MaxChanges+1)}, "A change set expects at most 5000 files"},
	} {
		test.in.SpaceID = space.ID
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, test.in)
		checkError(t, err, model.CodeTooLarge, test.want)
	}
}

// A client shows the refusal: the same request must not get another text each time.
func TestApplyChanges_refuses_deleted_files_in_one_order(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := model.ChangeSet{SpaceID: w.space(w.alice, model.SpaceInfinite).ID}
	for _, name := range []string{"hall.glb", "table.glb", "chair.glb"} {
		file := w.file(w.alice, name)
		check(t, w.store.Delete(t.Context(), file.StorageKey()))
		in.Puts = append(in.Puts, model.FilePut{Path: "space/assets/" + name, ResourceKey: file.ResourceKey})
	}
	_, first := w.Mutation().ApplyChanges(w.alice.ctx, in)
	checkError(t, first, model.CodeInvalidFiles, "")
	for range 20 {
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, in)
		equal(t, "refusal", fmt.Sprint(err), first.Error())
	}
}

// The rules of entities have the same texts as in the operations on one entity.
func TestApplyChanges_names_the_file_that_breaks_a_rule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
	check(t, err)
	chair := model.FilePut{Path: model.EntityPath("chair"), Content: []byte(`{"type":"DynamicGate","data":` + string(placed) + `}`)}
	for want, in := range map[string]model.ChangeSet{
		"space/room.json: RoomInfo cannot be deleted": {Deletes: []string{model.RoomPath}},
		"space/entities/chair.json: entity_type of a gate cannot be changed, and no other entity can become a gate": {
			Puts: []model.FilePut{chair},
		},
		// A rule of change sets alone.
		"space/entities/chair.json: The path is sent twice": {Puts: []model.FilePut{chair}, Deletes: []string{chair.Path}},
	} {
		in.SpaceID = space.ID
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, in)
		checkError(t, err, model.CodeInvalidFiles, want)
	}
}

// Another editor changes a file that the change set does not have to store, while the change set
// waits for the space. Without the file the change set would be half applied.
func TestApplyChanges_refuses_an_equal_file_that_has_just_changed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const hall = "space/assets/hall.glb"
	put := func(space *model.Space, content string) model.ChangeSet {
		return model.ChangeSet{SpaceID: space.ID, Puts: []model.FilePut{{Path: hall, Content: []byte(content)}}}
	}
	for _, change := range []struct {
		name  string
		apply func(tx *db.DB, space *model.Space, file *model.SpaceFile) error
	}{
		{"deletes", func(tx *db.DB, space *model.Space, file *model.SpaceFile) error {
			return tx.Spaces().DeleteSpaceFile(t.Context(), space.ID, file.Path)
		}},
		{"replaces", func(tx *db.DB, _ *model.Space, file *model.SpaceFile) error {
			other := *file
			other.SHA256 = strings.Repeat("0", len(file.SHA256))
			return tx.Spaces().PutSpaceFile(t.Context(), &other)
		}},
	} {
		space := w.space(w.alice, model.SpaceInfinite)
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, put(space, "a hall"))
		check(t, err)
		files, err := w.db.Spaces().SpaceFiles(t.Context(), space.ID)
		check(t, err)
		again := put(space, "a hall")
		again.Puts = append(again.Puts, model.FilePut{Path: model.EntityPath("e"), Content: []byte(`{"id":"e","type":"T","data":{}}`)})
		applied := make(chan error, 1)
		check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
			if _, err := graph.LockEditableSpace(t.Context(), tx, space.ID); err != nil {
				return err
			}
			go func() {
				_, err := w.Mutation().ApplyChanges(w.alice.ctx, again)
				applied <- err
			}()
			w.untilOneWaits()
			return change.apply(tx, space, files[0])
		}))
		checkError(t, <-applied, model.CodeConflict, "The space has changed since it was read: "+hall)
		entity, err := w.db.Entities().OwnedEntity(t.Context(), w.alice.id, space.ID, "e")
		check(t, err)
		if entity != nil {
			t.Errorf("entity of the change set, when another %s the file: got %v, want none", change.name, entity)
		}
	}
}

// untilOneWaits returns when a statement waits for a lock.
func (w *world) untilOneWaits() {
	w.t.Helper()
	w.untilWaiting(1)
}

// untilWaiting returns when as many statements wait for a lock.
func (w *world) untilWaiting(statements int) {
	w.t.Helper()
	// Only the administrator sees what the statements of all users wait for.
	activity := postgres.Connect(w.t, postgres.AdminURL(w.t, w.url))
	for waiting := 0; waiting < statements; {
		check(w.t, activity.QueryRowContext(w.t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting))
	}
}

// A file that cannot be deleted stays in the account and takes storage, so the log must have it.
func TestApplyChanges_logs_the_files_that_it_cannot_discard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	w.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END';
		CREATE TRIGGER fail BEFORE DELETE ON files FOR EACH ROW EXECUTE FUNCTION fail()`)
	hash := strings.Repeat("0", 64)
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID:  space.ID,
		Puts:     []model.FilePut{{Path: "space/assets/hall.glb", Content: []byte("a hall")}},
		Expected: []model.ExpectedFile{{Path: "space/assets/hall.glb", SHA256: &hash}},
	})
	if model.CodeOf(err) != model.CodeConflict {
		t.Errorf("change set: got %v, want a conflict", err)
	}
	if got := w.log.String(); !strings.Contains(got, "delete a file of a failed change set") {
		t.Errorf("log: got %q, want the file", got)
	}
}

// A read after the rollback could return what another editor wrote in between, with the changes
// that the dry run found before. By the policy of the test such a read finds no entities: it has no
// transaction that has locked a row.
func TestApplyChanges_reads_the_content_of_a_dry_run_in_its_transaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	change := func(text string) model.ChangeSet {
		content := []byte(`{"id":"e","type":"T","data":{"text":"` + text + `"}}`)
		return model.ChangeSet{SpaceID: space.ID, Puts: []model.FilePut{{Path: model.EntityPath("e"), Content: content}}}
	}
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, change("before"))
	check(t, err)
	w.exec(`ALTER TABLE entities ENABLE ROW LEVEL SECURITY;
		CREATE POLICY of_writers ON entities USING (pg_current_xact_id_if_assigned() IS NOT NULL)`)
	dryRun := change("after")
	dryRun.DryRun, dryRun.ReturnsContent = true, true
	result, err := w.Mutation().ApplyChanges(w.alice.ctx, dryRun)
	check(t, err)
	equal(t, "changes", len(result.Applied), 1)
	var texts []string
	for _, entity := range result.Content.Entities {
		if entity.EntityID == "e" {
			texts = append(texts, string(entity.Data))
		}
	}
	equal(t, "content", strings.Join(texts, " "), `{"text": "before"}`)
}

// The owner has never seen the files, and the audit trail has room for so many events a day.
func TestApplyChanges_records_no_event_of_the_files_that_it_discards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	hash := strings.Repeat("0", 64)
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID:  space.ID,
		Puts:     []model.FilePut{{Path: "space/assets/hall.glb", Content: []byte("a hall")}},
		Expected: []model.ExpectedFile{{Path: "space/assets/hall.glb", SHA256: &hash}},
	})
	if model.CodeOf(err) != model.CodeConflict {
		t.Errorf("change set: got %v, want a conflict", err)
	}
	files, err := w.db.Files().Files(t.Context(), w.alice.id, model.FileFilter{}, model.Page{Limit: 10})
	check(t, err)
	equal(t, "files", len(files.Nodes), 0)
	events, err := w.db.Audit().SecurityEvents(t.Context(), w.alice.id, model.Page{Limit: 10})
	check(t, err)
	for _, event := range events.Nodes {
		if event.Type == model.EventFileDeleted {
			t.Errorf("audit trail: got %+v, want no event of the file", event)
		}
	}
}

// A store that does not respond must not keep the slot of the change set forever, nor leave files
// in the account. Rows that are deleted slowly leave the objects their time.
func TestApplyChanges_limits_the_time_of_a_discard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	const rowTime = 200 * time.Millisecond
	w.exec(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN OLD; END'`)
	w.exec(`CREATE TRIGGER slow BEFORE DELETE ON files FOR EACH ROW EXECUTE FUNCTION slow()`)
	started := time.Now()
	var deadline time.Time
	deletions, kept := 0, 0
	w.useStore(deletingStore{w.store, func(ctx context.Context) {
		deadline, _ = ctx.Deadline()
		files, err := w.db.Files().Files(t.Context(), w.alice.id, model.FileFilter{}, model.Page{Limit: 10})
		check(t, err)
		deletions, kept = deletions+1, max(kept, len(files.Nodes))
	}})
	hash := strings.Repeat("0", 64)
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID: space.ID,
		Puts: []model.FilePut{
			{Path: "space/assets/hall.glb", Content: []byte("a hall")},
			{Path: "space/assets/door.glb", Content: []byte("a door")},
		},
		Expected: []model.ExpectedFile{{Path: "space/assets/hall.glb", SHA256: &hash}},
	})
	if model.CodeOf(err) != model.CodeConflict {
		t.Errorf("change set: got %v, want a conflict", err)
	}
	if rest := time.Until(deadline); rest <= 0 || rest > graph.DiscardTimeout {
		t.Errorf("time for the discard: got %s, want at most %s", rest, graph.DiscardTimeout)
	}
	if took := deadline.Add(-graph.DiscardTimeout).Sub(started); took < 2*rowTime {
		t.Errorf("the time for the objects began after %s, before both rows were deleted", took)
	}
	equal(t, "deleted objects", deletions, 2)
	equal(t, "files in the account while their objects are deleted", kept, 0)
}
