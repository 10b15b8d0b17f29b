package transport

import (
	"errors"
	"unicode/utf8"

	"github.com/coder/websocket"

	"portico/model"
)

// The codes that a socket is closed with, named as in the reference server; the
// protocol has the numbers and texts of all but the last.
const (
	closeBadRequest   websocket.StatusCode = 4400
	closeUnauthorized websocket.StatusCode = 4401
	closeForbidden    websocket.StatusCode = 4403
	closeSubprotocol  websocket.StatusCode = 4406
	closeInitTimeout  websocket.StatusCode = 4408
	closeSubscriber   websocket.StatusCode = 4409
	closeTooManyInits websocket.StatusCode = 4429
	closeInternal     websocket.StatusCode = 4500
)

// maxReason is how long the reason of a close frame can be (RFC 6455 section
// 5.5: 125 bytes, of which the code takes two).
const maxReason = 123

// errGone ends a socket whose peer has closed it or does not answer.
var errGone = errors.New("the peer has gone")

// closeError ends a socket with a code and a reason for the peer.
type closeError struct {
	code   websocket.StatusCode
	reason string
}

// Error implements error.
func (e *closeError) Error() string { return e.reason }

// closing returns a *closeError. A longer reason is cut between two characters:
// the peer checks that it is UTF-8 (RFC 6455 section 5.5.1).
func closing(code websocket.StatusCode, reason string) error {
	if len(reason) > maxReason {
		cut := maxReason
		for cut > 0 && !utf8.RuneStart(reason[cut]) {
			cut--
		}
		reason = reason[:cut]
	}
	return &closeError{code, reason}
}

// invalidMessage says what about a message the protocol does not specify.
func invalidMessage(reason string) error { return closing(closeBadRequest, reason) }

// closingFor is how a socket ends whose Init or Acquire returned err. A limit
// closes with 1013, which clients take for a reason to come back later; 4429
// has a meaning of its own.
func closingFor(err error) error {
	e := model.AsError(err)
	switch e.Code {
	case model.CodeUnauthenticated:
		return closing(closeUnauthorized, "Unauthorized")
	case model.CodeForbidden:
		return closing(closeForbidden, "Forbidden")
	case model.CodeRateLimited, model.CodeQuotaExceeded:
		return closing(websocket.StatusTryAgainLater, e.Message)
	case model.CodeInvalid, model.CodeNotFound, model.CodeTooLarge:
		return invalidMessage(e.Message)
	case model.CodeInternal:
		return closing(closeInternal, model.InternalMessage)
	default:
		return closing(closeInternal, model.InternalMessage)
	}
}

// endingFor is how a socket ends whose context was cancelled with the cause: the
// key is no longer good, or the server stops, after which clients connect again.
func endingFor(cause error) error {
	if e, ok := errors.AsType[*closeError](cause); ok {
		return e
	}
	if errors.Is(cause, errGone) {
		return errGone
	}
	if model.CodeOf(cause) == model.CodeUnauthenticated {
		return closing(closeUnauthorized, "Unauthorized")
	}
	return closing(websocket.StatusGoingAway, "Going away")
}
