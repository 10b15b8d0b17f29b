package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

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
		err := tx.announceFile(t.Context(), owner.ID, file.UploadID)
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
	before, err := db.EntityVersions(t.Context(), space.ID)
	check(t, err)
	watched := db.Watch(t.Context(), SpaceTopic(space.ID))
	announced := make(chan error, 1)
	err = db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.LockEntities(t.Context(), space.ID, []string{"e"})
		check(t, err)
		go func() {
			announced <- writer.InTx(t.Context(), func(tx *DB) error {
				return tx.announceFile(t.Context(), owner.ID, file.UploadID)
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
	after, err := db.EntityVersions(t.Context(), space.ID)
	check(t, err)
	if len(before) != 1 || len(after) != 1 || before[0].Version == after[0].Version {
		t.Errorf("versions: got %v before and %v after, want one that changes", before, after)
	}
}

// The transaction that has locked the entities changes what they show, so that there is nothing to
// announce for the file.
func TestMarkSkipped_marks_no_entity_that_shows_another_file(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	space := addSpace(t, db, owner, "Hall")
	addEntity(t, db, space, "e", model.TypeUserModel, `{"glbUrl":"https://files.example/1/api_uploads/other_a.ply"}`)
	before, err := db.EntityVersions(t.Context(), space.ID)
	check(t, err)
	check(t, db.markSkipped(t.Context(), []skippedEntity{{space.ID, "e", "mine"}, {space.ID, "gone", "mine"}}))
	after, err := db.EntityVersions(t.Context(), space.ID)
	check(t, err)
	if !slices.Equal(before, after) {
		t.Errorf("versions: got %v, want %v", after, before)
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
		"files": {db.FileRowVersions, files}, "spaces": {db.SpaceRowVersions, spaces},
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
