package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// next returns where the request wants to go after signing in, if that is a path
// of ours, else the account page: an address that we lead to is one that people
// trust.
func next(r *http.Request) string {
	if address := r.FormValue("next"); isLocal(address) {
		return address
	}
	return accountPath
}

// isLocal reports whether a browser at one of our pages takes the address for a
// path of ours. Browsers read a backslash as a slash and drop tabs and line
// ends, so none of these may be in it.
func isLocal(address string) bool {
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

// withNext returns the path with a next parameter, without one for the default.
func withNext(path, next string) string {
	if next == accountPath {
		return path
	}
	return path + "?" + url.Values{"next": {next}}.Encode()
}

// Here returns the path and query of the request, as an address that leads to it
// again.
func Here(r *http.Request) string {
	address := url.URL{Path: CleanPath(r.URL.Path)}
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
