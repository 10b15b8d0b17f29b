package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/model"
)

//go:embed messages/*.json
var messages embed.FS

// language is a language of the pages. The pages are written in English, and a file of messages
// has each English text with its translation: so the texts of errors, which come from several
// packages, are translated as well.
type language struct {
	tag      string            // such as "de" (RFC 5646)
	texts    map[string]string // by the English text; nil for English
	patterns []pattern         // texts with values in them, the longest first
}

// pattern is a text with values, such as "Try again in {time}".
type pattern struct {
	english     *regexp.Regexp
	translation string
}

// placeholder matches the name of a value in a text.
var placeholder = regexp.MustCompile(`\\?\{([a-z]+)\\?\}`)

// readLanguages reads all languages, English first.
func readLanguages() ([]*language, error) {
	languages := []*language{{tag: "en"}}
	found, err := messages.ReadDir("messages")
	if err != nil {
		return nil, err
	}
	for _, file := range found {
		content, err := messages.ReadFile("messages/" + file.Name())
		if err != nil {
			return nil, err
		}
		l := &language{tag: strings.TrimSuffix(file.Name(), path.Ext(file.Name()))}
		if err := json.Unmarshal(content, &l.texts); err != nil {
			return nil, fmt.Errorf("messages/%s: %w", file.Name(), err)
		}
		l.compile()
		languages = append(languages, l)
	}
	return languages, nil
}

// compile makes the patterns of the texts with values.
func (l *language) compile() {
	var english []string
	for text := range l.texts {
		if placeholder.MatchString(text) {
			english = append(english, text)
		}
	}
	slices.SortFunc(english, func(a, b string) int { return len(b) - len(a) })
	for _, text := range english {
		expression := placeholder.ReplaceAllString(regexp.QuoteMeta(text), `(?P<$1>.+)`)
		l.patterns = append(l.patterns, pattern{regexp.MustCompile("^" + expression + "$"), l.texts[text]})
	}
}

// text returns the translation of an English text, or the text itself where there is none.
func (l *language) text(english string) string {
	if translation, ok := l.texts[english]; ok {
		return translation
	}
	for _, p := range l.patterns {
		values := p.english.FindStringSubmatch(english)
		if values == nil {
			continue
		}
		return placeholder.ReplaceAllStringFunc(p.translation, func(name string) string {
			return l.text(values[p.english.SubexpIndex(strings.Trim(name, "{}"))])
		})
	}
	return english
}

// when returns a time for people. It is in UTC, because the server does not know their time zone.
func (l *language) when(moment time.Time) string {
	layout := "2 January 2006, 15:04 UTC"
	if l.tag == "de" {
		layout = "2.1.2006, 15:04 UTC"
	}
	return moment.UTC().Format(layout)
}

// size returns a number of bytes for people.
func (l *language) size(bytes int64) string {
	text := size(bytes)
	if l.tag == "de" {
		text = strings.NewReplacer(".", ",", "bytes", "Bytes").Replace(text)
	}
	return text
}

// languageCookie keeps the language that an address asked for, over the forms and redirects after
// it. It is gone when the browser closes.
const languageCookie = "portico_language"

// language returns the language of the parameter lang, or the one that an earlier address asked
// for, or else the one that the browser prefers.
func (p *pages) language(r *http.Request) *language {
	wanted := []string{r.URL.Query().Get("lang"), "", model.MailLanguage(r.Header.Get("Accept-Language"))}
	if cookie, err := r.Cookie(languageCookie); err == nil {
		wanted[1] = cookie.Value
	}
	for _, tag := range wanted {
		if l := p.called(tag); l != nil {
			return l
		}
	}
	return p.languages[0]
}

// called returns the language with the tag, or nil.
func (p *pages) called(tag string) *language {
	for _, l := range p.languages {
		if l.tag == tag {
			return l
		}
	}
	return nil
}

// keepLanguage lets the browser remember the language of the parameter lang.
func (s *Site) keepLanguage(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" {
		return
	}
	if l := s.pages.called(r.URL.Query().Get("lang")); l != nil {
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the server has TLS, as the session's cookie is
			Name: languageCookie, Value: l.tag, Path: "/", HttpOnly: true, Secure: s.sessions.Cookie.Secure, SameSite: http.SameSiteLaxMode,
		})
	}
}
