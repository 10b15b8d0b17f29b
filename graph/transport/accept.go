package transport

import (
	"mime"
	"slices"
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

// preferred returns the offer that the Accept header prefers, or "" when the header accepts no
// offer. Without a header, and when a wildcard covers several offers, it returns the first of them:
// application/json, for clients of older versions ("GraphQL over HTTP", Legacy Watershed).
//
// It carries out content negotiation (RFC 9110 section 12.5.1) for the two or three types that a
// GraphQL server has. A type parameter other than q is ignored.
func preferred(accept []string, offers ...string) string {
	header := strings.TrimSpace(strings.Join(accept, ","))
	if header == "" {
		return offers[0]
	}
	if slices.Contains(offers, header) { // most clients accept one type, and every transport asks
		return header
	}
	ranges := parseAccept(header)
	var chosen string
	var best mediaRange
	for _, offer := range offers {
		if r, ok := match(ranges, offer); ok && (chosen == "" || r.isPreferredTo(best)) {
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

// match returns the most specific range that covers the offer, and whether the range accepts it. A
// specific range with q=0 refuses an offer that a wildcard accepts (RFC 9110 section 12.5.1).
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

// isPreferredTo compares the quality, then prefers a full type to a wildcard, then compares the
// position.
func (r mediaRange) isPreferredTo(other mediaRange) bool {
	if r.quality != other.quality {
		return r.quality > other.quality
	}
	if otherIsWild := other.isWildcard(); r.isWildcard() != otherIsWild {
		return otherIsWild
	}
	return r.position < other.position
}

// isWildcard reports whether the range is a wildcard: */*, or a whole family such as text/*.
func (r mediaRange) isWildcard() bool { return strings.HasSuffix(r.pattern, "*") }

// wantsEvents reports whether the client prefers an event stream over JSON.
func wantsEvents(accept []string) bool {
	return preferred(accept, mediaJSON, mediaResponse, mediaEvents) == mediaEvents
}
