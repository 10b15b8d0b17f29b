package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"portico/limit"
	"portico/model"
)

// logRequests logs one line when a request ends, with the address of the client and the
// account. The line has no signature, query or header, which may contain secrets.
func (p *Program) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, answer := time.Now(), recordStatus(w)
		origin := model.Origin{Address: p.clientAddress(r), UserAgent: r.UserAgent(), Language: model.MailLanguage(r.Header.Get("Accept-Language")), Door: doorOf(r.URL.Path)}
		ctx, userID := model.WithOrigin(r.Context(), origin)
		defer func() { // deferred, so that a request that panics is logged too
			p.Logger.Log(ctx, levelOf(r), "request",
				"method", r.Method, "path", loggedPath(r.URL.Path), "status", answer.outcome(r), "bytes", answer.bytes,
				"duration", time.Since(start), "address", origin.Address, "user_id", userID(), "request_id", model.RequestID(ctx))
		}()
		next.ServeHTTP(answer, r.WithContext(ctx))
	})
}

// clientAddress returns the address of the client, or "" for a peer without one.
func (p *Program) clientAddress(r *http.Request) string {
	address := limit.ClientAddress(r, p.proxies)
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// doorOf returns the door that a path leads to.
func doorOf(path string) string {
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(segments) > 0 && segments[0] == "api" { // the second prefix (contract, Addresses)
		segments = segments[1:]
	}
	switch {
	case len(segments) == 0:
		return model.DoorPages
	case segments[0] == "graphql":
		return model.DoorGraphQL
	case segments[0] == "v1" && len(segments) > 1 && segments[1] == "mcp":
		return model.DoorMCP
	case segments[0] == "v1":
		return model.DoorREST
	case slices.Contains([]string{"authorize", "token", "revoke", "register"}, segments[0]):
		return model.DoorOAuth
	}
	return model.DoorPages
}

// levelOf returns the level of a request's line. Probes are logged at debug level, because
// they come every few seconds.
func levelOf(r *http.Request) slog.Level {
	if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// recoverPanics logs a panic of a handler and answers 500. Net/http would only drop the
// connection.
func (p *Program) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler {
				panic(reason) // net/http's own way to drop the connection
			}
			p.Logger.Error("panic", "error", fmt.Sprint(reason), "path", loggedPath(r.URL.Path),
				"request_id", model.RequestID(r.Context()), "stack", string(debug.Stack()))
			if answer, ok := w.(*statusWriter); ok && answer.code != 0 {
				panic(http.ErrAbortHandler) // a dropped connection shows that the answer is incomplete
			}
			plainAnswer(w, http.StatusInternalServerError, model.InternalMessage+"\n")
		}()
		next.ServeHTTP(w, r)
	})
}

// statusWriter records the status and the size of an answer.
type statusWriter struct {
	http.ResponseWriter
	code  int // 0 until the answer starts
	bytes int64
}

// recordStatus returns a writer that records the answer. It returns w itself if w records
// already, so that log, metrics and traces see the same status.
func recordStatus(w http.ResponseWriter) *statusWriter {
	if recorded, ok := w.(*statusWriter); ok {
		return recorded
	}
	return &statusWriter{ResponseWriter: w}
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(code int) {
	// The final answer follows an informational one (1xx), but no answer follows a switch
	// of protocols.
	if w.code == 0 && (code >= http.StatusOK || code == http.StatusSwitchingProtocols) {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *statusWriter) Write(b []byte) (int, error) {
	w.code = w.status()
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom, so that files go through the system's sendfile.
func (w *statusWriter) ReadFrom(r io.Reader) (int64, error) {
	w.code = w.status()
	n, err := io.Copy(w.ResponseWriter, r)
	w.bytes += n
	return n, err
}

// Unwrap gives http.ResponseController the writer below.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// statusGone is recorded when the client hung up before the answer. It is never sent;
// operators know the number from nginx.
const statusGone = 499

// outcome returns the status for logs, metrics and traces: statusGone for a request that
// failed because its client left, which is no failure of the server.
func (w *statusWriter) outcome(r *http.Request) int {
	gone := errors.Is(r.Context().Err(), context.Canceled)
	if gone && (w.code == 0 || w.code >= http.StatusInternalServerError) {
		return statusGone
	}
	return w.status()
}

// status returns the answer's status, 200 when the handler sets none.
func (w *statusWriter) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}
