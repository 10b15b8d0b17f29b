package page

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed messages/*.json
var messages embed.FS

// defaultLanguage is the language of browsers that accept none of ours.
const defaultLanguage = "en"

type language struct {
	tag       string // such as "de" (RFC 5646)
	texts     map[string]string
	templates map[string]*template.Template
}

// readLanguages reads all languages, the default first.
func readLanguages() ([]*language, error) {
	files, err := messages.ReadDir("messages")
	if err != nil {
		return nil, err
	}
	var languages []*language
	for _, file := range files {
		l := &language{tag: strings.TrimSuffix(file.Name(), path.Ext(file.Name()))}
		content, err := messages.ReadFile("messages/" + file.Name())
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(content, &l.texts); err != nil {
			return nil, fmt.Errorf("read messages/%s: %w", file.Name(), err)
		}
		if l.templates, err = parseTemplates(l); err != nil {
			return nil, err
		}
		if l.tag == defaultLanguage {
			languages = slices.Insert(languages, 0, l)
			continue
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

// count returns the form of a message for a number: the message with the suffix .one or
// .other, with the number instead of {count}.
func (l *language) count(key string, n int64) (string, error) {
	form := ".other"
	if n == 1 {
		form = ".one"
	}
	return l.text(key+form, "count", l.number(n))
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
//
// It carries out RFC 9110 section 12.5.4 for the primary tags: the entry with the highest quality
// wins, and of equal ones the first.
func chooseLanguage(languages []*language, r *http.Request) (l *language, chosen bool) {
	if l := languageOf(languages, r.URL.Query().Get("lang")); l != nil {
		return l, true
	}
	best, quality := languages[0], 0.0
	for entry := range strings.SplitSeq(strings.Join(r.Header["Accept-Language"], ","), ",") {
		tag, weight, weighted := strings.Cut(strings.ReplaceAll(entry, " ", ""), ";q=")
		q, err := strconv.ParseFloat(weight, 64)
		if !weighted {
			q, err = 1, nil
		}
		if l := languageOf(languages, tag); l != nil && err == nil && q > quality {
			best, quality = l, q
		}
	}
	return best, false
}

// languageOf returns the language of a tag such as "de-AT", or nil if it is none of ours.
func languageOf(languages []*language, tag string) *language {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	for _, l := range languages {
		if l.tag == primary {
			return l
		}
	}
	return nil
}
