package asset

import (
	"net/http"
	"strconv"
	"strings"
)

// TakesGzip reports whether the client accepts gzip (RFC 9110 section 12.5.3). A coding that
// is named counts for more than "*", and a weight of 0 refuses.
func TakesGzip(r *http.Request) bool {
	taken := false
	for entry := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		coding, weight, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(entry), " ", ""), ";q=")
		quality, err := strconv.ParseFloat(weight, 64)
		wanted := err != nil || quality > 0
		switch coding {
		case "gzip":
			return wanted
		case "*":
			taken = wanted
		}
	}
	return taken
}

// Matches reports whether the client has the answer with this ETag already, by If-None-Match
// (RFC 9110 section 13.1.2), which compares weakly.
func Matches(r *http.Request, tag string) bool {
	for entry := range strings.SplitSeq(strings.Join(r.Header["If-None-Match"], ","), ",") {
		entry = strings.TrimSpace(entry)
		if entry == "*" || strings.TrimPrefix(entry, "W/") == tag {
			return true
		}
	}
	return false
}
