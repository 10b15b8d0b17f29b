package storage

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits are S3's for a key and the usual file system's for a name, so
// that a key fits every store.
const (
	maxKeyBytes     = 1024
	maxSegmentBytes = 255
)

// CheckKey returns an error that wraps ErrInvalidKey unless key is a relative
// path in its one plain spelling: segments of 1 to 255 bytes divided by single
// slashes, at most 1024 bytes of UTF-8, with no ".", "..", backslash or
// control character. Whatever passes cannot leave the folder it is below.
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

// forbiddenInKey refuses the backslash because Windows and some clients take
// it for a slash, and NUL with all other controls because C and logs do not
// bear them.
func forbiddenInKey(r rune) bool { return r == '\\' || unicode.IsControl(r) }

func validSegment(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= maxSegmentBytes
}

// checkPrefix returns the folder that prefix names, without its final slash.
// The empty prefix stays empty: whether it is allowed is the caller's matter.
func checkPrefix(prefix string) (string, error) {
	folder := strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return "", nil
	}
	return folder, CheckKey(folder)
}

// escapeKey spells a key as a URL path, segment by segment, so that a "?", "#"
// or "%" of a file name stays part of the name.
func escapeKey(key string) string {
	segments := strings.Split(key, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/")
}

// unescapeKey is the reverse of escapeKey. The path is divided before it is
// unescaped: an escaped slash inside a segment would otherwise make one
// address look like the key of another object.
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
