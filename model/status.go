package model

import (
	"net/http"
	"time"
)

// HTTPStatus returns the HTTP status of the code, which is the same at every door (API section 7).
func (c Code) HTTPStatus() int {
	switch c {
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeInvalidFiles:
		return http.StatusUnprocessableEntity
	case CodeUnauthenticated:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeConflict:
		return http.StatusConflict
	case CodeLocked:
		return http.StatusLocked
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeRateLimited:
		return http.StatusTooManyRequests
	case CodeQuotaExceeded:
		return http.StatusInsufficientStorage
	}
	return http.StatusInternalServerError
}

// HTTPStatus returns the HTTP status of the error: the one of its code, but 503 while the database
// does not answer.
func (e *Error) HTTPStatus() int {
	if e.IsOutage() {
		return http.StatusServiceUnavailable
	}
	return e.Code.HTTPStatus()
}

// ResourceMetadataPath is the path of the OAuth metadata of the server (RFC 9728 section 3.1). The
// path of a resource follows it. Package oauth serves the metadata, and every response with the
// status 401 has its address.
const ResourceMetadataPath = "/.well-known/oauth-protected-resource"

// RetrySeconds returns a wait in whole seconds, rounded up, and at least 1, so that a client that
// waits this long is not refused again.
func RetrySeconds(wait time.Duration) int {
	return int(max(1, (wait+time.Second-1)/time.Second))
}
