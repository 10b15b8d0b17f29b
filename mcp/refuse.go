package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"portico/graph/view"
	"portico/limit"
	"portico/model"
)

// refuse answers a request that does not reach the protocol: it has no valid key, is
// over a limit, or has a body that cannot be read. The answer has the form of REST's
// errors, which the same clients read.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if model.CodeOf(err) == model.CodeUnauthenticated {
		// Guesses count for the address that they come from.
		if limited := d.Limiter.Take(r.Context(), d.Limiter.Subject(r), limit.All); limited != nil {
			err = limited
		}
	}
	e := model.AsError(err)
	d.logInternal(r.Context(), err)
	body := view.Refusal{Status: "error", Message: e.Message}
	switch e.Code {
	case model.CodeUnauthenticated:
		w.Header().Set("WWW-Authenticate", d.challenge(r))
	case model.CodeRateLimited:
		body.RetryAfterSeconds = model.RetrySeconds(e.RetryAfter)
		w.Header().Set("Retry-After", strconv.Itoa(body.RetryAfterSeconds))
	}
	writeJSON(w, e.Code.HTTPStatus(), body)
}

// challenge returns the WWW-Authenticate header, which leads a client to the
// authorization server (RFC 9728 section 5.1). A key that was sent and is not
// valid is an error of its own (RFC 6750 section 3.1).
func (d *door) challenge(r *http.Request) string {
	path := "/v1/mcp"
	if strings.HasPrefix(r.URL.Path, "/api/") {
		path = "/api/v1/mcp"
	}
	challenge := fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource%s"`, d.BaseURL, path)
	if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
	}
	return challenge
}

// logInternal logs an error that is ours. Work that ends because its client has
// left is nobody's mistake.
func (d *door) logInternal(ctx context.Context, err error, attributes ...any) {
	if model.CodeOf(err) != model.CodeInternal || errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	attributes = append(attributes, "request_id", model.RequestID(ctx), "error", err)
	d.Logger.ErrorContext(ctx, "mcp", attributes...)
}

// writeJSON answers with a body that is ours and can always be encoded.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // fails when the client has gone: nobody is left to read it
}
