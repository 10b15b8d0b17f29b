package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/auth"
	"portico/internal/testkit/postgres"
	"portico/model"
)

const linkSecret = "k5u2vdlxq3yzr7wm4npb6thc"

// addShareLink adds a Private space with a link, whose password is "open" if it has one.
func (w *world) addShareLink(secret string, withPassword bool, change func(*model.ShareLink)) *model.ShareLink {
	w.t.Helper()
	owner := w.addUser(model.Token() + "@example.com")
	space := model.NewSpace(owner.ID, model.CreateSpace{}, nil)
	check(w.t, w.db.Spaces().AddSpace(w.t.Context(), space, []*model.Entity{model.NewRoomInfo(space.ID, nil)}))
	link := &model.ShareLink{ID: model.Token(), SpaceID: space.ID, Name: "Client", SecretHash: auth.LinkSecretHash(secret), Version: 1}
	if withPassword {
		hash, err := w.accounts.HashLinkPassword(w.t.Context(), "open")
		check(w.t, err)
		link.PasswordHash = hash
	}
	if change != nil {
		change(link)
	}
	check(w.t, w.db.ShareLinks().AddShareLink(w.t.Context(), link))
	return link
}

func (w *world) visitsOf(link *model.ShareLink) int {
	w.t.Helper()
	found, err := w.db.ShareLinks().ShareLink(w.t.Context(), link.ID)
	check(w.t, err)
	return found.Visits
}

// linkVisits returns the links with which the browser sends a request to a path.
func (b *browser) linkVisits(path string) []*model.LinkVisit {
	b.w.t.Helper()
	u, err := url.Parse(b.w.server.URL + path)
	check(b.w.t, err)
	r := httptest.NewRequestWithContext(b.w.t.Context(), http.MethodGet, u.String(), http.NoBody)
	for _, cookie := range b.client.Jar.Cookies(u) {
		r.AddCookie(cookie)
	}
	visits, err := b.w.site.LinkVisits(r)
	check(b.w.t, err)
	return visits
}

func secretOf(secret string, further ...string) url.Values {
	form := url.Values{"secret": {secret}}
	for _, password := range further {
		form.Set("password", password)
	}
	return form
}

func TestShareLink_is_exchanged_for_a_cookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link := w.addShareLink(linkSecret, false, nil)
	b := w.browser()
	page := b.get("/share")
	if page.status != 200 || page.header.Get("Cache-Control") != "no-store" || len(page.header.Values("Set-Cookie")) > 0 {
		t.Errorf("page: got %d, %v, want 200, no-store and no cookie", page.status, page.header)
	}
	if w.visitsOf(link) != 0 {
		t.Error("looking at the page made a visit")
	}
	for range 2 { // whoever is inside enters again without another visit
		entered := b.post("/share", secretOf(linkSecret))
		if entered.status != http.StatusSeeOther || entered.location() != "/"+link.SpaceID {
			t.Fatalf("enter: got %d to %q, want the space", entered.status, entered.location())
		}
		if strings.Contains(entered.body+entered.location(), linkSecret) {
			t.Error("the response has the secret")
		}
		for _, cookie := range entered.header.Values("Set-Cookie") {
			if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") || strings.Contains(cookie, linkSecret) {
				t.Errorf("cookie: got %s", cookie)
			}
		}
	}
	if got := w.visitsOf(link); got != 1 {
		t.Errorf("visits: got %d, want 1", got)
	}
	for path, want := range map[string]int{"/" + link.SpaceID: 1, "/graphql": 1, "/share": 1, "/download/" + link.SpaceID + "/e": 1, "/": 0, "/console": 0, "/" + link.SpaceID + "x": 0, "/v1/mcp": 0} {
		if got := len(b.linkVisits(path)); got != want {
			t.Errorf("links of a request to %s: got %d, want %d", path, got, want)
		}
	}
}

func TestShareLink_of_https_has_secure_cookies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { o.BaseURL = "https://portico.example" })
	link := w.addShareLink(linkSecret, false, nil)
	got := w.browser().send(http.MethodPost, "/share", secretOf(linkSecret), http.Header{"Sec-Fetch-Site": {"same-origin"}})
	for _, cookie := range got.header.Values("Set-Cookie") {
		if !strings.HasPrefix(cookie, "__Secure-portico_link_"+link.SpaceID+"=") || !strings.Contains(cookie, "; Secure") {
			t.Errorf("cookie: got %s", cookie)
		}
	}
	if len(got.header.Values("Set-Cookie")) != 4 {
		t.Errorf("cookies: got %v, want 4", got.header.Values("Set-Cookie"))
	}
}

func TestShareLink_asks_for_its_password(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link := w.addShareLink(linkSecret, true, nil)
	b := w.browser()
	for _, step := range []struct {
		form   url.Values
		status int
		text   string
	}{
		{secretOf(linkSecret), 200, `name="password"`},
		{secretOf(linkSecret, ""), 422, wrongPassword},
		{secretOf(linkSecret, "Open"), 422, wrongPassword},
		{secretOf(linkSecret, "open"), 303, ""},
	} {
		if got := b.post("/share", step.form); got.status != step.status || !strings.Contains(got.body, step.text) {
			t.Errorf("%v: got %d %s, want %d with %q", step.form, got.status, got.body, step.status, step.text)
		}
	}
	if got := w.visitsOf(link); got != 1 {
		t.Errorf("visits: got %d, want 1", got)
	}
	// A new password ends what the old one opened.
	in := model.UpdateShareLink{LinkID: link.ID, SetPassword: true}
	_, err := w.db.ShareLinks().UpdateShareLink(t.Context(), "", in, link.PasswordHash)
	check(t, err)
	if got := len(b.linkVisits("/graphql")); got != 0 {
		t.Errorf("links after a new password: got %d, want 0", got)
	}
}

func TestShareLink_that_is_closed_opens_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	past := model.Time{Time: time.Now().Add(-time.Second)}
	for name, c := range map[string]struct {
		change func(*model.ShareLink)
		text   string
	}{
		"revoked": {func(l *model.ShareLink) { l.RevokedAt = &past }, linkEnded},
		"ended":   {func(l *model.ShareLink) { l.EndsAt = &past }, linkEnded},
		"used-up": {func(l *model.ShareLink) { l.MaxVisits, l.Visits = new(2), 2 }, linkUsedUp},
	} {
		link := w.addShareLink(name, true, c.change)
		got := w.browser().post("/share", secretOf(name, "open"))
		if got.status != http.StatusGone || !strings.Contains(got.body, c.text) || len(got.header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: got %d %s, want 410 and no cookie", name, got.status, got.body)
		}
		if strings.Contains(got.body, link.SpaceID) {
			t.Errorf("%s: the page names the space", name)
		}
	}
	hidden := w.addShareLink("hidden", false, nil)
	_, err := postgres.Connect(t, postgres.AdminURL(t, w.url)).ExecContext(t.Context(),
		"INSERT INTO hidden_spaces (space_id, privacy) VALUES ($1, 'Private')", hidden.SpaceID)
	check(t, err)
	if got := w.browser().post("/share", secretOf("hidden")); got.status != http.StatusGone {
		t.Errorf("a space that was taken down: got %d, want 410", got.status)
	}
	if got := w.browser().post("/share", secretOf("unknown")); got.status != http.StatusNotFound {
		t.Errorf("an unknown secret: got %d, want 404", got.status)
	}
}

// A copy of the cookie is as good as the cookie, and no better: it ends with its link, and is worth
// nothing for another space or after a change.
func TestShareLink_cookie_cannot_be_replayed_or_forged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link, other := w.addShareLink(linkSecret, false, nil), w.addShareLink("other", false, nil)
	entered := w.browser().post("/share", secretOf(linkSecret))
	name, value := "portico_link_"+link.SpaceID, ""
	for _, cookie := range (&http.Response{Header: entered.header}).Cookies() {
		value = cookie.Value
	}
	visits := func(name, value string) []*model.LinkVisit {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.AddCookie(&http.Cookie{Name: name, Value: value})
		found, err := w.site.LinkVisits(r)
		check(t, err)
		return found
	}
	// The name is for the browser: the sealed value decides.
	if found := visits("portico_link_"+other.SpaceID, value); len(found) != 1 || found[0].SpaceID != link.SpaceID {
		t.Errorf("under the name of another space: got %v, want the link of the first", found)
	}
	ended := w.keys.SealVisit(model.LinkAccess{LinkID: link.ID, Version: 1}, time.Now().Add(-time.Second))
	for what, forged := range map[string]string{
		"none": "", "the id": link.ID, "another text": strings.ToUpper(value), "a cut one": value[:len(value)-1], "an old one": ended,
		"of an unknown link": w.keys.SealVisit(model.LinkAccess{LinkID: "x", Version: 1}, time.Now().Add(time.Hour)),
		"of another version": w.keys.SealVisit(model.LinkAccess{LinkID: link.ID, Version: 2}, time.Now().Add(time.Hour)),
	} {
		if found := visits(name, forged); len(found) != 0 {
			t.Errorf("%s: got %v, want none", what, found)
		}
	}
	_, err := w.db.ShareLinks().RevokeShareLink(t.Context(), "", link.ID)
	check(t, err)
	if found := visits(name, value); len(found) != 0 {
		t.Errorf("after the end: got %v, want none", found)
	}
}

func TestShareLink_is_not_entered_from_another_site(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addShareLink(linkSecret, false, nil)
	got := w.browser().send(http.MethodPost, "/share", secretOf(linkSecret), http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}})
	if got.status != http.StatusForbidden {
		t.Errorf("form of another site: got %d, want 403", got.status)
	}
	b := w.browser()
	b.post("/share", secretOf(linkSecret))
	for _, origin := range []string{"same-site", "cross-site"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/graphql", strings.NewReader("{}"))
		for _, cookie := range b.client.Jar.Cookies(r.URL) {
			r.AddCookie(cookie)
		}
		r.Header.Set("Sec-Fetch-Site", origin)
		if visits, err := w.site.PageVisits(r); err != nil || len(visits) != 0 {
			t.Errorf("a %s request: got %v, %v, want no link", origin, visits, err)
		}
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if visits, err := w.site.PageVisits(r); err != nil || len(visits) != 1 {
			t.Errorf("a request of our page: got %v, %v, want the link", visits, err)
		}
	}
}

func TestShareLink_attempts_are_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link := w.addShareLink(linkSecret, true, nil)
	b := w.browser()
	for i := range 60 {
		if got := b.post("/share", secretOf("guess "+model.Token())); got.status != http.StatusNotFound {
			t.Fatalf("guess %d: got %d, want 404", i, got.status)
		}
	}
	for what, form := range map[string]url.Values{"a guess": secretOf("guess"), "the right one": secretOf(linkSecret, "open")} {
		if got := b.post("/share", form); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%s after many: got %d, want 429 with Retry-After", what, got.status)
		}
	}
	// Other addresses together are limited by the link, before the password is compared.
	for range 200 {
		w.site.limits.passwordsByLink.Take(link.ID)
	}
	w.site.limits.linksByAddress = nil
	if got := b.post("/share", secretOf(linkSecret, "open")); got.status != http.StatusTooManyRequests || w.visitsOf(link) != 0 {
		t.Errorf("the password after many: got %d, want 429", got.status)
	}
}

func TestShareLink_lets_in_only_as_many_as_it_allows_at_the_same_time(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link := w.addShareLink(linkSecret, false, func(l *model.ShareLink) { l.MaxVisits = new(2) })
	var all sync.WaitGroup
	statuses := make(chan int, 8)
	for range cap(statuses) {
		b := w.browser()
		all.Go(func() { statuses <- b.post("/share", secretOf(linkSecret)).status })
	}
	all.Wait()
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	if count[http.StatusSeeOther] != 2 || count[http.StatusGone] != 6 || w.visitsOf(link) != 2 {
		t.Errorf("got %v and %d visits, want 2 inside", count, w.visitsOf(link))
	}
}
