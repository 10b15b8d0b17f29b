package db

import (
	"testing"
	"time"

	"portico/model"
)

// An account shows no expired change, and cannot cancel it, so a late mail must not bring it back.
func TestAddMailedLink_does_not_revive_an_expired_change(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	check(t, db.SignIns().StartEmailChange(ctx, model.Mail{Kind: model.MailConfirm, UserID: user.ID, To: "moved@example.com"}))
	link := MailedLink{Hash: []byte("a"), UserID: user.ID, Purpose: model.MailConfirm, Email: "moved@example.com", ValidFor: time.Hour}
	if added, err := db.SignIns().AddMailedLink(ctx, link); err != nil || !added {
		t.Fatalf("link of a waiting change: got %v, %v, want it added", added, err)
	}
	asAdmin(t, db, "UPDATE email_changes SET expires_at = now() - interval '1 second' WHERE user_id = ?", user.ID)
	link.Hash = []byte("b")
	if added, err := db.SignIns().AddMailedLink(ctx, link); err != nil || added {
		t.Errorf("link of an expired change: got %v, %v, want none", added, err)
	}
	if change, err := db.SignIns().EmailChange(ctx, user.ID); err != nil || change != nil {
		t.Errorf("change: got %+v, %v, want none", change, err)
	}
}
