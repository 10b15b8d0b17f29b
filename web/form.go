package web

import (
	"slices"
	"strings"
	"unicode/utf8"

	"portico/model"
)

// field is an input of a form with its label and what was wrong with it.
type field struct {
	Name         string
	Label        string
	Type         string
	Value        string // never a password
	Hint         string
	Error        string
	Autocomplete string
	Optional     bool
	Autofocus    bool
}

// DescribedBy names the elements that explain the field (WCAG 3.3.1), or "".
func (f field) DescribedBy() string {
	var ids []string
	if f.Error != "" {
		ids = append(ids, f.Name+"-error")
	}
	if f.Hint != "" {
		ids = append(ids, f.Name+"-hint")
	}
	return strings.Join(ids, " ")
}

// focused puts the cursor into the first field that is wrong, else into the first.
func focused(fields []field) []field {
	first := max(0, slices.IndexFunc(fields, func(f field) bool { return f.Error != "" }))
	fields[first].Autofocus = true
	return fields
}

// plain reports whether text can be looked up or stored at all.
func plain(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// sentence makes the message of an error about a field one for its form.
func sentence(err error) string {
	message := model.AsError(err).Message
	if message == "" {
		return ""
	}
	return strings.ToUpper(message[:1]) + message[1:]
}
