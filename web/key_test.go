package web

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"portico/auth"
	"portico/limit"
	"portico/model"
)

// The account is a view of the console, and there is no second page of it.
func TestAccount_is_in_the_console(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	wantRedirect(t, b.get("/account"), "/console/account")
	wantRedirect(t, b.signIn("ada@example.com"), "/console")
	wantText(t, b.wantStatus(b.get("/account/key"), http.StatusOK), `href="/console/account"`)
	if _, err := w.keys.Show(t.Context(), user.ID); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("key after a look at its page: got %v, want none made", err)
	}
}

func TestAccount_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	change := func(action string) response { return b.post("/account/key", url.Values{"action": {action}}) }
	show := func() string { key, _ := w.keys.Show(t.Context(), user.ID); return key }

	wantRedirect(t, change("generate"), "/account/key")
	first := show()
	wantText(t, b.get("/account/key"), `value="`+first+`" readonly`)
	caller, err := w.keys.Caller(t.Context(), first)
	check(t, err)
	watched, stop := w.keys.Watch(t.Context(), caller.KeyID)
	defer stop()

	wantRedirect(t, change("generate"), "/account/key")
	second := show()
	if second == first {
		t.Error("key: got the first again, want another")
	}
	<-watched.Done()
	if got, want := model.CodeOf(context.Cause(watched)), model.CodeUnauthenticated; got != want {
		t.Errorf("end of the old key's subscriptions: got %q, want %q", got, want)
	}
	copied := b.cookie()
	wantRedirect(t, change("revoke"), "/account/key")
	if w.callerOf(copied) != nil {
		t.Error("a copy of the cookie from before the revocation: got signed in, want signed out")
	}
	if _, err := w.keys.Caller(t.Context(), second); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("revoked key: got %v, want it refused", err)
	}
	wantText(t, b.get("/account/key"), "You have no key.")
	b.wantStatus(change("dance"), http.StatusBadRequest)
	b.wantStatus(change(""), http.StatusBadRequest)
	b.post("/logout", url.Values{})
	wantRedirect(t, change("generate"), "/login")
	wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey")
}

// What is done to the key counts for the account, whichever session does it.
func TestAccount_limits_changes_of_the_key(t *testing.T) {
	t.Parallel()
	limiter := newLimiter(t)
	w := newWorld(t, func(o *worldOptions) { o.CountOperation = limiter.TakeOperation })
	user := w.addUser("ada@example.com")
	subject := limit.UserSubject(user.ID)
	browsers := []*browser{w.browser(), w.browser()}
	for _, b := range browsers {
		b.signIn("ada@example.com")
	}
	for limiter.Take(t.Context(), subject, limit.Key, limit.Key, limit.Key) == nil {
	} // 18 of 20 are counted
	generate := url.Values{"action": {"generate"}}
	for _, b := range browsers {
		b.wantStatus(b.post("/account/key", generate), http.StatusSeeOther)
	}
	got := browsers[0].wantStatus(browsers[0].post("/account/key", generate), http.StatusTooManyRequests)
	if got, want := got.header.Get("Retry-After"), "60"; got != want {
		t.Errorf("Retry-After: got %q, want %q", got, want)
	}
	b := browsers[1]
	b.wantStatus(b.get("/account/key"), http.StatusOK)
	for limiter.Take(t.Context(), subject, limit.All) == nil {
	}
	b.wantStatus(b.get("/account/key"), http.StatusTooManyRequests)
}

// After another PORTICO_SECRET the key works on and cannot be shown.
func TestAccount_with_a_key_of_another_secret(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) {
		changed, err := auth.NewKeys(o.DB, []byte("another secret of 16 and more"))
		check(t, err)
		o.Keys = changed
	})
	user := w.addUser("ada@example.com")
	_, err := w.keys.EnsureKey(t.Context(), user.ID) // with the secret of before
	check(t, err)
	b := w.browser()
	b.signIn("ada@example.com")
	wantText(t, b.wantStatus(b.get("/account/key"), http.StatusOK), "can no longer be shown")
	wantRedirect(t, b.post("/account/key", url.Values{"action": {"generate"}}), "/account/key")
	wantText(t, b.get("/account/key"), `value="portico_`)
}
