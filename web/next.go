package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// nextPath returns the path to redirect to after signing in. It is the parameter next, or the
// console if the parameter is not a path of this server: a redirect to another site would
// help phishing.
func nextPath(r *http.Request) string {
	if address := r.FormValue("next"); isLocalPath(address) {
		return address
	}
	return consolePath
}

// isLocalPath reports whether browsers treat the address as a path of this server. They treat a
// backslash as a slash and remove tabs and newlines (WHATWG URL section 4.4), so the address must
// not contain any of these.
func isLocalPath(address string) bool {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || len(address) > 16<<10 {
		return false
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil
}

// withNext returns the path with the parameter next, unless next is the default.
func withNext(path, next string) string {
	if next == consolePath {
		return path
	}
	return path + "?" + url.Values{"next": {next}}.Encode()
}

// AddressOf returns the path and query of the request, in a form that isLocalPath accepts.
func AddressOf(r *http.Request) string {
	address := url.URL{Path: cmp.Or(WithoutEmptySegments(r.URL.Path), "/")}
	if r.URL.RawQuery == "" {
		return address.EscapedPath()
	}
	var query strings.Builder
	for i := range len(r.URL.RawQuery) {
		if c := r.URL.RawQuery[i]; c <= ' ' || c > '~' || c == '\\' {
			fmt.Fprintf(&query, "%%%02X", c)
		} else {
			query.WriteByte(c)
		}
	}
	return address.EscapedPath() + "?" + query.String()
}
