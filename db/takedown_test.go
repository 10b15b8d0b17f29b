package db

import (
	"testing"

	"portico/model"
)

func privacyOf(t testing.TB, db *DB, space *model.Space) model.Privacy {
	t.Helper()
	found, err := db.Spaces().Space(t.Context(), space.ID)
	check(t, err)
	return found.Privacy
}

func setPrivacy(t testing.TB, db *DB, space *model.Space, privacy model.Privacy) error {
	t.Helper()
	_, err := db.Spaces().UpdateSpace(t.Context(), model.UpdateSpace{SpaceID: space.ID, Privacy: &privacy})
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

// A space that was taken down stays Private, whatever its owner does, and has the privacy that
// the owner chose last when it is restored.
func TestTakeDown_keeps_a_space_Private(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	kept, withdrawn, private := publicSpace(t, db, user, "kept"), publicSpace(t, db, user, "withdrawn"), addSpace(t, db, user, "private")
	for _, space := range []*model.Space{kept, withdrawn, private} {
		check(t, db.Moderation().TakeDown(ctx, model.ReportSpace{SpaceID: space.ID, Reason: model.ReportCopyright, Text: "A claim"}))
		checkCode(t, setPrivacy(t, db, space, model.LinkOnly), model.CodeForbidden)
		checkCode(t, db.Moderation().TakeDown(ctx, model.ReportSpace{SpaceID: space.ID, Reason: model.ReportSpam}), model.CodeInvalid)
	}
	title := "renamed"
	if _, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: kept.ID, SpaceTextInput: model.SpaceTextInput{Title: &title}}); err != nil {
		t.Errorf("rename: got %v, want none", err)
	}
	check(t, setPrivacy(t, db, withdrawn, model.Private))
	takedowns, err := db.Moderation().Takedowns(ctx, []string{kept.ID, "unknown"})
	check(t, err)
	if got := takedowns[kept.ID]; len(takedowns) != 1 || got == nil || got.Reason != model.ReportCopyright || got.Text != "A claim" {
		t.Errorf("takedowns: got %v, want the one with its reason", takedowns)
	}
	wantPrivacy(t, db, "taken down", map[*model.Space]model.Privacy{kept: model.Private, withdrawn: model.Private, private: model.Private})
	for _, space := range []*model.Space{kept, withdrawn, private} {
		check(t, db.Moderation().RestoreSpace(ctx, space.ID))
		checkCode(t, db.Moderation().RestoreSpace(ctx, space.ID), model.CodeInvalid)
	}
	wantPrivacy(t, db, "restored", map[*model.Space]model.Privacy{kept: model.Public, withdrawn: model.Private, private: model.Private})
	checkCode(t, db.Moderation().TakeDown(ctx, model.ReportSpace{SpaceID: "unknown", Reason: model.ReportSpam}), model.CodeNotFound)

	page, err := db.Notifications().Notifications(ctx, user.ID, model.Page{Limit: 10})
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
		check(t, tx.Moderation().TakeDown(t.Context(), model.ReportSpace{SpaceID: space.ID, Reason: model.ReportIllegal}))
		go func() { published <- setPrivacy(t, db, space, model.Public) }()
		waitForWaiter(t, db)
		return nil
	}))
	checkCode(t, receive(t, published, "the owner's change"), model.CodeForbidden)
	wantPrivacy(t, db, "afterwards", map[*model.Space]model.Privacy{space: model.Private})
}

// The history has a takedown and its end as changes by the server itself, and webhooks hear that
// the space is Public again.
func TestTakeDown_is_in_the_history(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space, webhook := addSpace(t, db, user, "hall"), addWebhook(t, db, user)
	update(asCaller(t, user, model.DoorREST), t, db, space, model.Public)
	record(t, db, keepAll)
	check(t, db.Moderation().TakeDown(t.Context(), model.ReportSpace{SpaceID: space.ID, Reason: model.ReportSpam}))
	record(t, db, keepAll)
	check(t, db.Moderation().RestoreSpace(t.Context(), space.ID))
	record(t, db, keepAll)
	versions := versionsOf(t, db, space.ID)
	if got, want := summary(versions), "2  +0 ~1 -0; 1 rest +0 ~1 -0"; got != want || versions[0].UserID != "" {
		t.Errorf("versions: got %q, the newest by account %q, want %q, by none", got, versions[0].UserID, want)
	}
	published := `space.published {"title": "hall", "spaceId": "` + space.ID + `"}`
	if got, want := events(t, db, webhook), published+"\n"+published; got != want {
		t.Errorf("events: got\n%s\nwant\n%s", got, want)
	}
}
