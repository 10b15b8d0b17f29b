package transport

import (
	"errors"
	"unicode/utf8"

	"github.com/coder/websocket"

	"portico/model"
)

// The codes of close frames, named as in the reference server. The protocol defines the
// numbers and reasons of all but the last.
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

// maxReason is the maximum length of the reason in a close frame (RFC 6455 section 5.5:
// 125 bytes, of which the code takes two).
const maxReason = 123

// errPeerGone is the cause of a socket whose peer has closed it or does not respond.
var errPeerGone = errors.New("the peer has gone")

// closeError is the cause of a socket that is closed with a code and a reason.
type closeError struct {
	code   websocket.StatusCode
	reason string
}

// Error implements error.
func (e *closeError) Error() string { return e.reason }

// newCloseError returns a *closeError. It cuts a long reason between two characters,
// because peers check that it is UTF-8 (RFC 6455 section 5.5.1).
func newCloseError(code websocket.StatusCode, reason string) error {
	if len(reason) > maxReason {
		cut := maxReason
		for cut > 0 && !utf8.RuneStart(reason[cut]) {
			cut--
		}
		reason = reason[:cut]
	}
	return &closeError{code, reason}
}

// invalidMessage returns the error for a message that the protocol does not allow.
func invalidMessage(reason string) error { return newCloseError(closeBadRequest, reason) }

// initCloseError returns the close error of a socket whose Init or Acquire has returned err. A
// limit closes the socket with 1013, after which clients try again later. 4429 has another meaning
// in the protocol.
func initCloseError(err error) error {
	e := model.AsError(err)
	switch e.Code {
	case model.CodeUnauthenticated:
		return newCloseError(closeUnauthorized, "Unauthorized")
	case model.CodeForbidden:
		return newCloseError(closeForbidden, "Forbidden")
	case model.CodeRateLimited, model.CodeQuotaExceeded:
		return newCloseError(websocket.StatusTryAgainLater, e.Message)
	case model.CodeInvalid, model.CodeInvalidFiles, model.CodeNotFound, model.CodeTooLarge, model.CodeConflict, model.CodeLocked:
		return invalidMessage(e.Message)
	case model.CodeInternal:
		return newCloseError(closeInternal, model.InternalMessage)
	default:
		return newCloseError(closeInternal, model.InternalMessage)
	}
}

// closeErrorOf returns the close error of a socket whose context was canceled with the cause: the
// key is no longer valid, or the server stops, after which clients connect again.
func closeErrorOf(cause error) error {
	if e, ok := errors.AsType[*closeError](cause); ok {
		return e
	}
	if errors.Is(cause, errPeerGone) {
		return errPeerGone
	}
	if model.CodeOf(cause) == model.CodeUnauthenticated {
		return newCloseError(closeUnauthorized, "Unauthorized")
	}
	return newCloseError(websocket.StatusGoingAway, "Going away")
}
