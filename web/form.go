package web

import (
	"slices"
	"strings"
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
	Autofocus    bool
}

// DescribedBy returns the ids of the elements that explain the field, for aria-describedby (WCAG
// 3.3.1), or "".
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

// withFocus sets Autofocus on the first field with an error, or on the first field, and returns
// the fields.
func withFocus(fields []field) []field {
	first := max(0, slices.IndexFunc(fields, func(f field) bool { return f.Error != "" }))
	fields[first].Autofocus = true
	return fields
}

// formPage is the content of form.html, which is a form with a text above it.
type formPage struct {
	Heading string
	Text    string
	Error   string // about the whole form
	Action  string
	Fields  []field
	Button  string
}

// messagePage is the content of message.html, which is a text with a link.
type messagePage struct {
	Heading, Text, Address, Link string
}
