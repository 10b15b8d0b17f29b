// Package method refuses requests whose path exists but does not have their HTTP method. The doors
// use it, so that all of them set the same header; each renders the body of the refusal itself.
package method

import (
	"net/http"
	"slices"
	"strings"
)

// WithHead returns the methods, and HEAD if GET is among them. It is for handlers that serve HEAD
// like GET, whose body net/http omits.
func WithHead(methods ...string) []string {
	if slices.Contains(methods, http.MethodGet) && !slices.Contains(methods, http.MethodHead) {
		return append(slices.Clone(methods), http.MethodHead)
	}
	return methods
}

// Refuse sets the Allow header to the allowed methods, in alphabetical order, as a response with
// the status 405 requires (RFC 9110 section 15.5.6). It returns that status.
func Refuse(header http.Header, allowed ...string) (status int) {
	header.Set("Allow", strings.Join(slices.Sorted(slices.Values(allowed)), ", "))
	return http.StatusMethodNotAllowed
}
