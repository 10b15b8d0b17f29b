package door

import (
	"net/http"

	"portico/internal/cors"
)

// AllowedMethods are the methods of package disk. A bucket gets its uploads itself.
const AllowedMethods = "GET, HEAD, PUT, OPTIONS"

// crossOrigin returns the CORS policy of every response, errors included.
func crossOrigin() cors.Policy {
	return cors.Policy{
		Methods: AllowedMethods,
		// The list is for browsers that do not support "*", which allows the tracing
		// headers that pages add.
		Headers: "Authorization, Content-Type, If-Match, " +
			"If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range, *",
		Exposed: "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified, Retry-After",
	}
}

// respondToPreflight handles OPTIONS. It checks no signature: browsers ask before they send one.
func respondToPreflight(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", AllowedMethods)
	crossOrigin().Preflight(w, r)
}
