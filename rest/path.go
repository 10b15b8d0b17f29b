package rest

import (
	"net/http"
	"net/url"
	"strings"
)

// StripEmptySegments removes doubled and trailing slashes from the path of a request. It does not
// redirect, because browsers turn a redirected POST into a GET. An escaped slash is part of a
// segment and stays: URL.EscapedPath has the same segments as URL.Path, in their escaped form. A
// request whose path is clean is passed on unchanged.
func StripEmptySegments(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawPath == "" && isClean(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		clean := *r
		cleanURL := *r.URL
		cleanURL.Path, cleanURL.RawPath = stripEmptySegments(r.URL.EscapedPath())
		clean.URL = &cleanURL
		next.ServeHTTP(w, &clean)
	})
}

// isClean reports whether stripEmptySegments would return the path as it is. Nearly all requests
// name segments of unreserved characters (RFC 3986 section 2.3), and need no copy.
func isClean(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
		return false
	}
	for i := range len(path) {
		c := path[i]
		letter, digit := 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9'
		if !letter && !digit && strings.IndexByte("/-._~", c) < 0 {
			return false
		}
	}
	return true
}

// stripEmptySegments returns the path without empty segments, unescaped and escaped. Segments of
// dots stay: clients resolve relative paths before they send a request, so here the dots belong to
// an id.
//
// It appends to one buffer each, because a path may have tens of thousands of segments, and anyone
// can send one.
func stripEmptySegments(escaped string) (plain, raw string) {
	var plainPath, rawPath strings.Builder
	for segment := range strings.SplitSeq(escaped, "/") {
		if segment == "" {
			continue
		}
		text, err := url.PathUnescape(segment)
		if err != nil {
			text = segment // impossible: EscapedPath is well-formed
		}
		plainPath.WriteByte('/')
		plainPath.WriteString(text)
		rawPath.WriteByte('/')
		rawPath.WriteString(url.PathEscape(text))
	}
	if plainPath.Len() == 0 {
		return "/", "/"
	}
	return plainPath.String(), rawPath.String()
}

// pathValue returns an unescaped parameter of the path. The router matches the escaped path, in
// which a slash within an id is escaped.
func pathValue(r *http.Request, name string) string {
	value, err := url.PathUnescape(r.PathValue(name))
	if err != nil {
		return r.PathValue(name) // impossible: StripEmptySegments has escaped it
	}
	return value
}
