package model

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Fields returns the object's fields as raw JSON by name. If a name occurs twice, the last field
// counts, as in encoding/json. The values share the memory of the object and must not be changed.
//
// The bytes were validated when the Object was made, so Fields reads each of them once, to find the
// ends of the values: encoding/json would validate and copy all of them again.
func (o Object) Fields() map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	rest := skipSpace(o)
	if len(rest) == 0 || rest[0] != '{' {
		return fields
	}
	for rest = skipSpace(rest[1:]); len(rest) > 0 && rest[0] == '"'; rest = skipSpace(rest[1:]) {
		end := stringEnd(rest)
		name := rest[:end]
		rest = skipSpace(bytes.TrimPrefix(skipSpace(rest[end:]), []byte(":")))
		end = valueEnd(rest)
		fields[unquoteName(name)] = json.RawMessage(rest[:end:end])
		if rest = skipSpace(rest[end:]); len(rest) == 0 || rest[0] != ',' {
			break
		}
	}
	return fields
}

// skipSpace returns what follows the white space at the start of text (RFC 8259 section 2).
func skipSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// unquoteName returns the name that a JSON string contains.
func unquoteName(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) && len(quoted) >= 2 {
		return string(quoted[1 : len(quoted)-1])
	}
	var name string
	_ = json.Unmarshal(quoted, &name) // it was validated with the object
	return name
}

// stringEnd returns the length of the JSON string at the start of text.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++ // the escaped character does not end the string
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// valueEnd returns the length of the JSON value at the start of text.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:]) - 1
			if depth == 0 {
				return min(i+1, len(text))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i // the object around a number or a word ends
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
