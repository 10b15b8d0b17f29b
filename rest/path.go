package rest

import (
	"net/http"
	"net/url"
	"strings"
)

// CleanPath answers a path with doubled or trailing slashes like the path without them. It
// does not redirect, because a redirected POST becomes a GET in browsers (contract,
// Addresses). An escaped slash is part of a segment and stays. Afterwards URL.Path and
// URL.RawPath both have the same segments.
func CleanPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clean := *r
		cleanURL := *r.URL
		cleanURL.Path, cleanURL.RawPath = cleanPath(r.URL.EscapedPath())
		clean.URL = &cleanURL
		next.ServeHTTP(w, &clean)
	})
}

// cleanPath returns the path without empty segments, unescaped and escaped. Dots
// stay: clients resolve them before they send, so here they are part of an id.
func cleanPath(escaped string) (plain, raw string) {
	for segment := range strings.SplitSeq(escaped, "/") {
		if segment == "" {
			continue
		}
		text, err := url.PathUnescape(segment)
		if err != nil {
			text = segment // cannot be: EscapedPath is well-formed
		}
		plain += "/" + text
		raw += "/" + url.PathEscape(text)
	}
	if plain == "" {
		return "/", "/"
	}
	return plain, raw
}

// pathValue returns a parameter of the path as the client meant it. The router
// works on the escaped path, which keeps a slash inside an id.
func pathValue(r *http.Request, name string) string {
	value, err := url.PathUnescape(r.PathValue(name))
	if err != nil {
		return r.PathValue(name) // cannot be: CleanPath escaped it
	}
	return value
}
