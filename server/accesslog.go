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
	"portico/storage"
)

// logged writes one line for each request when it has ended: with the path
// without a signature, never the query, which may hold one, and no header. It names the client's
// address, and the account that the request turned out to speak for.
func (p *Program) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, answer := time.Now(), watchStatus(w)
		origin := model.Origin{Address: p.clientAddress(r), Door: doorOf(r.URL.Path)}
		ctx, userID := model.WithOrigin(r.Context(), origin)
		defer func() { // also for an answer that is broken off by a panic
			p.Logger.Log(ctx, levelOf(r), "request",
				"method", r.Method, "path", storage.WithoutSignature(r.URL.Path), "status", answer.outcome(r), "bytes", answer.bytes,
				"duration", time.Since(began), "address", origin.Address, "user_id", userID(), "request_id", model.RequestID(ctx))
		}()
		next.ServeHTTP(answer, r.WithContext(ctx))
	})
}

// clientAddress returns the address of the client, "" for a peer that has none.
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
	if len(segments) > 0 && segments[0] == "api" { // everything answers there once more
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

// levelOf keeps probes, which come every few seconds, out of the usual log.
func levelOf(r *http.Request) slog.Level {
	if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// recovered answers 500 where a handler panics that does not do so itself, and
// logs it: net/http would only drop the connection.
func (p *Program) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler {
				panic(reason) // net/http's own way to drop a connection
			}
			p.Logger.Error("panic", "error", fmt.Sprint(reason), "path", storage.WithoutSignature(r.URL.Path),
				"request_id", model.RequestID(r.Context()), "stack", string(debug.Stack()))
			if answer, ok := w.(*statusWriter); ok && answer.code != 0 {
				panic(http.ErrAbortHandler) // the client must not take a part for the whole
			}
			plainAnswer(w, http.StatusInternalServerError, model.InternalMessage+"\n")
		}()
		next.ServeHTTP(w, r)
	})
}

// statusWriter remembers what was answered.
type statusWriter struct {
	http.ResponseWriter
	code  int // 0 before the answer has begun
	bytes int64
}

// watchStatus returns a writer that remembers: w itself where it does.
func watchStatus(w http.ResponseWriter) *statusWriter {
	if watched, ok := w.(*statusWriter); ok {
		return watched
	}
	return &statusWriter{ResponseWriter: w}
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(code int) {
	// An informational answer is followed by the real one; a switch of protocols
	// by none.
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

// ReadFrom implements io.ReaderFrom: it keeps the way open to the system's
// sendfile.
func (w *statusWriter) ReadFrom(r io.Reader) (int64, error) {
	w.code = w.status()
	n, err := io.Copy(w.ResponseWriter, r)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach what this one hides.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// statusGone is what an answer counts as whose client hung up before it. The number is
// nginx's: operators know it, and no answer has it.
const statusGone = 499

// outcome returns the status that the request counts with in logs, metrics and
// traces. Work that fails because its client has left is no failure of the server.
func (w *statusWriter) outcome(r *http.Request) int {
	gone := errors.Is(r.Context().Err(), context.Canceled)
	if gone && (w.code == 0 || w.code >= http.StatusInternalServerError) {
		return statusGone
	}
	return w.status()
}

// status returns the answer's status; a handler that set none meant 200.
func (w *statusWriter) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}
