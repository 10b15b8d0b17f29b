package storage

import "net/http"

const allowedMethods = "GET, HEAD, PUT, OPTIONS"

// allowAnyOrigin lets the scripts of every site read the answer, errors too
// (contract "Bodies and errors"). No cookie decides anything here, so nothing
// is given away by it.
func allowAnyOrigin(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers",
		"Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified")
}

// preflight answers OPTIONS. It checks no signature: a browser asks before it
// sends one. The headers are listed for browsers that do not know the "*",
// which is there for whatever tracing headers a page adds.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", allowedMethods)
	h.Set("Access-Control-Allow-Methods", allowedMethods)
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, "+
		"If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range, *")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}
