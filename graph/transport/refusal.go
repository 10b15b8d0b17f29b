package transport

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"portico/model"
)

// refusal is an answer that the transport gives by itself, before or instead
// of an operation. Its error goes through Present like that of a resolver.
type refusal struct {
	// status is the one to answer with; zero means that the request was well
	// formed, and the status follows from the media type (statusFor).
	status int
	// allow goes with status 405.
	allow string
	cause error
}

// Error returns that of the cause.
func (r *refusal) Error() string { return r.cause.Error() }

// Unwrap returns the cause: a presenter looks for the model.Error in it.
func (r *refusal) Unwrap() error { return r.cause }

// refuse returns a *refusal, as do the three that follow.
func refuse(status int, cause error) error {
	return &refusal{status: status, cause: cause}
}

// badRequest turns what the decoders found into a 400; nil stays nil.
func badRequest(cause error) error {
	if cause == nil {
		return nil
	}
	return refuse(http.StatusBadRequest, cause)
}

func notAllowed(allow, format string, args ...any) error {
	return &refusal{status: http.StatusMethodNotAllowed, allow: allow, cause: model.Invalidf(format, args...)}
}

func tooLarge(status int, what string, limit int64) error {
	message := fmt.Sprintf("%s is larger than %d bytes", what, limit)
	return refuse(status, &model.Error{Code: model.CodeTooLarge, Message: message})
}

// setHeaders adds what belongs to the status: the methods of a 405 and the wait
// of a 429.
func (r *refusal) setHeaders(header http.Header) {
	if r.allow != "" {
		header.Set("Allow", r.allow)
	}
	if e, ok := errors.AsType[*model.Error](r.cause); ok && e.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
}

// statusOfCode is the status for an error that no data came with. What is not
// listed is the request's fault: 400, as for a document that does not parse.
func statusOfCode(code model.Code) int {
	switch code {
	case model.CodeUnauthenticated:
		return http.StatusUnauthorized
	case model.CodeForbidden:
		return http.StatusForbidden
	case model.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case model.CodeRateLimited:
		return http.StatusTooManyRequests
	case model.CodeQuotaExceeded:
		return http.StatusInsufficientStorage
	case model.CodeInternal:
		return http.StatusInternalServerError
	case model.CodeInvalid, model.CodeNotFound:
		return http.StatusBadRequest
	default:
		return http.StatusBadRequest
	}
}
