package storage

import (
	"net/http"

	"portico/internal/cors"
)

const allowedMethods = "GET, HEAD, PUT, OPTIONS"

// crossOrigin is the policy of every answer, errors too.
func crossOrigin() cors.Policy {
	return cors.Policy{
		Methods: allowedMethods,
		// Listed for browsers that do not know the "*", which is there for whatever
		// tracing headers a page adds.
		Headers: "Authorization, Content-Type, If-Match, " +
			"If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range, *",
		Exposed: "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified",
	}
}

// preflight answers OPTIONS. It checks no signature: a browser asks before it
// sends one.
func preflight(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", allowedMethods)
	crossOrigin().Preflight(w, r)
}
