package storage

import (
	"fmt"
	"net/url"
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

// checkPrefix returns the folder that prefix names, without its final slash. It accepts the
// empty prefix; the caller decides whether it is allowed.
func checkPrefix(prefix string) (string, error) {
	folder := strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return "", nil
	}
	return folder, CheckKey(folder)
}

// escapeKey returns the key as a URL path. It escapes each segment, so that a "?", "#" or
// "%" stays part of the name.
func escapeKey(key string) string {
	segments := strings.Split(key, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/")
}

// unescapeKey is the reverse of escapeKey. It splits the path before it unescapes the
// segments: otherwise an escaped slash within a segment would make an address match the key
// of another object.
func unescapeKey(escaped string) (key string, ok bool) {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		plain, err := url.PathUnescape(segment)
		if err != nil || strings.Contains(plain, "/") {
			return "", false
		}
		segments[i] = plain
	}
	key = strings.Join(segments, "/")
	if CheckKey(key) != nil {
		return "", false
	}
	return key, true
}
