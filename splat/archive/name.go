package archive

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of names. File systems allow 255 bytes for a segment, and object stores 1,024
// bytes for a key, which also contains a prefix before the name.
const (
	maxSegment  = 255 // bytes
	maxName     = 900 // bytes
	maxSegments = 64
)

// cleanName returns a name from an archive as a relative, slash-separated path without empty
// and "." segments. Its errors are for the user and complete a sentence, as in "has a path that
// leads outside the archive". Backslashes count as slashes, as they do on Windows. A name of
// the archive's top folder becomes "".
func cleanName(raw string) (string, error) {
	if err := checkInside(raw); err != nil {
		return "", err
	}
	name := strings.ReplaceAll(raw, `\`, "/")
	if err := checkName(name); err != nil {
		return "", err
	}
	segments := make([]string, 0, strings.Count(name, "/")+1)
	for segment := range strings.SplitSeq(name, "/") {
		switch {
		case len(segment) > maxSegment:
			return "", fmt.Errorf("has a part of more than %d bytes in its path", maxSegment)
		case segment != "" && segment != ".":
			segments = append(segments, segment)
		}
	}
	if len(segments) > maxSegments {
		return "", fmt.Errorf("has a path of more than %d folders", maxSegments)
	}
	return strings.Join(segments, "/"), nil
}

// checkInside refuses a path that leads outside the archive, which no program writes by mistake.
func checkInside(raw string) error {
	name := strings.ReplaceAll(raw, `\`, "/")
	switch {
	case strings.HasPrefix(name, "/"):
		return errors.New("has an absolute path")
	case len(name) > 1 && name[1] == ':' && isLetter(name[0]):
		return errors.New("has a path with a drive letter")
	case slices.Contains(strings.Split(name, "/"), ".."):
		return errors.New("has a path that leads outside the archive")
	}
	return nil
}

// checkName applies the other rules for the name as a whole.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("has an empty name")
	case len(name) > maxName:
		return fmt.Errorf("has a name of more than %d bytes", maxName)
	case !utf8.ValidString(name):
		return errors.New("has a name that is not valid UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl): // NUL included
		return errors.New("has control characters in its name")
	}
	return nil
}

// isLetter reports whether a byte is a letter of ASCII, such as the letter of a drive. Setting bit
// 5 makes capital letters small.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isIgnored reports whether a clean name belongs to a file that macOS adds to
// archives. Such a file is never extracted.
func isIgnored(name string) bool {
	base := path.Base(name)
	return base == ".DS_Store" || strings.HasPrefix(base, "._") ||
		strings.HasPrefix(name, "__MACOSX/") || strings.Contains(name, "/__MACOSX/")
}

// foldCase returns the same string for names that are equal on a case-insensitive file system.
// It converts to upper case first, because several lower-case letters share a capital, such as
// "ς" and "σ".
func foldCase(name string) string { return strings.ToLower(strings.ToUpper(name)) }
