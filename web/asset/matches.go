package asset

import (
	"net/http"
	"strings"
)

// Matches reports whether If-None-Match contains this ETag, so that the client has the content. It
// uses the weak comparison (RFC 9110 section 13.1.2).
func Matches(r *http.Request, tag string) bool {
	for entry := range strings.SplitSeq(strings.Join(r.Header["If-None-Match"], ","), ",") {
		entry = strings.TrimSpace(entry)
		if entry == "*" || strings.TrimPrefix(entry, "W/") == tag {
			return true
		}
	}
	return false
}
