package db

import (
	"fmt"
	"testing"
	"time"

	"portico/model"
)

// privacyOf returns the stored privacy of a space.
func privacyOf(t testing.TB, db *DB, space *model.Space) model.Privacy {
	t.Helper()
	found, err := db.Space(t.Context(), space.ID)
	check(t, err)
	return found.Privacy
}

// setPrivacy sets the privacy of a space.
func setPrivacy(t testing.TB, db *DB, space *model.Space, privacy model.Privacy) error {
	t.Helper()
	_, err := db.UpdateSpace(t.Context(), model.UpdateSpace{SpaceID: space.ID, Privacy: &privacy})
	return err
}

// publicSpace adds a Public space.
func publicSpace(t testing.TB, db *DB, owner *model.User, title string) *model.Space {
	t.Helper()
	space := addSpace(t, db, owner, title)
	check(t, setPrivacy(t, db, space, model.Public))
	return space
}

func wantPrivacy(t testing.TB, db *DB, when string, want map[*model.Space]model.Privacy) {
	t.Helper()
	for space, privacy := range want {
		if got := privacyOf(t, db, space); got != privacy {
			t.Errorf("%s: %s: got %q, want %q", when, space.Title, got, privacy)
		}
	}
}

// Everything that the account had before it was disabled has ended, and its spaces are hidden
// until it is enabled.
func TestDisableUser(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	key, err := db.AddKey(ctx, &model.APIKey{ID: "k", UserID: user.ID, Lookup: []byte("l"), Sealed: []byte("s"), CreatedAt: model.Now()})
	check(t, err)
	check(t, db.SaveSession(ctx, BrowserSession{
		Token: "here", Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: user.ID, Version: user.AccessVersion,
	}))
	open, private, down := publicSpace(t, db, user, "open"), addSpace(t, db, user, "private"), publicSpace(t, db, user, "down")
	check(t, db.TakeDown(ctx, model.ReportSpace{SpaceID: down.ID, Reason: model.ReasonSpam}))

	check(t, db.DisableUser(ctx, user.ID, "Spam"))
	if valid, err := db.KeyIsValid(ctx, key.ID); err != nil || valid {
		t.Errorf("key: got %v, %v, want it revoked", valid, err)
	}
	invalid, err := db.InvalidSessions(ctx, []SessionAccess{{"here", user.ID, user.AccessVersion}})
	check(t, err)
	if len(invalid) != 1 {
		t.Error("session: got a valid one, want it ended")
	}
	if disabled, err := db.IsDisabled(ctx, user.ID); err != nil || !disabled {
		t.Errorf("disabled: got %v, %v, want true", disabled, err)
	}
	wantPrivacy(t, db, "disabled", map[*model.Space]model.Privacy{open: model.Private, private: model.Private, down: model.Private})
	checkCode(t, setPrivacy(t, db, open, model.Public), model.CodeForbidden)
	checkCode(t, setPrivacy(t, db, private, model.Public), model.CodeForbidden)
	checkCode(t, db.DisableUser(ctx, user.ID, "again"), model.CodeInvalid)

	check(t, db.EnableUser(ctx, user.ID))
	wantPrivacy(t, db, "enabled", map[*model.Space]model.Privacy{open: model.Public, private: model.Private, down: model.Private})
	check(t, setPrivacy(t, db, private, model.Public))
	checkCode(t, setPrivacy(t, db, down, model.Public), model.CodeForbidden)
	checkCode(t, db.EnableUser(ctx, user.ID), model.CodeInvalid)
	checkCode(t, db.DisableUser(ctx, "unknown", ""), model.CodeNotFound)
}

// A space that was taken down stays Private, whatever its owner does, and has the privacy that
// the owner chose last when it is restored.
func TestTakeDown(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	kept, withdrawn, private := publicSpace(t, db, user, "kept"), publicSpace(t, db, user, "withdrawn"), addSpace(t, db, user, "private")
	for _, space := range []*model.Space{kept, withdrawn, private} {
		check(t, db.TakeDown(ctx, model.ReportSpace{SpaceID: space.ID, Reason: model.ReasonCopyright, Text: "A claim"}))
		checkCode(t, setPrivacy(t, db, space, model.LinkOnly), model.CodeForbidden)
		checkCode(t, db.TakeDown(ctx, model.ReportSpace{SpaceID: space.ID, Reason: model.ReasonSpam}), model.CodeInvalid)
	}
	title := "renamed"
	if _, err := db.UpdateSpace(ctx, model.UpdateSpace{SpaceID: kept.ID, Title: &title}); err != nil {
		t.Errorf("rename: got %v, want none", err)
	}
	check(t, setPrivacy(t, db, withdrawn, model.Private))
	takedowns, err := db.Takedowns(ctx, []string{kept.ID, "unknown"})
	check(t, err)
	if got := takedowns[kept.ID]; len(takedowns) != 1 || got == nil || got.Reason != model.ReasonCopyright || got.Text != "A claim" {
		t.Errorf("takedowns: got %v, want the one with its reason", takedowns)
	}
	wantPrivacy(t, db, "taken down", map[*model.Space]model.Privacy{kept: model.Private, withdrawn: model.Private, private: model.Private})
	for _, space := range []*model.Space{kept, withdrawn, private} {
		check(t, db.RestoreSpace(ctx, space.ID))
		checkCode(t, db.RestoreSpace(ctx, space.ID), model.CodeInvalid)
	}
	wantPrivacy(t, db, "restored", map[*model.Space]model.Privacy{kept: model.Public, withdrawn: model.Private, private: model.Private})
	checkCode(t, db.TakeDown(ctx, model.ReportSpace{SpaceID: "unknown", Reason: model.ReasonSpam}), model.CodeNotFound)

	page, err := db.Notifications(ctx, user.ID, model.Page{Limit: 10})
	check(t, err)
	if len(page.Nodes) != 6 || page.Nodes[5].Type != model.SpaceWasTakenDown || page.Nodes[5].Text != "A claim" || page.Nodes[0].Type != model.SpaceRestored {
		t.Errorf("notifications: got %d, want one for each step, with the text", len(page.Nodes))
	}
}

// The owner publishes the space while the operator takes it down: the later transaction sees
// what the earlier one has committed.
func TestTakeDown_while_the_owner_publishes(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "contested")
	published := make(chan error, 1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		check(t, tx.TakeDown(t.Context(), model.ReportSpace{SpaceID: space.ID, Reason: model.ReasonIllegal}))
		go func() { published <- setPrivacy(t, db, space, model.Public) }()
		waitForWaiter(t, db)
		return nil
	}))
	checkCode(t, receive(t, published, "the owner's change"), model.CodeForbidden)
	wantPrivacy(t, db, "afterwards", map[*model.Space]model.Privacy{space: model.Private})
}

// A reporter counts once for a space and day, and nobody can fill the list.
func TestAddReport(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	space := publicSpace(t, db, user, "reported")
	add := func(space *model.Space, reporter string, want bool) {
		t.Helper()
		in := model.ReportSpace{SpaceID: space.ID, Reason: model.ReasonSpam, Text: "from " + reporter}
		if got, err := db.AddReport(ctx, in, reporter); err != nil || got != want {
			t.Errorf("report of %s by %s: got %v, %v, want %v", space.Title, reporter, got, err, want)
		}
	}
	add(space, "visitor-a", true)
	add(space, "visitor-a", false)
	add(space, "visitor-b", true)
	for i := range maxReportsByReporter - 1 {
		add(publicSpace(t, db, user, fmt.Sprint("space ", i)), "visitor-a", true)
	}
	add(publicSpace(t, db, user, "one more"), "visitor-a", false)
	for i := range maxReportsOfSpace - 2 {
		add(space, fmt.Sprint("visitor-", i), true)
	}
	add(space, "visitor-late", false)

	isTrue := true
	filter := model.ModerationFilter{Reported: &isTrue, Search: "reported"}
	found, err := db.ModeratedSpaces(ctx, filter, model.Page{Limit: 10})
	check(t, err)
	if len(found.Nodes) != 1 || found.Nodes[0].OpenReports != maxReportsOfSpace || len(found.Nodes[0].Reports) != shownReports {
		t.Fatalf("reported spaces: got %v, want the one with all its reports counted", found.Nodes)
	}
	if found.Nodes[0].OwnerEmail != user.Email || found.Nodes[0].Takedown() != nil {
		t.Errorf("space: got %+v, want its owner and no takedown", found.Nodes[0])
	}
	check(t, db.CloseReports(ctx, space.ID))
	check(t, db.CloseReports(ctx, space.ID))
	if found, err = db.ModeratedSpaces(ctx, filter, model.Page{Limit: 10}); err != nil || found.TotalCount != 0 {
		t.Errorf("after closing: got %v, %v, want none", found, err)
	}
}

func TestModeratedSpaces_leave_out_what_only_its_owner_could_open(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	publicSpace(t, db, user, "open")
	addSpace(t, db, user, "private")
	down := publicSpace(t, db, user, "down")
	check(t, db.TakeDown(ctx, model.ReportSpace{SpaceID: down.ID, Reason: model.ReasonHarmful}))
	for _, row := range []struct {
		takenDown *bool
		want      int
	}{{nil, 2}, {new(true), 1}, {new(false), 1}} {
		found, err := db.ModeratedSpaces(ctx, model.ModerationFilter{TakenDown: row.takenDown}, model.Page{Limit: 10})
		if check(t, err); found.TotalCount != row.want {
			t.Errorf("spaces: got %d, want %d", found.TotalCount, row.want)
		}
	}
}

// Pages of accounts follow each other, newest first, and each account has its storage.
func TestAccounts(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	var users []*model.User
	for range 5 {
		users = append(users, addUser(t, db))
	}
	addSpace(t, db, users[2], "one")
	check(t, db.DisableUser(ctx, users[1].ID, "Why"))
	for _, want := range []bool{true, false} {
		if got, err := db.SetOperator(ctx, users[0].ID, true); err != nil || got != want {
			t.Errorf("make an operator: got %v, %v, want %v", got, err, want)
		}
	}
	seen := map[string]*model.Account{}
	for page := (model.Page{Limit: 2}); ; {
		found, err := db.Accounts(ctx, model.AccountFilter{}, page)
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
		found, err := db.Accounts(ctx, row.filter, model.Page{Limit: 10, Search: row.search})
		if check(t, err); found.TotalCount != row.want {
			t.Errorf("accounts %+v %q: got %d, want %d", row.filter, row.search, found.TotalCount, row.want)
		}
	}
	if ended, err := db.SetOperator(ctx, users[0].ID, false); err != nil || !ended {
		t.Errorf("take the right away: got %v, %v", ended, err)
	}
	if is, err := db.IsOperator(ctx, users[0].ID); err != nil || is {
		t.Errorf("former operator: got %v, %v, want none", is, err)
	}
}
