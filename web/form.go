package web

import (
	"slices"
	"strings"
	"unicode/utf8"

	"portico/model"
)

// field is an input of a form with its label and its error.
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

// focused puts the cursor into the first field with an error, or else into the first field.
func focused(fields []field) []field {
	first := max(0, slices.IndexFunc(fields, func(f field) bool { return f.Error != "" }))
	fields[first].Autofocus = true
	return fields
}

// isStorable reports whether Postgres can store the text: it refuses invalid UTF-8 and NUL.
func isStorable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// sentence returns the message of an error with a capital at its start: messages about fields
// start with the field's name.
func sentence(err error) string {
	message := model.AsError(err).Message
	if message == "" {
		return ""
	}
	return strings.ToUpper(message[:1]) + message[1:]
}
