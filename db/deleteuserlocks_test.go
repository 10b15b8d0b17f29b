package db

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// While an account is deleted, a request changes a row of the account, and then adds a row that
// refers to the account. It must wait before it changes the row: DeleteUser deletes the row later.
func TestDeleteUser_does_not_deadlock_with_a_change_of(t *testing.T) {
	t.Parallel()
	for name, prepare := range changesOfAccounts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgres.URL(t, migrateTest)
			db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
			writer, pid := singleConnection(t, db, url)
			t.Cleanup(func() { check(t, writer.root.Close()) })
			user := addUser(t, db)
			change := prepare(t, db, user)
			changed := make(chan error, 1)
			check(t, db.Accounts().DeleteUser(t.Context(), user.ID, func() error { // has locked the account
				go func() { changed <- writer.InTx(t.Context(), func(tx *DB) error { return change(t.Context(), tx) }) }()
				untilBlocked(t, db, pid)
				return nil
			}))
			check(t, <-changed)
		})
	}
}

// changesOfAccounts are functions that prepare a row of the account, and return a change of the
// row.
func changesOfAccounts() map[string]func(t *testing.T, db *DB, user *model.User) func(context.Context, *DB) error {
	return map[string]func(t *testing.T, db *DB, user *model.User) func(context.Context, *DB) error{
		"a_file": func(t *testing.T, db *DB, user *model.User) func(context.Context, *DB) error {
			return deletionOf(addFile(t, db, user))
		},
		"a_file_in_a_space": func(t *testing.T, db *DB, user *model.User) func(context.Context, *DB) error {
			file := addFile(t, db, user)
			check(t, db.Spaces().PutSpaceFile(t.Context(), &model.SpaceFile{SpaceID: addSpace(t, db, user, "Hall").ID, Path: "assets/a.png", ResourceKey: file.ResourceKey, SHA256: strings.Repeat("0", 64)}))
			return deletionOf(file)
		},
		"an_upload_that_is_confirmed": func(t *testing.T, db *DB, user *model.User) func(context.Context, *DB) error {
			upload := addUpload(t, db, user, 10, time.Hour)
			return func(ctx context.Context, tx *DB) error {
				_, err := tx.Files().StoreFile(ctx, model.NewFile(upload), model.UploadPending)
				return err
			}
		},
		"an_upload_that_starts_a_job": func(t *testing.T, db *DB, user *model.User) func(context.Context, *DB) error {
			upload := addUpload(t, db, user, 10, time.Hour)
			return func(ctx context.Context, tx *DB) error {
				job := model.NewJob(upload)
				if started, err := tx.Uploads().StartUpload(ctx, upload.ID, job.ID); err != nil || !started {
					return err
				}
				return tx.Jobs().AddJob(ctx, job)
			}
		},
		"a_job_that_fails": func(t *testing.T, db *DB, user *model.User) func(context.Context, *DB) error {
			job := addJob(t, db, user)
			return func(ctx context.Context, tx *DB) error {
				_, err := tx.Jobs().FailJobAndUpload(ctx, job.ID, 0, model.JobCanceled)
				return err
			}
		},
	}
}

// deletionOf returns a function that deletes the file, and records the removal of its bytes.
func deletionOf(file *model.File) func(context.Context, *DB) error {
	return func(ctx context.Context, tx *DB) error {
		deleted, err := tx.Files().DeleteFile(ctx, file.ResourceKey)
		if err != nil || deleted == nil {
			return err
		}
		return tx.Files().AddRemoval(ctx, Removal{Key: file.StorageKey(), Due: time.Now(), UserID: file.UserID, Bytes: file.Size})
	}
}

func TestDiscardExpired_leaves_out_an_account_that_is_being_deleted(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	addUpload(t, db, user, 10, -2*time.Hour)
	addUpload(t, db, other, 10, -2*time.Hour)
	check(t, db.Accounts().DeleteUser(t.Context(), user.ID, func() error {
		n, err := db.Uploads().DiscardExpired(t.Context(), time.Now(), 10)
		if n != 1 {
			t.Errorf("DiscardExpired: got %d, want the upload of the other account", n)
		}
		return err
	}))
}

// A space is added after DeleteUser has deleted the others, and before it has locked the account. A
// writer that locks the space then must not wait for the account while DeleteUser waits for the
// space.
func TestDeleteUser_does_not_deadlock_with_a_change_of_a_space_just_added(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
	deleter, deleterID := singleConnection(t, db, url)
	writer, writerID := singleConnection(t, db, url)
	t.Cleanup(func() { check(t, errors.Join(deleter.root.Close(), writer.root.Close())) })
	user := addUser(t, db)
	space := model.NewSpace(user.ID, model.CreateSpace{}, nil)
	deleted, changed, locked, goOn := make(chan error, 1), make(chan error, 1), make(chan bool), make(chan bool)
	change := func(tx *DB) error {
		if _, err := tx.Spaces().SpaceForUpdate(t.Context(), space.ID); err != nil {
			return err
		}
		return tx.Accounts().preventUserDeletion(t.Context(), "SELECT owner_id FROM spaces WHERE id = ?", space.ID)
	}
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		check(t, tx.Spaces().AddSpace(t.Context(), space, []*model.Entity{model.NewRoomInfo(space.ID, nil)}))
		go func() {
			deleted <- deleter.Accounts().DeleteUser(t.Context(), user.ID, func() error { // has locked the account
				close(locked)
				<-goOn
				return nil
			})
		}()
		untilBlocked(t, db, deleterID)
		return nil
	}))
	<-locked
	go func() { changed <- writer.InTx(t.Context(), change) }()
	untilBlocked(t, db, writerID)
	close(goOn)
	check(t, <-deleted)
	if err := <-changed; model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("change: got %v, want CodeNotFound", err)
	}
}

// A space gets the file after DeleteFile has locked the spaces that had it, and before it has
// locked the file. DeleteUser, which has locked the space, must not wait for the account while
// DeleteFile waits for the row of the space.
func TestDeleteUser_does_not_deadlock_with_the_deletion_of_a_file_just_used(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
	deleter, deleterID := singleConnection(t, db, url)
	other, otherID := singleConnection(t, db, url)
	t.Cleanup(func() { check(t, errors.Join(deleter.root.Close(), other.root.Close())) })
	user := addUser(t, db)
	file, space := addFile(t, db, user), addSpace(t, db, user, "Hall")
	fileDeleted, userDeleted := make(chan error, 1), make(chan error, 1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.idb.ExecContext(t.Context(), "SELECT FROM files WHERE resource_key = ? FOR NO KEY UPDATE", file.ResourceKey)
		check(t, err)
		go func() {
			fileDeleted <- other.InTx(t.Context(), func(tx *DB) error { return deletionOf(file)(t.Context(), tx) })
		}()
		untilBlocked(t, db, otherID)
		check(t, db.Spaces().PutSpaceFile(t.Context(), &model.SpaceFile{SpaceID: space.ID, Path: "assets/a.png", ResourceKey: file.ResourceKey, SHA256: strings.Repeat("0", 64)}))
		go func() {
			userDeleted <- deleter.Accounts().DeleteUser(t.Context(), user.ID, func() error { return nil })
		}()
		untilBlocked(t, db, deleterID)
		return nil
	}))
	check(t, errors.Join(<-fileDeleted, <-userDeleted))
}

// The order of the ids is not the order in which the spaces were added.
func TestDeleteUser_locks_spaces_by_id(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
	deleter, pid := singleConnection(t, db, url)
	t.Cleanup(func() { check(t, deleter.root.Close()) })
	user := addUser(t, db)
	for _, id := range []string{"b", "a"} {
		space := model.NewSpace(user.ID, model.CreateSpace{}, nil)
		space.ID = id
		check(t, db.Spaces().AddSpace(t.Context(), space, []*model.Entity{model.NewRoomInfo(space.ID, nil)}))
	}
	deleted := make(chan error, 1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		if _, err := tx.Spaces().SpaceForUpdate(t.Context(), "a"); err != nil {
			return err
		}
		go func() { deleted <- deleter.Accounts().DeleteUser(t.Context(), user.ID, func() error { return nil }) }()
		untilBlocked(t, db, pid)
		_, err := tx.Spaces().SpaceForUpdate(t.Context(), "b")
		return err
	}))
	check(t, <-deleted)
}
