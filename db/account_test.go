package db

import (
	"testing"
	"time"

	"portico/model"
)

// Everything that the account had before it was disabled has ended, and its spaces are hidden
// until it is enabled.
func TestDisableUser_ends_keys_and_hides_spaces(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	key, err := db.Keys().AddKey(ctx, &model.APIKey{ID: "k", UserID: user.ID, Lookup: []byte("l"), Sealed: []byte("s"), CreatedAt: model.Now()})
	check(t, err)
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{
		Token: "here", Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: user.ID, Version: user.AccessVersion,
	}))
	open, private, down := publicSpace(t, db, user, "open"), addSpace(t, db, user, "private"), publicSpace(t, db, user, "down")
	check(t, db.Moderation().TakeDown(ctx, model.ReportSpace{SpaceID: down.ID, Reason: model.ReportSpam}))

	check(t, db.Accounts().DisableUser(ctx, user.ID, "Spam"))
	if valid, err := db.Keys().KeyIsValid(ctx, key.ID); err != nil || valid {
		t.Errorf("key: got %v, %v, want it revoked", valid, err)
	}
	invalid, err := db.SignIns().InvalidSessions(ctx, []SessionAccess{{"here", user.ID, user.AccessVersion}})
	check(t, err)
	if len(invalid) != 1 {
		t.Error("session: got a valid one, want it ended")
	}
	if disabled, err := db.Accounts().IsDisabled(ctx, user.ID); err != nil || !disabled {
		t.Errorf("disabled: got %v, %v, want true", disabled, err)
	}
	wantPrivacy(t, db, "disabled", map[*model.Space]model.Privacy{open: model.Private, private: model.Private, down: model.Private})
	checkCode(t, setPrivacy(t, db, open, model.Public), model.CodeForbidden)
	checkCode(t, setPrivacy(t, db, private, model.Public), model.CodeForbidden)
	checkCode(t, db.Accounts().DisableUser(ctx, user.ID, "again"), model.CodeInvalid)

	check(t, db.Accounts().EnableUser(ctx, user.ID))
	wantPrivacy(t, db, "enabled", map[*model.Space]model.Privacy{open: model.Public, private: model.Private, down: model.Private})
	check(t, setPrivacy(t, db, private, model.Public))
	checkCode(t, setPrivacy(t, db, down, model.Public), model.CodeForbidden)
	checkCode(t, db.Accounts().EnableUser(ctx, user.ID), model.CodeInvalid)
	checkCode(t, db.Accounts().DisableUser(ctx, "unknown", ""), model.CodeNotFound)
}

// Pages of accounts follow each other, newest first, and each account has its storage.
func TestAccounts_returns_pages_with_storage(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	var users []*model.User
	for range 5 {
		users = append(users, addUser(t, db))
	}
	addSpace(t, db, users[2], "one")
	check(t, db.Accounts().DisableUser(ctx, users[1].ID, "Why"))
	for _, want := range []bool{true, false} {
		if got, err := db.Accounts().SetOperator(ctx, users[0].ID, true); err != nil || got != want {
			t.Errorf("make an operator: got %v, %v, want %v", got, err, want)
		}
	}
	seen := map[string]*model.Account{}
	for page := (model.Page{Limit: 2}); ; {
		found, err := db.Accounts().Accounts(ctx, model.AccountFilter{}, page)
		check(t, err)
		for _, account := range found.Nodes {
			seen[account.ID] = account
			page.After, page.AfterValue = account.Key(model.OrderByDate)
		}
		if !found.PageInfo.HasNextPage {
			break
		}
	}
	if len(seen) != len(users) {
		t.Fatalf("accounts: got %d, want %d", len(seen), len(users))
	}
	if a := seen[users[0].ID]; !a.Operator || a.Email != users[0].Email || !a.DisabledAt.IsZero() || a.Storage.Quota != users[0].Quota {
		t.Errorf("operator: got %+v", a)
	}
	if a := seen[users[1].ID]; a.DisabledAt.IsZero() || a.DisabledReason != "Why" || a.PasswordHash != "" {
		t.Errorf("disabled account: got %+v", a)
	}
	if a := seen[users[2].ID]; a.SpaceCount != 1 || a.Storage.Used == 0 {
		t.Errorf("account with a space: got %+v, storage %+v", a, a.Storage)
	}
	for _, row := range []struct {
		filter model.AccountFilter
		search string
		want   int
	}{
		{model.AccountFilter{Operator: new(true)}, "", 1}, {model.AccountFilter{Disabled: new(false)}, "", 4},
		{model.AccountFilter{}, users[3].Email, 1}, {model.AccountFilter{}, users[3].ID, 1}, {model.AccountFilter{}, "%", 0},
	} {
		found, err := db.Accounts().Accounts(ctx, row.filter, model.Page{Limit: 10, Search: row.search})
		if check(t, err); found.TotalCount != row.want {
			t.Errorf("accounts %+v %q: got %d, want %d", row.filter, row.search, found.TotalCount, row.want)
		}
	}
	if ended, err := db.Accounts().SetOperator(ctx, users[0].ID, false); err != nil || !ended {
		t.Errorf("take the right away: got %v, %v", ended, err)
	}
	if is, err := db.Accounts().IsOperator(ctx, users[0].ID); err != nil || is {
		t.Errorf("former operator: got %v, %v, want none", is, err)
	}
}
