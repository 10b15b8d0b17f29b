package web

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"portico/model"
)

//go:embed messages/*.json
var messages embed.FS

// language is a language of the pages. The pages are written in English. A file of messages maps
// each English text to its translation, so that the error messages of other packages are
// translated too. A text may have values, whose names are in braces.
type language struct {
	tag   string            // such as "de" (RFC 5646)
	texts map[string]string // the translations by the English text; nil for English
}

// readLanguages reads all languages, English first.
func readLanguages() ([]*language, error) {
	languages := []*language{{tag: "en"}}
	for _, tag := range model.Languages()[1:] {
		content, err := messages.ReadFile("messages/" + tag + ".json")
		if err != nil {
			return nil, err
		}
		l := &language{tag: tag}
		if err := json.Unmarshal(content, &l.texts); err != nil {
			return nil, fmt.Errorf("messages/%s.json: %w", tag, err)
		}
		languages = append(languages, l)
	}
	return languages, nil
}

// translate returns the translation of an English text, or the text itself if there is none, or if
// the text has been translated already.
func (l *language) translate(text string) string { return cmp.Or(l.texts[text], text) }

// say returns the translation of an English text with names in braces, such as {email}, with the
// values in their place. The pairs are names and values.
func (l *language) say(text string, pairs ...string) string {
	params := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		params[pair[0]] = pair[len(pair)-1]
	}
	return model.Fill(l.translate(text), params)
}

// sayError returns what an error says to a person. Messages about fields start with the name of the
// field in lower case, and get a capital.
func (l *language) sayError(err error) string {
	shown := model.AsError(err)
	template := cmp.Or(shown.Template, shown.Message, model.InternalMessage)
	return model.Fill(l.translate(strings.ToUpper(template[:1])+template[1:]), shown.Params)
}

// say returns a text with values in the language of the request.
func (s *Site) say(r *http.Request, text string, pairs ...string) string {
	return s.pages.language(r).say(text, pairs...)
}

// sayError returns what an error says to a person, in the language of the request.
func (s *Site) sayError(r *http.Request, err error) string { return s.pages.language(r).sayError(err) }

// languageCookie is the cookie with the language of the parameter lang, for the forms and redirects
// that follow. The browser deletes it when it closes.
const languageCookie = "portico_language"

// language returns the language of the parameter lang, of languageCookie, or of Accept-Language, in
// this order, or English.
func (p *pages) language(r *http.Request) *language {
	wanted := []string{r.URL.Query().Get("lang"), "", model.PreferredLanguage(r.Header.Get("Accept-Language"))}
	if cookie, err := r.Cookie(languageCookie); err == nil {
		wanted[1] = cookie.Value
	}
	for _, tag := range wanted {
		if l := p.languageByTag(tag); l != nil {
			return l
		}
	}
	return p.languages[0]
}

// languageByTag returns the language with the tag, or nil.
func (p *pages) languageByTag(tag string) *language {
	for _, l := range p.languages {
		if l.tag == tag {
			return l
		}
	}
	return nil
}

// languageLink leads to a page in another language.
type languageLink struct {
	Tag, Name string
	Address   string // relative to the page
	Current   bool
}

// links returns the links to a page in all languages. Only pages have them whose address leads to them
// again: the page that opens a share link would lose the fragment.
func (p *pages) links(r *http.Request, current *language, template string) []languageLink {
	switch template {
	case "login", "signup", "welcome", "form":
	default:
		return nil
	}
	var links []languageLink
	for _, l := range p.languages {
		query := r.URL.Query()
		query.Set("lang", l.tag)
		links = append(links, languageLink{Tag: l.tag, Name: l.translate("English"), Address: "?" + query.Encode(), Current: l == current})
	}
	return links
}

// rememberLanguage sets languageCookie to the language of the parameter lang.
func (s *Site) rememberLanguage(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" {
		return
	}
	if l := s.pages.languageByTag(r.URL.Query().Get("lang")); l != nil {
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure if the server has TLS, like the cookie of the session
			Name: languageCookie, Value: l.tag, Path: "/", HttpOnly: true, Secure: s.sessions.Cookie.Secure, SameSite: http.SameSiteLaxMode,
		})
	}
}
