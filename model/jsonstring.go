package model

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// jsonString is a string in a JSON document: a value, or the name of a field.
type jsonString struct {
	raw    []byte // as it was sent, with quotes and escapes
	text   string
	isName bool
	field  string // the name of the field whose value it is; empty for a name or an element of an array
}

// findString returns the path (see Error.Field) of the first string for which matches returns true:
// the field with this value, or for a name the object that it is in. The path is empty for a string
// outside of fields. The JSON must be valid.
func findString(raw []byte, matches func(jsonString) bool) (path string, found bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // a number may exceed float64
	var levels []level
	for {
		start := decoder.InputOffset()
		token, err := decoder.Token()
		if err != nil {
			return "", false // the end: the JSON is valid
		}
		delimiter, isDelimiter := token.(json.Delim)
		if delimiter == '}' || delimiter == ']' {
			levels = levels[:len(levels)-1]
			continue
		}
		text, isText := token.(string)
		s := jsonString{raw: raw[start:decoder.InputOffset()], text: text}
		if len(levels) > 0 {
			levels[len(levels)-1].advance(&s)
		}
		if isText && matches(s) {
			return pathOf(levels), true
		}
		if isDelimiter {
			levels = append(levels, level{object: delimiter == '{', index: -1})
		}
	}
}

// level is an object or array around the decoder's position.
type level struct {
	object bool
	name   string // of the current field of an object
	named  bool   // the next token is the value of name
	index  int    // of the current element of an array; -1 before the first
}

// advance moves the level to its next name or value, and sets which of them it is.
func (l *level) advance(s *jsonString) {
	switch {
	case !l.object:
		l.index++
	case l.named:
		s.field, l.named = l.name, false
	default:
		s.isName, l.name, l.named = true, s.text, true
	}
}

// pathOf returns the path of the value at the decoder's position, or of the object that the name
// there is in (see Error.Field).
func pathOf(levels []level) string {
	var names []string
	for _, l := range levels {
		switch {
		case !l.object:
			names = append(names, strconv.Itoa(l.index))
		case l.name != "" && !l.named:
			names = append(names, l.name)
		}
	}
	return strings.Join(names, ".")
}
