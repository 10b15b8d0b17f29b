package transport

import (
	"mime"
	"strconv"
	"strings"
)

// The media types that a client can accept ("GraphQL over HTTP", Media Types).
const (
	mediaJSON     = "application/json"
	mediaResponse = "application/graphql-response+json"
	mediaEvents   = "text/event-stream"
)

// mediaRange is one entry of an Accept header: a type or a wildcard, its quality value,
// and its position in the header.
type mediaRange struct {
	pattern  string
	quality  float64
	position int
}

// preferred returns the offer that the Accept header prefers, or "" when it accepts none
// of them. Without a header, and among equals under a wildcard, the first offer wins:
// application/json, for clients of older versions ("GraphQL over HTTP", Legacy
// Watershed).
func preferred(accept []string, offers ...string) string {
	header := strings.TrimSpace(strings.Join(accept, ","))
	if header == "" {
		return offers[0]
	}
	ranges := parseAccept(header)
	var chosen string
	var best mediaRange
	for _, offer := range offers {
		if r, ok := match(ranges, offer); ok && (chosen == "" || r.better(best)) {
			chosen, best = offer, r
		}
	}
	return chosen
}

// parseAccept returns the ranges of a header in its order. A range without a quality value
// has the highest, 1 (RFC 9110 section 12.4.2).
func parseAccept(header string) []mediaRange {
	var ranges []mediaRange
	for position, entry := range strings.Split(header, ",") {
		pattern, parameters, err := mime.ParseMediaType(entry)
		if err != nil {
			continue // RFC 9110 section 12.5.1 lets a server ignore what it cannot parse
		}
		quality, err := strconv.ParseFloat(parameters["q"], 64)
		if err != nil {
			quality = 1
		}
		ranges = append(ranges, mediaRange{pattern, quality, position})
	}
	return ranges
}

// match returns the most specific range that covers the offer. By RFC 9110 section
// 12.5.1 it overrides a wildcard, also to refuse the offer with q=0.
func match(ranges []mediaRange, offer string) (mediaRange, bool) {
	family, _, _ := strings.Cut(offer, "/")
	for _, pattern := range []string{offer, family + "/*", "*/*"} {
		for _, r := range ranges {
			if r.pattern == pattern {
				return r, r.quality > 0
			}
		}
	}
	return mediaRange{}, false
}

// better reports whether r is preferred to other: by quality, then a full type over a
// wildcard, then by position.
func (r mediaRange) better(other mediaRange) bool {
	if r.quality != other.quality {
		return r.quality > other.quality
	}
	if wild, otherWild := r.wild(), other.wild(); wild != otherWild {
		return otherWild
	}
	return r.position < other.position
}

// wild reports whether the range is a wildcard: */*, or a whole family such as text/*.
func (r mediaRange) wild() bool { return strings.HasSuffix(r.pattern, "*") }

// wantsEvents reports whether the client prefers an event stream over JSON.
func wantsEvents(accept []string) bool {
	return preferred(accept, mediaJSON, mediaResponse, mediaEvents) == mediaEvents
}
