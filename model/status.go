package model

import (
	"net/http"
	"time"
)

// HTTPStatus returns the status that every door which speaks HTTP gives the code
// (API section 7).
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
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeRateLimited:
		return http.StatusTooManyRequests
	case CodeQuotaExceeded:
		return http.StatusInsufficientStorage
	}
	return http.StatusInternalServerError
}

// RetrySeconds returns a wait in whole seconds, at least one and never too few: a
// client that waits so long gets through.
func RetrySeconds(wait time.Duration) int {
	return int(max(1, (wait+time.Second-1)/time.Second))
}
