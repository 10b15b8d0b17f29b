package db

import (
	"testing"

	"portico/model"
)

func TestAddIdentity_connects_an_identity_to_one_account(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ada, eve := addUser(t, db), addUser(t, db)
	for _, row := range []struct {
		name, issuer, subject, user string
		want                        model.Code
	}{
		{"first", "https://a", "1", ada.ID, ""},
		{"again", "https://a", "1", ada.ID, ""},
		{"another_provider", "https://b", "1", ada.ID, ""},
		{"another_subject_for_the_account", "https://a", "2", ada.ID, model.CodeForbidden},
		{"another_account_for_the_subject", "https://a", "1", eve.ID, model.CodeForbidden},
		{"another_person", "https://a", "2", eve.ID, ""},
	} {
		checkCode(t, db.SignIns().AddIdentity(t.Context(), row.issuer, row.subject, row.user), row.want)
	}
	for subject, want := range map[string]string{"1": ada.ID, "2": eve.ID} {
		got, err := db.SignIns().UserByIdentity(t.Context(), "https://a", subject)
		check(t, err)
		if got.ID != want {
			t.Errorf("user of %s: got %s, want %s", subject, got.ID, want)
		}
	}
	checkCode(t, db.SignIns().AddIdentity(t.Context(), "https://c", "", ada.ID), model.CodeInternal) // it names nobody
	_, err := db.SignIns().UserByIdentity(t.Context(), "https://b", "2")
	checkCode(t, err, model.CodeNotFound)
}

func TestClearEmailUnproven_reports_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	check(t, db.SignIns().MarkEmailUnproven(t.Context(), user.ID))
	check(t, db.SignIns().MarkEmailUnproven(t.Context(), user.ID))
	for _, want := range []bool{true, false} {
		if got, err := db.SignIns().ClearEmailUnproven(t.Context(), user.ID); err != nil || got != want {
			t.Errorf("ClearEmailUnproven: got %v, %v, want %v", got, err, want)
		}
	}
}

// The last way to sign in stays; with a password every provider can be disconnected.
func TestRemoveIdentity_keeps_the_last_way_to_sign_in(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user, other := addUser(t, db), addUser(t, db)
	check(t, db.Accounts().SetPassword(ctx, user.ID, ""))
	check(t, db.SignIns().AddIdentity(ctx, "https://one.example", "a", user.ID))
	check(t, db.SignIns().AddIdentity(ctx, "https://two.example", "a", user.ID))
	remove := func(userID, issuer string, want model.Code) {
		t.Helper()
		if got := model.CodeOf(db.SignIns().RemoveIdentity(ctx, userID, issuer)); got != want {
			t.Errorf("remove %s: got %q, want %q", issuer, got, want)
		}
	}
	remove(other.ID, "https://one.example", model.CodeNotFound)
	remove(user.ID, "https://one.example", "")
	remove(user.ID, "https://one.example", model.CodeNotFound)
	remove(user.ID, "https://two.example", model.CodeConflict)
	left, err := db.SignIns().Identities(ctx, user.ID)
	check(t, err)
	if len(left) != 1 || left[0].Issuer != "https://two.example" {
		t.Errorf("identities: got %v, want the last one", left)
	}
	check(t, db.Accounts().SetPassword(ctx, user.ID, "hash"))
	remove(user.ID, "https://two.example", "")
}
