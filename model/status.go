package model

import (
	"net/http"
	"time"
)

// HTTPStatus returns the HTTP status of the code, at every door (API section 7).
func (c Code) HTTPStatus() int {
	switch c {
	case CodeInvalid:
		return http.StatusBadRequest
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

// RetrySeconds returns a wait in whole seconds, rounded up, and 1 or more: a client that
// waits this long passes.
func RetrySeconds(wait time.Duration) int {
	return int(max(1, (wait+time.Second-1)/time.Second))
}
