package view

import (
	"fmt"
	"net/http"
	"strconv"

	"portico/internal/envelope"
	"portico/internal/method"
	"portico/model"
)

// RefuseMethod returns the status and the body for a request whose path does not have its method,
// and sets the Allow header. Paths of REST that serve GET also serve HEAD.
func RefuseMethod(header http.Header, allowed ...string) (status int, body envelope.Refusal) {
	return method.Refuse(header, method.WithHead(allowed...)...), envelope.NewRefusal("Method not allowed")
}

// Refuse returns the body of the response with the error e, and sets the headers for its code.
// metadataURL is the address of the OAuth metadata of the door, with which a client without a valid
// key can get one.
//
// It is the one place that renders errors for REST, tus and the part of MCP before JSON-RPC.
// GraphQL has a form of its own.
func Refuse(header http.Header, r *http.Request, e *model.Error, metadataURL string) envelope.Refusal {
	body := envelope.NewRefusal(e.Message)
	switch e.Code {
	case model.CodeUnauthenticated:
		header.Set("WWW-Authenticate", challenge(r, metadataURL))
	case model.CodeRateLimited:
		body.RetryAfterSeconds = model.RetrySeconds(e.RetryAfter)
		header.Set("Retry-After", strconv.Itoa(body.RetryAfterSeconds))
	case model.CodeInternal:
		if e.IsOutage() {
			header.Set("Retry-After", strconv.Itoa(model.RetrySeconds(e.RetryAfter)))
		}
	case model.CodeInvalidFiles:
		body.ValidationErrors, _ = e.Details.(model.ChangeFaults)
	case model.CodeConflict:
		body.PlannedDeletes, _ = e.Details.(model.PlannedDeletes)
		body.Conflicts, _ = e.Details.(model.FileConflicts)
	}
	return body
}

// challenge returns the WWW-Authenticate header, which names the authorization server (RFC 9728
// section 5.1). It has an error code for an invalid key, but not for a missing one (RFC 6750
// section 3.1).
func challenge(r *http.Request, metadataURL string) string {
	challenge := fmt.Sprintf(`Bearer resource_metadata="%s"`, metadataURL)
	if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
	}
	return challenge
}
