package archive

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest names, in bytes, and deepest ones. 255 is what file systems take for
// a segment, and object keys end at 1,024 with our own prefix in front.
const (
	maxSegment  = 255
	maxName     = 900
	maxSegments = 64
)

// cleanName returns a name from an archive as a relative slash-separated path
// without empty and "." segments, or says in plain words why it is refused.
// Backslashes count as slashes, as on the machines that write them. A name that
// only names the archive's own top comes back empty.
func cleanName(raw string) (string, error) {
	name := strings.ReplaceAll(raw, `\`, "/")
	if err := checkName(name); err != nil {
		return "", err
	}
	segments := make([]string, 0, strings.Count(name, "/")+1)
	for segment := range strings.SplitSeq(name, "/") {
		switch {
		case segment == "..":
			return "", errors.New("path leads outside the archive")
		case len(segment) > maxSegment:
			return "", fmt.Errorf("name has a part of more than %d bytes", maxSegment)
		case segment != "" && segment != ".":
			segments = append(segments, segment)
		}
	}
	if len(segments) > maxSegments {
		return "", fmt.Errorf("path is deeper than %d folders", maxSegments)
	}
	return strings.Join(segments, "/"), nil
}

// checkName checks what does not depend on the segments.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("name is empty")
	case len(name) > maxName:
		return fmt.Errorf("name is longer than %d bytes", maxName)
	case !utf8.ValidString(name):
		return errors.New("name is not valid UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl): // NUL is one
		return errors.New("name has control characters")
	case name[0] == '/':
		return errors.New("path is absolute")
	case len(name) > 1 && name[1] == ':' && isLetter(name[0]):
		return errors.New("path names a drive")
	}
	return nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isIgnored tells whether a clean name is litter that desktop systems put into
// archives. It is not served and never taken for content.
func isIgnored(name string) bool {
	base := path.Base(name)
	return base == ".DS_Store" || strings.HasPrefix(base, "._") ||
		strings.HasPrefix(name, "__MACOSX/") || strings.Contains(name, "/__MACOSX/")
}

// fold maps names that a case-insensitive file system takes for one to one
// string. Upper case first joins the letters of which there are several small
// forms.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }
