package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// next returns the path to go to after signing in, or the account page if the request names
// no path of this server: people trust an address that we lead them to.
func next(r *http.Request) string {
	if address := r.FormValue("next"); isLocal(address) {
		return address
	}
	return accountPath
}

// isLocal reports whether browsers take the address for a path of this server. They read a
// backslash as a slash and drop tabs and line ends (WHATWG URL section 4.4), so the address
// must not contain any of these.
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

// withNext returns the path with a next parameter, which the default does not need.
func withNext(path, next string) string {
	if next == accountPath {
		return path
	}
	return path + "?" + url.Values{"next": {next}}.Encode()
}

// Here returns the address of the request on this server, in a form that isLocal accepts.
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
