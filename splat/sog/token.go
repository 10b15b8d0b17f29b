package sog

import (
	"encoding/json"
	"errors"
	"math"
)

// maxDepth is the maximum nesting depth of a lod-meta.json. A tree that halves its
// Gaussians has about twenty levels of two values each.
const maxDepth = 512

// errUnexpectedValue is the error for valid JSON of the wrong shape.
var errUnexpectedValue = errors.New("unexpected value")

// tokens reads JSON value by value, so that only the needed values of a large file are
// in memory.
type tokens struct {
	*json.Decoder
	depth int
}

// readObject calls f with each key of the next value, which must be an object. f must read
// the key's value.
func (t *tokens) readObject(f func(key string) error) error {
	return t.readNested('{', func() error {
		key, err := t.text()
		if err != nil {
			return err
		}
		return f(key)
	})
}

// readArray calls f for each element of the next value, which must be an array. f must read
// the element.
func (t *tokens) readArray(f func() error) error { return t.readNested('[', f) }

// readNested reads a value that starts with the opening bracket. It reads null as a value without
// elements, because writers use null for absent values. It does not reduce the depth after an
// error, because reading ends then.
func (t *tokens) readNested(opening json.Delim, f func() error) error {
	token, err := t.Token()
	if err != nil || token == nil {
		return err
	}
	if token != opening {
		return errUnexpectedValue
	}
	if t.depth++; t.depth > maxDepth {
		return errUnexpectedValue
	}
	for t.More() {
		if err := f(); err != nil {
			return err
		}
	}
	t.depth--
	_, err = t.Token()
	return err
}

func (t *tokens) text() (string, error) {
	text, present, err := t.optionalText()
	if err == nil && !present {
		err = errUnexpectedValue
	}
	return text, err
}

// optionalText reads a string or null, and reports whether it was a string.
func (t *tokens) optionalText() (text string, present bool, err error) {
	token, err := t.Token()
	if err != nil || token == nil {
		return "", false, err
	}
	text, present = token.(string)
	if !present {
		return "", false, errUnexpectedValue
	}
	return text, true, nil
}

// number reads a number. It reads null as NaN, because JavaScript writes NaN and
// infinities, which JSON lacks, as null.
func (t *tokens) number() (float64, error) {
	token, err := t.Token()
	if err != nil {
		return 0, err
	}
	if token == nil {
		return math.NaN(), nil
	}
	number, ok := token.(float64)
	if !ok {
		return 0, errUnexpectedValue
	}
	return number, nil
}

// count reads an integer from 0 to 2^53, up to which float64 is exact.
func (t *tokens) count() (int64, error) {
	number, err := t.number()
	if err != nil {
		return 0, err
	}
	// The condition is negated, because comparisons with NaN are false.
	if !(number >= 0 && number <= 1<<53) || number != math.Trunc(number) {
		return 0, errUnexpectedValue
	}
	return int64(number), nil
}

// skip skips the next value.
func (t *tokens) skip() error {
	for depth := 0; ; {
		token, err := t.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > maxDepth {
				return errUnexpectedValue
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
