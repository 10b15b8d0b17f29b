package sog

import (
	"encoding/json"
	"errors"
	"math"
)

// maxDepth is how deep the values of a lod-meta.json may be nested. A tree that
// halves its Gaussians has some twenty levels, of two values each.
const maxDepth = 512

// errShape is what is wrong with JSON that is not the one which was expected.
var errShape = errors.New("unexpected value")

// tokens reads JSON value by value, so that no more of a large file is in memory
// than what is kept of it.
type tokens struct {
	*json.Decoder
	depth int
}

// object calls f with every key of the next value, which must be an object. f
// reads the key's value.
func (t *tokens) object(f func(key string) error) error {
	return t.nested('{', func() error {
		key, err := t.text()
		if err != nil {
			return err
		}
		return f(key)
	})
}

// array calls f for every element of the next value, which must be an array. f
// reads the element.
func (t *tokens) array(f func() error) error { return t.nested('[', f) }

// nested reads a value that begins with this bracket. A null has no elements: it
// is how writers say that something is absent.
func (t *tokens) nested(opening json.Delim, f func() error) error {
	token, err := t.Token()
	if err != nil || token == nil {
		return err
	}
	if token != opening {
		return errShape
	}
	if t.depth++; t.depth > maxDepth {
		return errShape
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

// text reads a string.
func (t *tokens) text() (string, error) {
	text, present, err := t.optionalText()
	if err == nil && !present {
		err = errShape
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
		return "", false, errShape
	}
	return text, true, nil
}

// number reads a number. JSON has neither NaN nor infinities, so that JavaScript
// writes them as null: that is NaN here.
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
		return 0, errShape
	}
	return number, nil
}

// count reads a whole number from 0 to 2^53.
func (t *tokens) count() (int64, error) {
	number, err := t.number()
	if err != nil {
		return 0, err
	}
	// No comparison holds for NaN.
	if !(number >= 0 && number <= 1<<53) || number != math.Trunc(number) {
		return 0, errShape
	}
	return int64(number), nil
}

// skip reads a value of any kind.
func (t *tokens) skip() error {
	for depth := 0; ; {
		token, err := t.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > maxDepth {
				return errShape
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
