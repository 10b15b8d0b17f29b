package rest

import (
	"net/http"

	"portico/model"
)

// RequestID gives each request an id for the log, and sends the id to the client, who can name it
// in a question to support. It keeps an id from an outer RequestID. It ignores an id in the header
// of the request, which may be forged or repeated.
func RequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := model.RequestID(r.Context())
		if id == "" {
			id = model.Token()
			r = r.WithContext(model.WithRequestID(r.Context(), id))
		}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r)
	})
}
