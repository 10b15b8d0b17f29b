package web

import "strings"

// WithoutEmptySegments returns the path of a URL without empty segments; "" for the root. The pages
// are found by it: the server gives //a the same response as /a, without a redirect. Segments of
// dots stay. Nearly every path is clean, and is returned without a copy.
//
// The path is unescaped, so an escaped slash separates segments, too: no page has a slash in its
// name. Ids of REST may have one, so rest.StripEmptySegments works on the escaped path.
func WithoutEmptySegments(path string) string {
	if strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") && !strings.Contains(path, "//") {
		return path
	}
	var clean strings.Builder // one buffer, because a path may have tens of thousands of segments
	clean.Grow(len(path) + 1)
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" {
			clean.WriteByte('/')
			clean.WriteString(segment)
		}
	}
	return clean.String()
}
