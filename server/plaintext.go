package server

import "net/http"

// respondText sends plain text to people and probes. Clients of the API get JSON.
func respondText(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // fails only when the client has left
}

// notFound responds with 404 as text.
func notFound(w http.ResponseWriter, _ *http.Request) {
	respondText(w, http.StatusNotFound, "Not found\n")
}
