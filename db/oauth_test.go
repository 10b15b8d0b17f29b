package db

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/model"
)

func addClient(t testing.TB, db *DB) *OAuthClient {
	t.Helper()
	client := &OAuthClient{
		ID: model.Token(), Name: `O'Brien's "app"?`, CreatedAt: model.Now(),
		RedirectURIs: []string{`https://a.example/?q={"x",'y'}\`, "http://127.0.0.1/"},
	}
	check(t, db.Keys().AddOAuthClient(t.Context(), client))
	return client
}

func addCode(t testing.TB, db *DB, client *OAuthClient, user *model.User) *OAuthCode {
	t.Helper()
	code := &OAuthCode{
		Hash: []byte(model.Token()), ClientID: client.ID, UserID: user.ID,
		RedirectURI: client.RedirectURIs[0], Challenge: "challenge", Scope: "a b",
	}
	check(t, db.Keys().AddOAuthCode(t.Context(), code))
	return code
}

func TestOAuthClient_returns_what_was_stored(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	client := addClient(t, db)
	got, err := db.Keys().OAuthClient(t.Context(), client.ID)
	check(t, err)
	if got.Name != client.Name || !slices.Equal(got.RedirectURIs, client.RedirectURIs) || !got.GrantedAt.IsZero() {
		t.Errorf("client: got %+v, want %+v", got, client)
	}
	_, err = db.Keys().OAuthClient(t.Context(), "unknown")
	checkCode(t, err, model.CodeNotFound)
}

func TestRedeemOAuthCode_redeems_a_code_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	client, user := addClient(t, db), addUser(t, db)
	code := addCode(t, db, client, user)
	got, err := db.Keys().RedeemOAuthCode(t.Context(), code.Hash)
	check(t, err)
	if left := time.Until(got.ExpiresAt.Time); left > CodeLifetime || left < CodeLifetime/2 {
		t.Errorf("lifetime: got %v, want about %v", left, CodeLifetime)
	}
	want := *code
	want.ExpiresAt = got.ExpiresAt
	if string(got.Hash) != string(want.Hash) || got.ClientID != want.ClientID || got.UserID != want.UserID ||
		got.RedirectURI != want.RedirectURI || got.Challenge != want.Challenge || got.Scope != want.Scope {
		t.Errorf("code: got %+v, want %+v", got, want)
	}
	_, err = db.Keys().RedeemOAuthCode(t.Context(), code.Hash)
	checkCode(t, err, model.CodeNotFound)
}

func TestTakeOAuthCode_gives_it_to_one_of_many(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	code := addCode(t, db, addClient(t, db), addUser(t, db))
	var all sync.WaitGroup
	var taken atomic.Int32
	for range 10 {
		all.Go(func() {
			if _, err := db.Keys().RedeemOAuthCode(t.Context(), code.Hash); err == nil {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if got, want := taken.Load(), int32(1); got != want {
		t.Errorf("taken: got %d times, want %d", got, want)
	}
}

func TestTakeOAuthCode_finds_no_expired_one(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	code := addCode(t, db, addClient(t, db), addUser(t, db))
	asAdmin(t, db, "UPDATE oauth_codes SET expires_at = now()")
	_, err := db.Keys().RedeemOAuthCode(t.Context(), code.Hash)
	checkCode(t, err, model.CodeNotFound)
}

func TestAddOAuthCode_of_an_unknown_client(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	err := db.Keys().AddOAuthCode(t.Context(), &OAuthCode{Hash: []byte{1}, ClientID: "gone", UserID: addUser(t, db).ID})
	checkCode(t, err, model.CodeNotFound)
}

func TestPurgeSignIns_deletes_what_has_expired(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	fresh, old, granted := addClient(t, db), addClient(t, db), addClient(t, db)
	expired, alive := addCode(t, db, granted, user), addCode(t, db, granted, user)
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "expired", Data: []byte("x"), Expires: time.Now().Add(-time.Second)}))
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "alive", Data: []byte("x"), Expires: time.Now().Add(time.Hour)}))
	for statement, args := range map[string][]any{
		"UPDATE oauth_clients SET created_at = now() - interval '8 days' WHERE id IN (?, ?)": {old.ID, granted.ID},
		"UPDATE oauth_codes SET expires_at = now() - interval '1 second' WHERE hash = ?":     {expired.Hash},
	} {
		asAdmin(t, db, statement, args...)
	}
	_, err := db.Keys().PurgeSignIns(ctx, 10)
	check(t, err)
	for query, want := range map[string]int{
		"SELECT count(*) FROM oauth_clients": 2, "SELECT count(*) FROM oauth_codes": 1, "SELECT count(*) FROM sessions": 1,
	} {
		if got := number(t, db, query); got != want {
			t.Errorf("%s: got %d, want %d", query, got, want)
		}
	}
	for _, client := range []*OAuthClient{fresh, granted} {
		_, err := db.Keys().OAuthClient(ctx, client.ID)
		check(t, err)
	}
	_, err = db.Keys().RedeemOAuthCode(ctx, alive.Hash)
	check(t, err)
}

// After a flood of sessions, one statement that deletes all of them would exceed its time limit and
// delete none.
func TestPurgeSignIns_deletes_a_limited_number_of_rows(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, token := range []string{"a", "b", "c"} {
		check(t, db.SignIns().SaveSession(t.Context(), BrowserSession{Token: token, Data: []byte("x"), Expires: time.Now().Add(-time.Second)}))
	}
	for _, want := range []struct{ deleted, left int }{{2, 1}, {1, 0}, {0, 0}} {
		deleted, err := db.Keys().PurgeSignIns(t.Context(), 2)
		check(t, err)
		if left := number(t, db, "SELECT count(*) FROM sessions"); deleted != want.deleted || left != want.left {
			t.Errorf("got %d deleted and %d left, want %d and %d", deleted, left, want.deleted, want.left)
		}
	}
}
