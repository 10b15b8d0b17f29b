package model

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxObject is the maximum size in bytes of an entity's data and state together, and of the fields
// kept with a space, as they are stored and returned.
const MaxObject = 1 << 20

// The limits of a client's JSON, far above any real value.
const (
	// maxJSONDepth limits the nesting of arrays and objects. The encoder of a response,
	// which wraps the value, has a limit too.
	maxJSONDepth = 1000
	// maxExponent limits the length of a number: Postgres writes 1e99999 with all of its
	// zeros.
	maxExponent = 400
)

// checkObject refuses an object that could not be stored and returned unchanged.
func checkObject(field string, o Object) error {
	if !utf8.Valid(o) {
		return InvalidField(field, "must be valid UTF-8")
	}
	if path, found := findText(o, hasNUL); found {
		return InvalidField(strings.TrimSuffix(field+"."+path, "."), "must not contain a NUL character")
	}
	depth, text := 0, false
	for i := 0; i < len(o); i++ {
		switch c := o[i]; {
		case text && c == '\\':
			i++ // the escaped character does not end the string
		case c == '"':
			text = !text
		case text: // nothing in a string counts
		case c == '{', c == '[':
			if depth++; depth > maxJSONDepth {
				return InvalidField(field, fmt.Sprintf("is nested more than %d deep", maxJSONDepth))
			}
		case c == '}', c == ']':
			depth--
		case (c == 'e' || c == 'E') && isDigit(o[i-1]) && !exponentFits(o[i+1:]):
			return InvalidField(field, fmt.Sprintf("has a number with an exponent beyond %d", maxExponent))
		}
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// exponentFits reports whether the exponent at the start of rest is within maxExponent.
func exponentFits(rest Object) bool {
	end := 0
	for end < len(rest) && strings.IndexByte("+-0123456789", rest[end]) >= 0 {
		end++
	}
	exponent, err := strconv.Atoi(string(rest[:end]))
	return err == nil && -maxExponent <= exponent && exponent <= maxExponent
}
