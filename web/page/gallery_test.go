package page_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
)

func titlesOf(page response) []string {
	var titles []string
	for _, found := range regexp.MustCompile(`<bdi class="title">([^<]*)</bdi>`).FindAllStringSubmatch(page.body, -1) {
		titles = append(titles, html.UnescapeString(found[1]))
	}
	return titles
}

// follows returns the page that the link to the previous or the next page leads to.
func (b visitor) follows(page response, rel string) response {
	b.p.t.Helper()
	link := regexp.MustCompile(`href="([^"]*)" rel="` + rel + `"`).FindStringSubmatch(page.body)
	if link == nil {
		b.p.t.Fatalf("page: got no link %s in\n%s", rel, page.body)
	}
	return b.wantStatus(b.get(html.UnescapeString(link[1])), http.StatusOK)
}

func TestGallery_pages_without_scripts(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	var all []string
	for i := range 50 {
		title := "Space " + strconv.Itoa(i)
		p.space(ada, title, "", model.Public)
		all = slices.Insert(all, 0, title)
	}
	p.space(ada, "Linked", "", model.LinkOnly)
	b := p.stranger()
	for _, path := range []string{"/", "/u/" + ada.ID, "/?q=space&lang=de"} {
		first := b.wantStatus(b.get(path), http.StatusOK)
		second := b.follows(first, "next")
		third := b.follows(second, "next")
		for i, row := range []struct {
			page response
			want []string
		}{{first, all[:24]}, {second, all[24:48]}, {third, all[48:]}, {b.follows(third, "prev"), all[24:48]}} {
			if got := titlesOf(row.page); !slices.Equal(got, row.want) {
				t.Errorf("%s, page %d: got %q, want %q", path, i, got, row.want)
			}
		}
		for page, rel := range map[*response]string{&first: "prev", &third: "next"} {
			if regexp.MustCompile(`rel="` + rel + `"`).MatchString(page.body) {
				t.Errorf("%s: got a link %s beyond the list", path, rel)
			}
		}
	}
	wantText(t, b.follows(b.get("/?q=space&lang=de"), "next"), `<html lang="de">`, "50 Räume gefunden", `value="space"`)
}

func TestGallery_searches_and_orders(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada, grace := p.account("Ada"), p.account("Grace")
	b := p.stranger()
	wantText(t, b.get("/"), "Nobody has published a space yet.", "0 spaces")
	p.space(ada, "Observatory", "on the hill", model.Public)
	kiln := p.space(ada, "Kiln", "in the valley", model.Public)
	p.space(ada, "100% Kiln", "", model.Public)
	check(t, grace.GraphQL("mutation($id: ID!) { recordVisit(input: {spaceId: $id}) { space { id } } }", map[string]any{"id": kiln}, nil))
	for path, want := range map[string][]string{
		"/":                           {"100% Kiln", "Kiln", "Observatory"},
		"/?order=visits":              {"Kiln", "100% Kiln", "Observatory"},
		"/?q=kiln":                    {"100% Kiln", "Kiln"},
		"/?q=kiln&order=visits":       {"Kiln", "100% Kiln"},
		"/?q=HILL":                    {"Observatory"},
		"/?q=" + url.QueryEscape("%"): {"100% Kiln"},
		"/?q=_":                       nil,
	} {
		if got := titlesOf(b.wantStatus(b.get(path), http.StatusOK)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	wantText(t, b.get("/?q=_"), "No space matches your search.", "0 spaces found", `<meta name="robots" content="noindex">`)
	wantText(t, b.get("/?order=visits"), `<input type="hidden" name="order" value="visits">`, `aria-current="true">Most visited`, "1 visit<")
	wantText(t, b.get("/"), `aria-current="true">Newest`)
}

// A search is counted up to a limit, which the page does not show as the exact number.
func TestGallery_says_at_least_where_counting_ends(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	admin := postgres.Connect(t, postgres.AdminURL(t, p.Config.DatabaseURL))
	_, err := admin.ExecContext(t.Context(), `
		INSERT INTO spaces (id, owner_id, title, description, type, privacy)
			SELECT '`+ada.ID+`_' || n, '`+ada.ID+`', 'Kiln ' || n, '', 'infinite', 'Public' FROM generate_series(1, 1010) n`)
	check(t, err)
	b := p.stranger()
	wantText(t, b.get("/?q=kiln"), "At least 1,000 spaces found")
	wantText(t, b.get("/?q=kiln&lang=de"), "Mindestens 1.000 Räume gefunden")
	wantText(t, b.get("/?q=kiln+101"), "2 spaces found") // 101 and 1010
	wantText(t, b.get("/"), "1,010 spaces")
}

func TestPerson_has_a_picture(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	if got := p.stranger().get("/u/" + ada.ID); strings.Contains(got.body, "<img") {
		t.Errorf("without a picture: got an image\n%s", got.body)
	}
	key := model.NewAccountPictureKey(ada.ID)
	check(t, p.DB.Accounts().SetAccountPicture(t.Context(), ada.ID, key))
	wantText(t, p.stranger().get("/u/"+ada.ID), `<img class="person" src="`+p.FilesURL()+"/"+key+`" width="96" height="96" alt="">`)
}

func TestPerson_is_followed(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	p.account("Grace")
	path := "/u/" + ada.ID
	grace, owner, stranger := p.signedIn("Grace"), p.signedIn("Ada"), p.stranger()
	wantText(t, stranger.get(path), "<h1><bdi>Ada</bdi></h1>", "No public spaces yet.", `href="/login?next=%2Fu%2F`+ada.ID+`"`)
	wantText(t, grace.get(path), `<button type="submit" name="action" value="follow">`)
	if got := owner.get(path); regexp.MustCompile(`<form|<a class="button`).MatchString(got.body) {
		t.Errorf("own page: got a form to follow oneself\n%s", got.body)
	}
	for _, row := range []struct{ action, want string }{
		{"follow", "you follow this person"}, {"follow", `value="unfollow"`}, {"unfollow", `value="follow"`},
	} {
		got := grace.post(path, url.Values{"action": {row.action}})
		if got.status != http.StatusSeeOther || got.header.Get("Location") != path {
			t.Errorf("%s: got %d to %q, want a redirect to the page", row.action, got.status, got.header.Get("Location"))
		}
		wantText(t, grace.get(path), row.want)
	}
	if got := stranger.post(path, url.Values{"action": {"follow"}}); got.status != http.StatusSeeOther || got.header.Get("Location") != "/login?next=%2Fu%2F"+ada.ID {
		t.Errorf("signed out: got %d to %q, want the sign-in page", got.status, got.header.Get("Location"))
	}
	for path, want := range map[string]int{"/u/99999999": 404, "/u/%00": 404} {
		if got := grace.post(path, url.Values{"action": {"follow"}}); got.status != want {
			t.Errorf("follow %s: got %d, want %d", path, got.status, want)
		}
	}
	if got := owner.post(path, url.Values{"action": {"follow"}}); got.status != http.StatusBadRequest {
		t.Errorf("follow oneself: got %d, want 400", got.status)
	}
}

// Another site cannot make a person follow somebody.
func TestPerson_refuses_forms_of_other_sites(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada, grace := p.account("Ada"), p.account("Grace")
	b, path := p.signedIn("Grace"), "/u/"+ada.ID
	for _, origin := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
		headers := append([]string{"Content-Type", "application/x-www-form-urlencoded"}, origin...)
		if got := b.send(http.MethodPost, path, "action=follow", headers...); got.status != http.StatusForbidden {
			t.Errorf("%v: got %d, want 403", origin, got.status)
		}
	}
	var user struct{ Followed bool }
	check(t, grace.GraphQL("query($id: ID!) { user(id: $id) { followed } }", map[string]any{"id": ada.ID}, &user))
	if user.Followed {
		t.Error("Ada: got a follower, want none")
	}
}
