package page

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"portico/model"
	"portico/web/style"
)

//go:embed messages/*.json
var messages embed.FS

type language struct {
	tag       string // such as "de" (RFC 5646)
	texts     map[string]string
	templates map[string]*template.Template
}

// readLanguages reads all languages, the default first, with the name of the server in their texts.
func readLanguages(brand style.Brand) ([]*language, error) {
	var languages []*language
	for _, tag := range model.Languages() {
		l := &language{tag: tag}
		content, err := messages.ReadFile("messages/" + tag + ".json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(content, &l.texts); err != nil {
			return nil, fmt.Errorf("read messages/%s.json: %w", tag, err)
		}
		for key, text := range l.texts {
			l.texts[key] = brand.InText(text)
		}
		if l.templates, err = parseTemplates(l, brand); err != nil {
			return nil, err
		}
		languages = append(languages, l)
	}
	return languages, nil
}

// text returns a message. Each pair of a name and a value replaces {name} in it. A missing
// message is an error, so that a page never shows its key.
func (l *language) text(key string, pairs ...any) (string, error) {
	message, ok := l.texts[key]
	if !ok {
		return "", fmt.Errorf("language %s has no message %s", l.tag, key)
	}
	if len(pairs) == 0 {
		return message, nil
	}
	replaced := make([]string, len(pairs))
	for i, part := range pairs {
		replaced[i] = fmt.Sprint(part)
		if i%2 == 0 {
			replaced[i] = "{" + replaced[i] + "}"
		}
	}
	return strings.NewReplacer(replaced...).Replace(message), nil
}

// count returns the form of a message for a number: the message with the suffix .one, .many or
// .other, with the number instead of {count}.
func (l *language) count(key string, n int64) (string, error) {
	return l.text(key+"."+l.form(n), "count", l.number(n))
}

// form returns the form of a message for a whole number, by the plural rules of Unicode (CLDR).
func (l *language) form(n int64) string {
	isMillions := n != 0 && n%1_000_000 == 0 // such as "2 000 000 d’espaces"
	switch {
	case l.tag == "ja", l.tag == "zh":
		return "other"
	case n == 1, n == 0 && l.tag == "fr":
		return "one"
	case isMillions && (l.tag == "fr" || l.tag == "es"):
		return "many"
	}
	return "other"
}

// number writes a whole number with the separator of thousands.
func (l *language) number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + l.texts["number.group"] + digits[i:]
	}
	return digits
}

// chooseLanguage returns the language of the parameter lang, or else the one that the browser
// prefers; chosen reports whether the parameter named it.
func chooseLanguage(languages []*language, r *http.Request) (l *language, chosen bool) {
	if l := languageOf(languages, r.URL.Query().Get("lang")); l != nil {
		return l, true
	}
	return languageOf(languages, model.PreferredLanguage(strings.Join(r.Header["Accept-Language"], ","))), false
}

// languageOf returns the language of a tag such as "de-AT", or nil if it is none of ours.
func languageOf(languages []*language, tag string) *language {
	for _, l := range languages {
		if l.tag == model.PrimaryTag(tag) {
			return l
		}
	}
	return nil
}
