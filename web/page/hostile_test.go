package page_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"portico/model"
)

// attacks are texts that people may choose and that must never run or change a page.
var attacks = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title></textarea><script>alert(1)</script>`,
	`javascript:alert(1)`, `{{.}}${1}`, "\u202Eevil\u2028", `<!--`, `]]>`, `&lt;script&gt;`, "a\x01b\tc",
}

var (
	// quoted matches the value of an attribute, which cannot contain a quote.
	quoted = regexp.MustCompile(`="[^"]*"`)
	// dangerous matches the markup of an attack that was not escaped, without the values of
	// attributes.
	dangerous = regexp.MustCompile(`(?i)<script>|<img src=x|<[^>]* (?:on[a-z]+|style)\s*=|<style|<!--`)
	// runnable matches an address that runs.
	runnable = regexp.MustCompile(`(?i)(?:href|src|action)="\s*(?:javascript|data|vbscript):`)
)

// attackIn returns the part of a page that an attack has made, or "".
func attackIn(page string) string {
	if found := runnable.FindString(page); found != "" {
		return found
	}
	return dangerous.FindString(quoted.ReplaceAllString(page, `=""`))
}

// visible returns a text without the characters that no name or title can have.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

func TestPages_escape_what_people_write(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	for _, attack := range attacks {
		user, err := p.DB.Accounts().User(t.Context(), ada.ID)
		check(t, err)
		name := visible(attack)
		user.Name = name
		check(t, p.DB.Accounts().UpdateUser(t.Context(), user))
		id := p.space(ada, name, attack, model.Public)
		p.gate(ada, id, attack, "https://example.com/"+attack[:1])
		p.entity(ada, id, "UserModelEntity", map[string]any{"glbUrl": attack, "displayName": attack})
		p.entity(ada, id, "UserModelEntity", map[string]any{"glbUrl": attack})
		// Only gates have their addresses checked when they are stored.
		p.entity(ada, id, "Simple", map[string]any{"link": "javascript:alert(1)", "title": attack})
		escaped := url.QueryEscape(attack)
		for _, path := range []string{
			"/" + id, "/embed/" + id, "/", "/?q=" + escaped, "/?order=" + escaped, "/?lang=" + escaped, "/?after=" + escaped,
			"/u/" + ada.ID, "/u/" + url.PathEscape(attack), "/embed/" + url.PathEscape(attack), "/" + url.PathEscape(attack), "/sitemap.xml",
		} {
			got := p.stranger().get(path)
			if found := attackIn(got.body); found != "" || got.status >= 500 {
				t.Errorf("%s with %q: got %d and %q in\n%s", path, attack, got.status, found, got.body)
			}
		}
		var embed struct{ Title, HTML string }
		got := p.stranger().get("/oembed?url=" + url.QueryEscape(p.BaseURL()+"/"+id))
		decode(t, got, &embed)
		inner := strings.TrimSuffix(embed.HTML, "></iframe>")
		if embed.Title != name || strings.ContainsAny(inner[1:], "<>") || strings.Contains(got.body, "<") {
			t.Errorf("oEmbed of %q: got %s, want it escaped", attack, got.body)
		}
	}
}

func TestPages_answer_hostile_addresses(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Space", "", model.Public)
	for _, row := range []struct {
		path   string
		status int
	}{
		{"//" + id, 200}, {"/" + id + "/", 200}, {"///" + id + "//?a=b", 200}, {"/embed//" + id + "/", 200},
		{"/" + strings.ToUpper(id), 404}, {"/" + id + "%00", 404}, {"/" + id + "%20", 404}, {"/%ff" + id, 404}, {"/" + id + "/x", 404},
		{"/" + id + "'--", 404}, {"/" + ada.ID + "_", 404}, {"/" + ada.ID + "_%25", 404}, {"/" + ada.ID, 404},
		{"/" + ada.ID + "_" + strings.Repeat("a", 5000), 404}, {"/..%2f" + id, 404}, {"/embed/", 404}, {"/embed", 404}, {"/embed/x%00", 404},
		{"/u/", 404}, {"/u", 404}, {"/u/%00", 404}, {"/u/%ff%fe", 404}, {"/u/99999999", 404}, {"/u/" + ada.ID + "/", 200}, {"/u/a%2fb", 404},
		{"/dist/", 404}, {"/dist/../server", 404}, {"/dist/space", 404}, {"/place/x.css", 404}, {"/%2e%2e/etc/passwd", 404},
		{"/?after=x", 400}, {"/?before=%00", 400}, {"/?after=" + strings.Repeat("A", 9000), 400}, {"/?q=%00", 400}, {"/?q=%ff", 400},
		{"/?q=" + strings.Repeat("x", 201), 400}, {"/?q=%25", 200}, {"/?q=a&q=b&lang=xx&lang=de", 200}, {"/?order=DROP", 200}, {"/u/" + ada.ID + "?after=x", 400},
		{"/sitemap/x.xml", 404}, {"/sitemap/-1.xml", 404}, {"/sitemap/99999999999999999999.xml", 404}, {"/sitemap/7", 404},
		{"/wp-login.php", 404}, {"/.env", 404}, {"/a//b", 404}, {"//evil.example/x", 404}, {"/%5cevil.example", 404},
	} {
		got := p.stranger().get(row.path)
		if got.status != row.status {
			t.Errorf("%s: got %d, want %d", row.path, got.status, row.status)
		}
		if address := regexp.MustCompile(`(?:href|action)="(//|/\\|[a-z]+:)[^"]*evil`).FindString(got.body); address != "" {
			t.Errorf("%s: got a link to another host: %s", row.path, address)
		}
	}
}

// No path of the server looks like the id of a space.
func TestSpaces_leave_reserved_paths_alone(t *testing.T) {
	t.Parallel()
	p := open(t)
	for _, path := range []string{
		"login", "signup", "logout", "account", "pages", "playground", "graphql", "v1", "api", "files", "livez", "readyz", "metrics", "openapi.json", "openapi.yaml", "schema.graphql",
		"register", "authorize", "token", "revoke", ".well-known", "dist", "u", "embed", "oembed", "sitemap.xml", "robots.txt", "favicon.svg", "place",
	} {
		if model.IsSpaceID(path) {
			t.Errorf("/%s: got an id of a space, want none", path)
		}
	}
	for range 100 {
		if id := model.NewSpaceID("12345678"); !model.IsSpaceID(id) {
			t.Errorf("id: got %s, want one that has a page", id)
		}
	}
	for path, want := range map[string]string{"/login": "<h1>Sign in</h1>", "/openapi.json": `"openapi"`, "/livez": "", "/playground": "GraphQL"} {
		if got := p.stranger().get(path); got.status != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("%s: got %d, want 200 and %q", path, got.status, want)
		}
	}
}
