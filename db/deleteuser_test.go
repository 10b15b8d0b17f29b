package db

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/model"
)

// allow lets DeleteUser delete the account.
func allow() error { return nil }

// addWithAccess adds an account that has a space, a key and a session.
func addWithAccess(t *testing.T, db *DB) (*model.User, *model.Space) {
	t.Helper()
	user := addUser(t, db)
	_, err := db.Keys().AddKey(t.Context(), &model.APIKey{
		ID: "key" + user.ID, UserID: user.ID, Lookup: []byte(user.ID), Sealed: []byte("s"), CreatedAt: model.Now(),
	})
	check(t, err)
	check(t, db.SignIns().SaveSession(t.Context(), BrowserSession{
		Token: user.ID, Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: user.ID,
	}))
	return user, addSpace(t, db, user, "Hall")
}

func TestDeleteUser_deletes_nothing_of_others(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user, _ := addWithAccess(t, db)
	other, otherSpace := addWithAccess(t, db)
	check(t, db.Accounts().Follow(ctx, other.ID, user.ID))
	check(t, db.Accounts().Follow(ctx, user.ID, other.ID))
	check(t, db.SignIns().AddIdentity(ctx, "https://one.example", "a", user.ID))
	check(t, db.Accounts().DeleteUser(ctx, user.ID, allow))
	if err := db.Accounts().DeleteUser(ctx, user.ID, allow); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("again: got %v, want %s", err, model.CodeNotFound)
	}
	for _, table := range []string{
		"users WHERE id = ?", "spaces WHERE owner_id = ?", "api_keys WHERE user_id = ?", "sessions WHERE user_id = ?",
		"json_usage WHERE user_id = ?", "follows WHERE ? IN (user_id, follower_id)", "identities WHERE user_id = ?",
	} {
		var left int
		check(t, db.idb.NewRaw("SELECT count(*) FROM "+table, user.ID).Scan(ctx, &left))
		if left != 0 {
			t.Errorf("%s: got %d rows, want none", table, left)
		}
	}
	if _, err := db.Spaces().Space(ctx, otherSpace.ID); err != nil {
		t.Errorf("another's space: got %v, want it", err)
	}
}

func TestDeleteUser_deletes_nothing_after_a_refusal(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, space := addWithAccess(t, db)
	refused := model.Forbidden("No")
	if err := db.Accounts().DeleteUser(t.Context(), user.ID, func() error { return refused }); !errors.Is(err, refused) {
		t.Errorf("refused: got %v, want %v", err, refused)
	}
	if _, err := db.Spaces().Space(t.Context(), space.ID); err != nil {
		t.Errorf("space after a refusal: got %v, want it", err)
	}
}

func TestDeleteUser_records_the_address(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	check(t, db.Accounts().DeleteUser(t.Context(), user.ID, allow))
	trail, err := db.Audit().AuditTrail(t.Context(), AuditFilter{UserID: user.ID}, 100)
	check(t, err)
	if last := trail[len(trail)-1]; last.Type != model.EventAccountDeleted || last.Title != user.Email {
		t.Errorf("audit trail: got %+v, want the deletion with the address %s", last, user.Email)
	}
}

// The folder of the account is removed as long as something may be written there, and the id is not
// given out meanwhile.
func TestDeleteUser_schedules_the_removal_of_the_folder(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	pending := addUpload(t, db, user, 100, time.Hour)
	check(t, db.Accounts().DeleteUser(ctx, user.ID, allow))
	if former, err := db.Accounts().isFormerUser(ctx, user.ID); err != nil || !former {
		t.Errorf("the id is kept: got %v, %v, want true", former, err)
	}
	sweeps, err := db.Files().DueSweeps(ctx, 10)
	check(t, err)
	if !slices.Contains(sweeps, user.ID+"/") {
		t.Errorf("folders to sweep: got %v, want %s/", sweeps, user.ID)
	}
	var scheduled bool
	check(t, db.idb.NewRaw("SELECT EXISTS (SELECT FROM removals WHERE key = ?)", pending.StorageKey()).Scan(ctx, &scheduled))
	if !scheduled {
		t.Error("the removal of a pending upload: got none")
	}
}
