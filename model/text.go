package model

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RemoveInvisible returns a name without invisible characters and characters that change the
// direction of text. With them, one name could look like another.
func RemoveInvisible(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, name)
	return strings.TrimSpace(name)
}

// IsBlank reports whether nothing of a text can be seen: it is no title and no name.
func IsBlank(text string) bool { return RemoveInvisible(text) == "" }

// checkOneOf returns an error that lists the allowed values if value is not one of them.
func checkOneOf[T ~string](field string, value T, allowed []T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, word := range allowed {
		words[i] = string(word)
	}
	return InvalidField(field, "must be one of "+strings.Join(words, ", "))
}

// checkText refuses text that Postgres cannot store or that is longer than maximum
// characters.
func checkText(field, text string, maximum int) error {
	switch {
	case !utf8.ValidString(text):
		return InvalidField(field, "must be valid UTF-8")
	case strings.ContainsRune(text, 0):
		return InvalidField(field, "must not contain a NUL character")
	case utf8.RuneCountInString(text) > maximum:
		return InvalidField(field, fmt.Sprintf("must have at most %d characters", maximum))
	}
	return nil
}

// checkName is checkText for a name or a title, which is shown in one line beside the texts of others:
// it also refuses line breaks, other control characters and characters that change the direction of
// the text that follows.
func checkName(field, text string, maximum int) error {
	if err := checkText(field, text, maximum); err != nil {
		return err
	}
	if strings.ContainsFunc(text, isDisruptive) {
		return InvalidField(field, "must not contain line breaks, control characters or characters that change the direction of text")
	}
	return nil
}

// isDisruptive reports whether a character of a name changes how the text around it is shown. The
// marks that scripts from right to left need are allowed, and so are the joiners in emoji.
func isDisruptive(c rune) bool {
	switch {
	case unicode.IsControl(c), c == '\u2028', c == '\u2029': // ends of lines
		return true
	case c >= '\u202a' && c <= '\u202e', c >= '\u2066' && c <= '\u2069': // embeddings, overrides, isolates
		return true
	}
	return false
}

// withoutDisruptive returns a name that was stored before checkName refused it, without the
// characters that checkName refuses.
func withoutDisruptive(name string) string {
	return strings.Map(func(c rune) rune {
		if isDisruptive(c) {
			return -1
		}
		return c
	}, name)
}

// CheckSurrogates refuses valid JSON with half of a surrogate pair in a string, such as "\ud800",
// which is not a character: encoding/json would replace it silently. The error names the field, or
// whole for a string that is in no field.
func CheckSurrogates(whole string, raw []byte) error {
	path, found := findText(raw, HasLoneSurrogate)
	if !found {
		return nil
	}
	return LoneSurrogate(cmp.Or(path, whole))
}

// CheckVariables is CheckSurrogates for the variables of a GraphQL request. The error names the field
// below the variable, the variable itself if it is a text, or its element if it is a list.
func CheckVariables(raw []byte) error {
	path, found := findText(raw, HasLoneSurrogate)
	if !found {
		return nil
	}
	variable, field, _ := strings.Cut(path, ".")
	if field != "" && isDigit(field[0]) { // an index: names of GraphQL do not start with a digit
		field = path
	}
	return LoneSurrogate(cmp.Or(field, variable, "variables"))
}

// LoneSurrogate returns the refusal of a field with half of a surrogate pair.
func LoneSurrogate(field string) error {
	return InvalidField(field, "must not contain half of a surrogate pair")
}

// findText returns the path of the first string for which matches returns true, as findString does.
// matches is called with the string as it was sent. Only a string with an escape \u can match.
func findText(raw []byte, matches func(text []byte) bool) (path string, found bool) {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return "", false
	}
	return findString(raw, func(s jsonString) bool { return matches(s.raw) })
}

// HasLoneSurrogate reports whether a string of JSON or GraphQL, as it was sent, contains an escape
// of one half of a surrogate pair without the other half (RFC 8259 section 7).
func HasLoneSurrogate(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // an escaped backslash starts no escape
		switch {
		case isEscapeOf(text[i:], '8', 'b') && i+5 < len(text) && text[i+5] == '\\' && isEscapeOf(text[i+6:], 'c', 'f'):
			i += 10
		case isEscapeOf(text[i:], '8', 'f'):
			return true
		}
	}
	return false
}

// isEscapeOf reports whether b begins with uDXxx, where X is a hexadecimal digit from low to
// high.
func isEscapeOf(b []byte, low, high byte) bool {
	return len(b) >= 5 && b[0] == 'u' && b[1]|0x20 == 'd' && low <= b[2]|0x20 && b[2]|0x20 <= high
}

// hasNUL reports whether a JSON string has an escape of NUL, which Postgres cannot store.
func hasNUL(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if bytes.HasPrefix(text[i:], []byte("u0000")) {
			return true
		}
	}
	return false
}
