package db

import (
	"slices"
	"testing"

	"portico/model"
)

// A program loses the consent, and the key that it has.
func TestRemoveConsent_revokes_the_key_of_the_program(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user, other := addUser(t, db), addUser(t, db)
	check(t, db.Keys().AddOAuthClient(ctx, &OAuthClient{
		ID: "app", Name: "App", CreatedAt: model.Now(),
		RedirectURIs: []string{"https://app.example/a", "https://app.example/b", "http://127.0.0.1:8080/c"},
	}))
	check(t, db.Keys().AddOAuthCode(ctx, &OAuthCode{Hash: []byte("h"), ClientID: "app", UserID: user.ID, RedirectURI: "https://app.example/a"}))
	key, err := db.Keys().AddKey(ctx, &model.APIKey{ID: "key", UserID: user.ID, Lookup: []byte("l"), Sealed: []byte("s"), CreatedAt: model.Now()})
	check(t, err)
	apps, err := db.Keys().ConnectedApps(ctx, user.ID)
	check(t, err)
	if len(apps) != 1 || apps[0].Name != "App" || !slices.Equal(apps[0].Hosts, []string{"app.example", "127.0.0.1:8080"}) {
		t.Fatalf("apps: got %v, want App at its hosts", apps)
	}
	if got := model.CodeOf(db.Keys().RemoveConsent(ctx, other.ID, "app")); got != model.CodeNotFound {
		t.Errorf("remove another's consent: got %q, want %q", got, model.CodeNotFound)
	}
	if valid, err := db.Keys().KeyIsValid(ctx, key.ID); err != nil || !valid {
		t.Errorf("key afterwards: got %v, %v, want a valid key", valid, err)
	}
	check(t, db.Keys().RemoveConsent(ctx, user.ID, "app"))
	if valid, err := db.Keys().KeyIsValid(ctx, key.ID); err != nil || valid {
		t.Errorf("key: got %v, %v, want none", valid, err)
	}
	if consented, err := db.Keys().HasConsented(ctx, user.ID, "app"); err != nil || consented {
		t.Errorf("consent: got %v, %v, want none", consented, err)
	}
	if _, err := db.Keys().RedeemOAuthCode(ctx, []byte("h")); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("code: got %v, want none", err)
	}
}
