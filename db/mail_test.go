package db

import (
	"testing"
	"time"

	"portico/model"
)

// Two workers can send mails to one address at the same time, and the later mail can be sent first.
func TestEndEarlierLinks_ends_no_later_link(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	add := func(hash string, purpose model.MailKind) {
		t.Helper()
		added, err := db.SignIns().AddMailedLink(t.Context(), MailedLink{
			Hash: []byte(hash), UserID: user.ID, Purpose: purpose, Email: user.Email, ValidFor: time.Hour,
		})
		if err != nil || !added {
			t.Fatalf("link %s: got %v, %v, want it added", hash, added, err)
		}
	}
	wantValid := func(after, hash string, purpose model.MailKind, want bool) {
		t.Helper()
		if got, err := db.SignIns().MailedLinkIsValid(t.Context(), []byte(hash), purpose); err != nil || got != want {
			t.Errorf("link %s is valid after %s: got %v, %v, want %v", hash, after, got, err, want)
		}
	}
	add("first", model.MailReset)
	add("other", model.MailConfirm)
	add("second", model.MailReset)
	check(t, db.SignIns().EndEarlierLinks(t.Context(), []byte("first")))
	wantValid("the first mail", "first", model.MailReset, true)
	wantValid("the first mail", "second", model.MailReset, true)
	check(t, db.SignIns().EndEarlierLinks(t.Context(), []byte("second")))
	wantValid("the second mail", "first", model.MailReset, false)
	wantValid("the second mail", "second", model.MailReset, true)
	wantValid("the second mail", "other", model.MailConfirm, true)
}
