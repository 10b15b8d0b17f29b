package storage

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of keys on S3 ("Naming Amazon S3 objects", Amazon S3 User Guide) and of names on
// common file systems (NAME_MAX on Linux), so that a key is valid in every store.
const (
	maxKeyBytes     = 1024
	maxSegmentBytes = 255
)

// CheckKey returns an error that wraps ErrInvalidKey unless key is a relative path in its
// only valid form: segments of 1 to 255 bytes separated by single slashes, at most 1024
// bytes of UTF-8, with no ".", "..", backslash or control character. A valid key cannot
// lead out of the folder that it is joined to.
func CheckKey(key string) error {
	if len(key) > maxKeyBytes {
		return fmt.Errorf("%w: %d bytes", ErrInvalidKey, len(key))
	}
	if !utf8.ValidString(key) || strings.ContainsFunc(key, forbiddenInKey) {
		return fmt.Errorf("%w: %q has a forbidden character", ErrInvalidKey, key)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if !validSegment(segment) {
			return fmt.Errorf("%w: %q has the segment %q", ErrInvalidKey, key, segment)
		}
	}
	return nil
}

// forbiddenInKey reports whether a character is forbidden: the backslash, because Windows
// and some clients treat it as a slash, and control characters, NUL among them, because C
// and logs cannot handle them.
func forbiddenInKey(r rune) bool { return r == '\\' || unicode.IsControl(r) }

// validSegment reports whether a segment of a key is a name that every store accepts.
func validSegment(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= maxSegmentBytes
}

// CheckPrefix returns the folder that prefix names, without its final slash. It accepts the
// empty prefix; the caller decides whether it is allowed.
func CheckPrefix(prefix string) (string, error) {
	folder := strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return "", nil
	}
	return folder, CheckKey(folder)
}
