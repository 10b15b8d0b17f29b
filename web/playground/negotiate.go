package playground

import (
	"net/http"
	"strconv"
	"strings"
)

// takesGzip reads Accept-Encoding (RFC 9110 section 12.5.3). What is named counts
// for more than "*", and a weight of 0 refuses.
func takesGzip(r *http.Request) bool {
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

// has reads If-None-Match (RFC 9110 section 13.1.2), which compares weakly.
func has(r *http.Request, tag string) bool {
	for entry := range strings.SplitSeq(strings.Join(r.Header["If-None-Match"], ","), ",") {
		entry = strings.TrimSpace(entry)
		if entry == "*" || strings.TrimPrefix(entry, "W/") == tag {
			return true
		}
	}
	return false
}
