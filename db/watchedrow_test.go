package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// A change of a file is announced to the spaces of its owner whose entities show the file or its
// view, by what the entities show now.
func TestAnnounceFile_announces_the_spaces_that_show_the_file(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, other := addUser(t, db), addUser(t, db)
	file := addFile(t, db, owner)
	var spaces []string
	for i, user := range []*model.User{owner, owner, owner, owner, other} {
		space := addSpace(t, db, user, fmt.Sprint(i))
		address := []string{file.StorageKey(), owner.ID + "/derived/" + file.UploadID + "/view.sog", file.StorageKey() + "x", "", file.StorageKey()}[i]
		addEntity(t, db, space, "e", model.TypeUserModel, fmt.Sprintf(`{"glbUrl":"https://files.example/%s"}`, address))
		spaces = append(spaces, space.ID)
	}
	put(t.Context(), t, db, &model.Space{ID: spaces[2], OwnerID: owner.ID}, "e", `{"glbUrl":"https://files.example/1/api_uploads/other_a.ply"}`)
	put(t.Context(), t, db, &model.Space{ID: spaces[3], OwnerID: owner.ID}, "e", fmt.Sprintf(`{"glbUrl":%q}`, "https://files.example/"+file.StorageKey()))
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		err := tx.Watched().announceFile(t.Context(), owner.ID, file.UploadID)
		got, want := tx.afterCommit.topics, []Topic{FilesTopic(owner.ID), SpaceTopic(spaces[0]), SpaceTopic(spaces[1]), SpaceTopic(spaces[3])}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("announced: got %v, want %v", got, want)
		}
		return err
	}))
}

// A dry run locks the entities that it would change, and then rolls back.
func TestAnnounceFile_announces_an_entity_that_a_transaction_without_a_commit_has_locked(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
	writer, pid := singleConnection(t, db, url)
	t.Cleanup(func() { check(t, writer.root.Close()) })
	owner := addUser(t, db)
	file, space := addFile(t, db, owner), addSpace(t, db, owner, "Hall")
	addEntity(t, db, space, "e", model.TypeUserModel, fmt.Sprintf(`{"glbUrl":"https://files.example/%s"}`, file.StorageKey()))
	before, err := db.History().EntityVersions(t.Context(), space.ID)
	check(t, err)
	watched := db.Watch(t.Context(), SpaceTopic(space.ID))
	announced := make(chan error, 1)
	err = db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.Entities().LockEntities(t.Context(), space.ID, []string{"e"})
		check(t, err)
		go func() {
			announced <- writer.InTx(t.Context(), func(tx *DB) error {
				return tx.Watched().announceFile(t.Context(), owner.ID, file.UploadID)
			})
		}()
		untilBlocked(t, db, pid)
		return errBroken
	})
	if !errors.Is(err, errBroken) {
		t.Fatalf("transaction that has locked the entity: got %v, want %v", err, errBroken)
	}
	check(t, <-announced)
	receive(t, watched, "the announcement of the space")
	after, err := db.History().EntityVersions(t.Context(), space.ID)
	check(t, err)
	if len(before) != 2 || len(after) != 2 || before[1].Version == after[1].Version {
		t.Errorf("versions: got %v before and %v after, want that of the entity to change", before, after)
	}
	wantSkipped(t, db, 0)
}

// entityVersionsOf returns the row version of each entity of the space, by entity id.
func entityVersionsOf(t testing.TB, db *DB, space *model.Space) map[string]string {
	t.Helper()
	rows, err := db.History().EntityVersions(t.Context(), space.ID)
	check(t, err)
	versions := map[string]string{}
	for _, row := range rows {
		versions[row.EntityID] = row.Version
	}
	return versions
}

// addSkipped records a skipped entity, and returns the id of its row.
func addSkipped(t testing.TB, db *DB, space *model.Space, entityID, uploadID string) (id int64) {
	t.Helper()
	check(t, db.idb.NewRaw("INSERT INTO skipped_entities (space_id, entity_id, upload_id) VALUES (?, ?, ?) RETURNING id",
		space.ID, entityID, uploadID).Scan(t.Context(), &id))
	return id
}

// wantSkipped checks how many skipped entities are recorded.
func wantSkipped(t testing.TB, db *DB, want int) {
	t.Helper()
	if got := number(t, db, "SELECT count(*) FROM skipped_entities"); got != want {
		t.Errorf("recorded entities: got %d, want %d", got, want)
	}
}

// The transaction that has locked the entities changes what they show, so that there is nothing to
// announce for the file.
func TestMarkSkippedEntities_marks_no_entity_that_shows_another_file(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	space := addSpace(t, db, owner, "Hall")
	addEntity(t, db, space, "e", model.TypeUserModel, `{"glbUrl":"https://files.example/1/api_uploads/other_a.ply"}`)
	before := entityVersionsOf(t, db, space)
	addSkipped(t, db, space, "e", "mine")
	addSkipped(t, db, space, "gone", "mine")
	_, err := db.Watched().MarkSkippedEntities(t.Context(), 10)
	check(t, err)
	if after := entityVersionsOf(t, db, space); !maps.Equal(before, after) {
		t.Errorf("versions: got %v, want %v", after, before)
	}
	wantSkipped(t, db, 0)
}

// Another transaction keeps one of the entities locked for longer than a statement may wait.
func TestMarkSkipped_marks_the_others_after_an_error(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
	impatient := openTest(t, Options{URL: url, Connections: 2, Logger: quiet(), StatementTimeout: 200 * time.Millisecond})
	space := addSpace(t, db, addUser(t, db), "Hall")
	var ids []int64
	for _, id := range []string{"a", "b", "c"} {
		addEntity(t, db, space, id, model.TypeUserModel, `{"glbUrl":"https://files.example/1/api_uploads/mine_a.ply"}`)
		ids = append(ids, addSkipped(t, db, space, id, "mine"))
	}
	before := entityVersionsOf(t, db, space)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.Entities().LockEntities(t.Context(), space.ID, []string{"a"})
		check(t, err)
		if err := impatient.Watched().markSkipped(t.Context(), ids); err == nil || !strings.Contains(err.Error(), "timeout") { // of the lock, or of the statement on a busy machine
			t.Errorf("markSkipped: got %v, want a timeout", err)
		}
		return nil
	}))
	after := entityVersionsOf(t, db, space)
	for id, want := range map[string]bool{"a": false, "b": true, "c": true} {
		if got := before[id] != after[id]; got != want {
			t.Errorf("entity %s was marked: got %v, want %v", id, got, want)
		}
	}
	wantSkipped(t, db, 1)
}

// Nothing follows the commit if the process is killed there, or if the response is lost.
func TestMarkSkippedEntities_marks_what_a_commit_has_left(t *testing.T) {
	t.Parallel()
	for name, commit := range map[string]func(t *testing.T, db *DB, url string, fn func(tx *DB) error) error{
		"a_killed_process": func(t *testing.T, db *DB, _ string, fn func(tx *DB) error) error {
			return db.root.RunInTx(t.Context(), nil, func(_ context.Context, tx bun.Tx) error {
				inner := *db
				inner.idb, inner.afterCommit = tx, &afterCommit{}
				return fn(&inner)
			})
		},
		"a_lost_answer": func(t *testing.T, _ *DB, url string, fn func(tx *DB) error) error {
			losing := openTest(t, Options{URL: postgres.LosingCommits(t, url, "skipped_entities"), Connections: 2, Logger: quiet()})
			if err := losing.InTx(t.Context(), fn); !MayBeCommitted(err) {
				return fmt.Errorf("InTx: got %w, want a lost response to the commit", err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgres.URL(t, migrateTest)
			db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
			owner := addUser(t, db)
			file, space := addFile(t, db, owner), addSpace(t, db, owner, "Hall")
			addEntity(t, db, space, "e", model.TypeUserModel, fmt.Sprintf(`{"glbUrl":"https://files.example/%s"}`, file.StorageKey()))
			before := entityVersionsOf(t, db, space)
			check(t, db.InTx(t.Context(), func(tx *DB) error {
				_, err := tx.Entities().LockEntities(t.Context(), space.ID, []string{"e"})
				check(t, err)
				return commit(t, db, url, func(tx *DB) error { return tx.Watched().announceFile(t.Context(), owner.ID, file.UploadID) })
			}))
			watched := db.Watch(t.Context(), SpaceTopic(space.ID))
			_, err := db.Watched().MarkSkippedEntities(t.Context(), 10)
			check(t, err)
			receive(t, watched, "the announcement of the space")
			if after := entityVersionsOf(t, db, space); before["e"] == after["e"] {
				t.Errorf("version: got %q before and after, want that of the entity to change", after["e"])
			}
			wantSkipped(t, db, 0)
		})
	}
}

// receivedRows counts the rows that statements return.
type receivedRows struct{ count int64 }

func (r *receivedRows) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	return ctx
}

func (r *receivedRows) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	if e.Result != nil {
		n, _ := e.Result.RowsAffected() // the driver knows it for each statement
		r.count += n
	}
}

// An account has up to hundreds of thousands of files, and a watcher reads them at each change.
func TestRowVersions_are_one_row(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	var files, spaces []string
	for i := range 3 {
		files = append(files, addFile(t, db, user).ResourceKey)
		spaces = append(spaces, addSpace(t, db, user, fmt.Sprint(i)).ID)
	}
	rows := &receivedRows{}
	db.idb = db.root.WithQueryHook(rows)
	for name, test := range map[string]struct {
		read func(context.Context, string) ([]RowVersion, error)
		want []string
	}{
		"files": {db.Watched().FileRowVersions, files}, "spaces": {db.Watched().SpaceRowVersions, spaces},
	} {
		rows.count = 0
		versions, err := test.read(t.Context(), user.ID)
		check(t, err)
		var got []string
		for _, v := range versions {
			got = append(got, v.ID)
			if v.Version == "" {
				t.Errorf("version of %s: got none", v.ID)
			}
		}
		if !slices.Equal(got, test.want) || rows.count != 1 {
			t.Errorf("%s: got %v in %d rows, want %v in one", name, got, rows.count, test.want)
		}
		if none, err := test.read(t.Context(), other.ID); err != nil || len(none) != 0 {
			t.Errorf("%s of another account: got %v, %v, want none", name, none, err)
		}
	}
}
