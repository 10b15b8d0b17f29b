package server

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"portico/limit"
	"portico/model"
	"portico/storage/door"
	"portico/web"
)

// identify gives each request an origin. The account is known only inside, so the origin has a place
// for it, which auth fills in.
func (a *application) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(model.WithOrigin(r.Context(), model.Origin{
			Address: a.clientAddress(r), UserAgent: r.UserAgent(), Language: model.MailLanguage(r.Header.Get("Accept-Language")), Door: doorOf(r.URL.Path),
		})))
	})
}

// logRequests logs one line when a request ends, with the address of the client and the
// account. The line has no signature, query or header, which may contain secrets.
//
// The line is written after the response, and for a stream after its end.
func (a *application) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, response := time.Now(), recordStatus(w, r)
		ctx := r.Context()
		origin := model.OriginFrom(ctx)
		defer func() { // deferred, so that a request that panics is logged too
			a.Logger.Log(ctx, requestLevel(r), "request",
				"method", r.Method, "path", loggedPath(r.URL.Path), "status", outcome(response, r), "bytes", response.BytesWritten(),
				"duration", time.Since(start), "address", origin.Address, "user_id", origin.UserID(), "request_id", model.RequestID(ctx))
		}()
		next.ServeHTTP(response, r)
	})
}

// clientAddress returns the IP address of the client, or "" if the peer has none. It believes
// X-Forwarded-For only from PORTICO_TRUSTED_PROXIES.
func (a *application) clientAddress(r *http.Request) string {
	address := limit.ClientAddress(r, a.proxies)
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// doorOf returns the door that a path leads to. The events of the audit trail name the door. It
// follows the routes of handler.go.
func doorOf(path string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(web.WithoutEmptySegments(path), "/"), "/")
	if first == "api" { // the second prefix (docs/rest.md)
		first, rest, _ = strings.Cut(rest, "/")
	}
	switch {
	case first == "graphql":
		return model.DoorGraphQL
	case first == "v1" && (rest == "mcp" || strings.HasPrefix(rest, "mcp/")):
		return model.DoorMCP
	case first == "v1":
		return model.DoorREST
	case slices.Contains([]string{"authorize", "token", "revoke", "register"}, first):
		return model.DoorOAuth
	}
	return model.DoorPages
}

// requestLevel returns the log level of a request: debug for probes, which arrive every few
// seconds, and info for all others.
func requestLevel(r *http.Request) slog.Level {
	if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// loggedPath returns a path for logs, without the signatures and secrets that it contains.
func loggedPath(path string) string {
	if isResumable(path) {
		return resumableRoute
	}
	return door.WithoutSignature(path)
}
