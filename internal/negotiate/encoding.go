// Package negotiate chooses the form of a response by the headers of its request. The pages, their
// scripts and the files of the store use it.
package negotiate

import (
	"net/http"
	"strconv"
	"strings"
)

// AcceptsGzip reports whether the client accepts gzip (RFC 9110 section 12.5.3). The weight of
// "gzip" overrides the weight of "*", and a weight of 0 means "not acceptable".
func AcceptsGzip(r *http.Request) bool {
	accepted := false
	for entry := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		coding, weight, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(entry), " ", ""), ";q=")
		quality, err := strconv.ParseFloat(weight, 64)
		isAcceptable := err != nil || quality > 0 // without a valid weight, the weight is 1
		switch coding {
		case "gzip":
			return isAcceptable
		case "*":
			accepted = isAcceptable
		}
	}
	return accepted
}
