package rest

import (
	"net/http"

	"portico/model"
)

// RequestID gives each request an id for the log and sends it to the client, who
// can name it when asking for help. It keeps an id that an outer RequestID has
// given, and none that comes from outside: those could be forged or repeated.
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
