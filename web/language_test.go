package web

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/model"
	"portico/web/style"
)

// textsOfPages matches the texts that templates and handlers show.
var textsOfPages = regexp.MustCompile(`\{\{t "([^"]+)"\}\}|(?:Label|Hint|Heading|Text|Button|Link): +"([^"]+)"[,}\n]|\bsay(?:\(|\(r, | )"([^"]+)"`)

// A text that one language lacks is shown in English among others of that language.
func TestMessages_have_every_text_of_the_pages(t *testing.T) {
	t.Parallel()
	languages, err := readLanguages()
	if err != nil || len(languages) < 2 {
		t.Fatalf("languages: got %d, %v", len(languages), err)
	}
	var sources []string
	for _, pattern := range []string{"pages/*.html", "*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
	}
	texts := 0
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range textsOfPages.FindAllStringSubmatch(string(content), -1) {
			texts++
			for _, l := range languages[1:] {
				if english := match[1] + match[2] + match[3]; l.texts[english] == "" {
					t.Errorf("%s: %s has no %q", name, l.tag, english)
				}
			}
		}
	}
	if texts < 60 {
		t.Errorf("texts: got %d, want those of all pages", texts)
	}
}

func TestSay_translates_texts_with_values(t *testing.T) {
	t.Parallel()
	languages, err := readLanguages()
	if err != nil {
		t.Fatal(err)
	}
	english, german := languages[0], languages[1]
	for _, row := range []struct {
		text           string
		pairs          []string
		english, wants string
	}{
		{"Sign in", nil, "Sign in", "Anmelden"},
		{"Too many attempts. Try again in {n} minutes", []string{"n", "3"}, "Too many attempts. Try again in 3 minutes", "Zu viele Versuche. Versuchen Sie es in 3 Minuten noch einmal"},
		{"Too many attempts. Try again in a minute", nil, "Too many attempts. Try again in a minute", "Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal"},
		{"{email} is the address of your account.", []string{"email", "{n}@example.com"}, "{n}@example.com is the address of your account.", "{n}@example.com ist die Adresse Ihres Kontos."},
		{"{address} replaces {email} as the address of your account.", []string{"address", "{email}", "email", "::1"}, "{email} replaces ::1 as the address of your account.", "{email} ersetzt ::1 als Adresse Ihres Kontos."},
		{"Some other text", nil, "Some other text", "Some other text"}, {"", nil, "", ""},
	} {
		if got := english.say(row.text, row.pairs...); got != row.english {
			t.Errorf("%q in English: got %q, want %q", row.text, got, row.english)
		}
		if got := german.say(row.text, row.pairs...); got != row.wants {
			t.Errorf("%q in German: got %q, want %q", row.text, got, row.wants)
		}
	}
}

// The message of an error has its values already, so its template is translated.
func TestSayError_translates_the_template(t *testing.T) {
	t.Parallel()
	languages, err := readLanguages()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		err           error
		english, want string
	}{
		{model.InvalidTemplate("Password must have at least {n} characters", map[string]string{"n": "8"}), "Password must have at least 8 characters", "Das Passwort muss mindestens 8 Zeichen haben"},
		{model.InvalidTemplate("name must have at most {n} characters", map[string]string{"n": "200"}), "Name must have at most 200 characters", "Der Name darf höchstens 200 Zeichen haben"},
		{errors.New("a fault"), model.InternalMessage, languages[1].translate(model.InternalMessage)},
	} {
		for i, want := range []string{row.english, row.want} {
			if got := languages[i].sayError(row.err); got != want {
				t.Errorf("%v in %s: got %q, want %q", row.err, languages[i].tag, got, want)
			}
		}
	}
}

func TestPages_speak_the_language_of_the_browser(t *testing.T) {
	t.Parallel()
	pages, err := newPages(style.Brand{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ address, accepted, want string }{
		{"/login", "", "en"}, {"/login", "de-AT, en;q=0.5", "de"}, {"/login", "it, en;q=0.9, de;q=0.1", "en"}, {"/login", "fr-CA", "fr"}, {"/login", "es", "es"}, {"/login", "ja", "ja"}, {"/login?lang=zh", "", "zh"},
		{"/login?lang=de", "en", "de"}, {"/login?lang=en", "de", "en"}, {"/login?lang=xx", "de", "de"},
	} {
		r, err := http.NewRequest(http.MethodGet, row.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Language", row.accepted)
		var b strings.Builder
		l := pages.language(r)
		if err := pages.templates[l]["login"].Execute(&b, layout{Language: l.tag, Title: "Sign in", Content: signInPage{Provider: "id.example.com", External: "/x"}}); err != nil {
			t.Fatal(err)
		}
		heading := map[string]string{"en": "Sign in", "de": "Anmelden", "fr": "Se connecter", "es": "Iniciar sesión", "ja": "ログイン", "zh": "登录"}[row.want]
		if page := b.String(); !strings.Contains(page, `<html lang="`+row.want+`">`) || !strings.Contains(page, "<h1>"+heading+"</h1>") || !strings.Contains(page, "id.example.com") {
			t.Errorf("%s for %q: got %s, want a page in %s", row.address, row.accepted, page, row.want)
		}
		if got := l.tag; got != row.want {
			t.Errorf("%s for %q: got %s, want %s", row.address, row.accepted, got, row.want)
		}
	}
}

// Forms and redirects do not repeat the parameter lang, so a cookie keeps it, for each page that
// follows. Another address can ask for another language.
func TestLanguage_of_an_address_is_kept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { o.accounts.SendsMail = true })
	w.addUser("ada@example.com")
	b := w.browser()
	german := func(name string, got response) {
		t.Helper()
		if !strings.Contains(got.body, `<html lang="de">`) {
			t.Errorf("%s: got %d and a page that is not in German", name, got.status)
		}
	}
	b.get("/login?lang=xx") // there is no such language
	wantText(t, b.get("/login"), `<html lang="en">`)
	german("the address", b.get("/login?lang=de"))
	german("a wrong password", b.post("/login", url.Values{"email": {"ada@example.com"}, "password": {"wrong"}}))
	german("a link to another page", b.get("/signup"))
	german("a form with errors", b.post("/signup", url.Values{"email": {"nobody"}}))
	german("an error page", b.send(http.MethodPut, "/login", nil, http.Header{"Sec-Fetch-Site": {"same-origin"}}))
	german("the page of a forgotten password", b.get("/login/forgot"))
	german("a link that does not work", b.get("/login/reset?token=x"))
	wantText(t, b.get("/login?lang=en"), `<html lang="en">`)
	wantText(t, b.get("/signup"), `<html lang="en">`)

	b = w.browser()
	b.get("/account/key?lang=de") // a stranger is redirected
	german("after a redirect", b.get("/login?next=%2Faccount%2Fkey"))
}

func TestKey_in_German(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	b := w.browser()
	wantRedirect(t, b.signIn("ada@example.com"), "/console")
	b.wantStatus(b.post("/account/key", url.Values{"action": {"generate"}}), http.StatusSeeOther)
	for _, path := range []string{"/account/key?lang=de", "/account/key"} {
		page := b.get(path).body
		for _, want := range []string{`<html lang="de">`, "<h1>API-Schlüssel</h1>", "Ihr Schlüssel", "Abmelden"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: got %s\nwant %q in it", path, page, want)
			}
		}
		for _, english := range []string{"Sign", "key<", " of "} {
			if strings.Contains(page, english) {
				t.Errorf("%s: got English: %q", path, english)
			}
		}
	}
}

// A person whose browser speaks another language finds their own on the page, and the address keeps what
// else it says.
func TestLinks_lead_to_the_page_in_all_languages(t *testing.T) {
	t.Parallel()
	pages, err := newPages(style.Brand{})
	check(t, err)
	r, err := http.NewRequest(http.MethodGet, "/login?lang=xx&next=%2Fconsole%2Ffiles", nil)
	check(t, err)
	got := pages.links(r, pages.languages[1], "login")
	if len(got) != len(model.Languages()) {
		t.Fatalf("got %v, want a link for each of %q", got, model.Languages())
	}
	for i, tag := range model.Languages() {
		want := languageLink{Tag: tag, Name: got[i].Name, Address: "?lang=" + tag + "&next=%2Fconsole%2Ffiles", Current: i == 1}
		if got[i] != want || got[i].Name == "" || i > 0 && got[i].Name == "English" {
			t.Errorf("got %+v, want %+v with the name of the language", got[i], want)
		}
	}
	// The secret of a share link is in the fragment, which a link would lose.
	if got := pages.links(r, pages.languages[0], "share"); got != nil {
		t.Errorf("share: got %v, want no links", got)
	}
}
