package db

import (
	"testing"

	"portico/model"
)

func TestFollow_can_be_repeated(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user, follower := addUser(t, db), addUser(t, db)
	for i, step := range []struct {
		change func() error
		want   bool
	}{
		{func() error { return nil }, false},
		{func() error { return db.Accounts().Unfollow(ctx, user.ID, follower.ID) }, false},
		{func() error { return db.Accounts().Follow(ctx, user.ID, follower.ID) }, true},
		{func() error { return db.Accounts().Follow(ctx, user.ID, follower.ID) }, true},
		{func() error { return db.Accounts().Unfollow(ctx, user.ID, follower.ID) }, false},
	} {
		check(t, step.change())
		got, err := db.Accounts().Profile(ctx, user.ID, follower.ID)
		check(t, err)
		if want := (model.Profile{ID: user.ID, Name: user.Name, Followed: step.want}); *got != want {
			t.Errorf("profile after step %d: got %+v, want %+v", i, *got, want)
		}
		back, err := db.Accounts().Profile(ctx, follower.ID, user.ID)
		check(t, err)
		if back.Followed {
			t.Errorf("the other way round after step %d: got true, want false", i)
		}
	}
}

func TestFollow_refuses_unknown_accounts(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	follower := addUser(t, db)
	checkCode(t, db.Accounts().Follow(t.Context(), "unknown", follower.ID), model.CodeNotFound)
	_, err := db.Accounts().Profile(t.Context(), "unknown", follower.ID)
	checkCode(t, err, model.CodeNotFound)
	// The caller sees to it; were it forgotten, the table would.
	checkCode(t, db.Accounts().Follow(t.Context(), follower.ID, follower.ID), model.CodeInternal)
}
