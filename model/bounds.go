package model

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxObject is how many bytes the data and state of one entity may have together,
// and the fields kept with a space, as they are stored and answered.
const MaxObject = 1 << 20

// The bounds of a client's JSON, which any real value is far from.
const (
	// mostDepth is how deep arrays and objects may lie in each other: an answer
	// wraps the value, and the encoder of the answer has a limit, too.
	mostDepth = 1000
	// mostExponent bounds the zeros that Postgres writes out in a number: seven
	// bytes could ask for a hundred thousand of them.
	mostExponent = 400
)

// checkObject refuses an object that could not be stored and answered again.
func checkObject(field string, o Object) error {
	if !utf8.Valid(o) {
		return Invalidf("%s must be valid UTF-8", field)
	}
	if path, found := findText(o, hasNUL); found {
		return Invalidf("%s must not contain a NUL character", strings.TrimSuffix(field+"."+path, "."))
	}
	depth, text := 0, false
	for i := 0; i < len(o); i++ {
		switch c := o[i]; {
		case text && c == '\\':
			i++ // what follows does not end the string
		case c == '"':
			text = !text
		case text:
		case c == '{', c == '[':
			if depth++; depth > mostDepth {
				return Invalidf("%s is nested more than %d deep", field, mostDepth)
			}
		case c == '}', c == ']':
			depth--
		case (c == 'e' || c == 'E') && isDigit(o[i-1]) && !exponentFits(o[i+1:]):
			return Invalidf("%s has a number with an exponent beyond %d", field, mostExponent)
		}
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// exponentFits reads the exponent that rest begins with.
func exponentFits(rest Object) bool {
	end := 0
	for end < len(rest) && strings.IndexByte("+-0123456789", rest[end]) >= 0 {
		end++
	}
	exponent, err := strconv.Atoi(string(rest[:end]))
	return err == nil && -mostExponent <= exponent && exponent <= mostExponent
}
