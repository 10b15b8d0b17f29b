package model

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Code classifies an Error by what a client can do about it. Each door maps
// codes to its own protocol: REST to a status, GraphQL to extensions.code,
// MCP to a tool error.
type Code string

// The codes, with the status that REST gives them (API section 7).
const (
	CodeInvalid         Code = "invalid"         // 400: the request cannot be carried out as sent
	CodeUnauthenticated Code = "unauthenticated" // 401: no key, or one that is not valid
	CodeInvalidFiles    Code = "invalid_files"   // 422: files of a change set are invalid; Details has the ChangeFaults
	CodeForbidden       Code = "forbidden"       // 403: the caller may not do this
	CodeNotFound        Code = "not_found"       // 404
	CodeTooLarge        Code = "too_large"       // 413: over the maximum size
	CodeRateLimited     Code = "rate_limited"    // 429: RetryAfter says when to come back
	CodeConflict        Code = "conflict"        // 409: Reason says with what
	CodeLocked          Code = "locked"          // 423: another editor has locked the space
	CodeQuotaExceeded   Code = "quota_exceeded"  // 507: exceeds the caller's storage, or the server has no room
	CodeInternal        Code = "internal"        // 500: the cause is only in the log
)

// Codes returns every code, for the tables and tests that must not miss one.
func Codes() []Code {
	return []Code{
		CodeInvalid, CodeInvalidFiles, CodeUnauthenticated, CodeForbidden, CodeNotFound,
		CodeTooLarge, CodeRateLimited, CodeConflict, CodeLocked, CodeQuotaExceeded, CodeInternal,
	}
}

// InternalMessage is the only text that a client gets of an internal error, but for an outage.
const InternalMessage = "Internal server error"

// UnavailableMessage is the text that a client gets while the database does not answer.
const UnavailableMessage = "The server is temporarily unavailable. Try again in a moment"

// unavailableWait is how long a client should wait while the database does not answer. It is a guess:
// nobody knows when an outage ends.
const unavailableWait = 5 * time.Second

// Error is the only error whose text a client sees.
type Error struct {
	Code Code
	// Message is for the client. It starts with a capital, has no full stop and reveals no
	// internals.
	Message string
	// Template is the Message with the names of the Params in braces in place of their values.
	// Translations are found by it. It is empty for a message without values.
	Template string
	Params   map[string]string
	// Field is the path of the invalid input field: REST's names and the indexes of lists, joined
	// by dots, such as edits.0.scale. A Message that starts with it names the field there;
	// RenameField replaces both. It is empty if no single field is invalid.
	Field string
	// Reason says what the user can do; empty if Code is enough.
	Reason Reason
	// EventReason is what the audit trail records of a refused sign-in. No client gets it.
	EventReason SecurityEventReason
	// Current is the current state of the object, with CodeConflict: *Space or *Entity.
	Current Node
	// RetryAfter is the time until the next request can pass, with CodeRateLimited. With CodeInternal
	// it is set if the database does not answer (see Unavailable).
	RetryAfter time.Duration
	// Budget is set with CodeRateLimited if a limit of requests was reached.
	Budget *Budget
	// Details list for a program what is wrong with a change set; nil for other refusals.
	Details Details
	// Err is the cause, for the log; a client never sees it. Usually nil.
	Err error
}

// Details are ChangeFaults, PlannedDeletes or FileConflicts. A client sees them.
type Details interface {
	// Refusal returns the error that refuses a change set with these details.
	Refusal() error
}

// Budget is the limit of requests that refused a request.
type Budget struct {
	// Limit is how many requests pass in a minute.
	Limit int
	// Cost is how many of them the refused request needs.
	Cost int
	// Remaining is how many are left; nil for a cost over Limit, which never passes.
	Remaining *int
}

// Reason is a cause of a refusal that a user can act upon.
type Reason string

// Of the doors, only GraphQL sends a reason, as a constant of its enum ErrorReason.
const (
	ReasonProRequired   Reason = "pro-required"   // the plan must be Pro
	ReasonStorageFull   Reason = "storage-full"   // the account has too little free storage
	ReasonFileTooLarge  Reason = "file-too-large" // over the maximum file size
	ReasonGateInvalid   Reason = "gate-invalid"   // the data breaks a rule of gates
	ReasonTaken         Reason = "taken"          // the id or the address belongs to another object
	ReasonStale         Reason = "stale"          // the object has changed since it was read
	ReasonEnded         Reason = "ended"          // the job or the upload has ended
	ReasonNeedsSession  Reason = "needs-session"  // only a browser that is signed in may do this
	ReasonNeedsProof    Reason = "needs-proof"    // the password, or a new sign-in, is needed
	ReasonWrongPassword Reason = "wrong-password"
	ReasonLastSignIn    Reason = "last-sign-in" // the account would have no way to sign in
	ReasonTakenDown     Reason = "taken-down"   // an operator has taken the space down
	// ReasonUnsupportedFormat refuses a file by the extension of its name.
	ReasonUnsupportedFormat Reason = "unsupported-format"
)

// GraphQLConstant returns the code as a constant of GraphQL's enum ErrorCode.
func (c Code) GraphQLConstant() string { return strings.ToUpper(string(c)) }

// ParseGraphQLConstant is the reverse of Code.GraphQLConstant.
func ParseGraphQLConstant(constant string) Code { return Code(strings.ToLower(constant)) }

// GraphQLConstant returns the reason as a constant of GraphQL's enum ErrorReason.
func (r Reason) GraphQLConstant() string {
	return strings.ToUpper(strings.ReplaceAll(string(r), "-", "_"))
}

// Reasons returns every reason, for the tables and tests that must not miss one.
func Reasons() []Reason {
	return []Reason{
		ReasonProRequired, ReasonStorageFull, ReasonFileTooLarge, ReasonGateInvalid, ReasonTaken, ReasonStale, ReasonEnded,
		ReasonNeedsSession, ReasonNeedsProof, ReasonWrongPassword, ReasonLastSignIn, ReasonTakenDown,
		ReasonUnsupportedFormat,
	}
}

// Error returns the message and the cause; it is meant for logs.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap lets errors.Is find the cause.
func (e *Error) Unwrap() error { return e.Err }

// Invalidf returns a CodeInvalid error with the formatted message. It has no field: if a field of
// the input is wrong, use InvalidField or WithField, so that clients can show the error beside it.
func Invalidf(format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// InvalidTemplate returns a CodeInvalid error whose message is the template with the values of the
// params, such as {n}.
func InvalidTemplate(template string, params map[string]string) *Error {
	return &Error{Code: CodeInvalid, Message: Fill(template, params), Template: template, Params: params}
}

// Fill returns the template with the values of the params in place of their names in braces.
func Fill(template string, params map[string]string) string {
	var pairs []string
	for name, value := range params {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// InvalidField returns a CodeInvalid error of one field, in REST's name: the message is
// the field followed by the text.
func InvalidField(field, text string) *Error {
	return &Error{Code: CodeInvalid, Message: field + " " + text, Field: field}
}

// WithField returns a copy of the error with the invalid field, in REST's name. The error itself
// may be shared between requests.
func (e *Error) WithField(field string) *Error {
	copied := *e
	copied.Field = field
	return &copied
}

// RenameField returns a copy of the error for a client that knows the field by this name. The
// Message has the name too if it starts with the field.
func (e *Error) RenameField(name string) *Error {
	renamed := e.WithField(name)
	if text, ok := strings.CutPrefix(e.Message, e.Field); ok && e.Field != "" {
		renamed.Message = name + text
	}
	return renamed
}

// WithReason returns a copy of the error with the reason.
func (e *Error) WithReason(reason Reason) *Error {
	copied := *e
	copied.Reason = reason
	return &copied
}

// WithEventReason returns a copy of the error with the reason for the audit trail.
func (e *Error) WithEventReason(reason SecurityEventReason) *Error {
	copied := *e
	copied.EventReason = reason
	return &copied
}

// Conflict returns a CodeConflict error with the current state of the object.
func Conflict(reason Reason, message string, current Node) *Error {
	return &Error{Code: CodeConflict, Reason: reason, Message: message, Current: current}
}

// TooLargef returns a CodeTooLarge error with the formatted message, which must
// name what is too large and the maximum.
func TooLargef(format string, args ...any) *Error {
	return &Error{Code: CodeTooLarge, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns a CodeNotFound error, for example "Space not found".
func NotFound(message string) *Error {
	return &Error{Code: CodeNotFound, Message: message}
}

// KeyInvalid is the message for missing, malformed, unknown and revoked keys: a response must not
// reveal which keys exist.
const KeyInvalid = "Invalid or expired API key"

// Unauthenticated returns the error of a request without a valid key.
func Unauthenticated() *Error {
	return &Error{Code: CodeUnauthenticated, Message: KeyInvalid}
}

// Forbidden returns a CodeForbidden error.
func Forbidden(message string) *Error {
	return &Error{Code: CodeForbidden, Message: message}
}

// NeedsSession returns the error that refuses a caller without a session, such as the holder of an
// API key.
func NeedsSession() *Error {
	return Forbidden("Only a browser that is signed in may do this").WithReason(ReasonNeedsSession)
}

// AsError returns what a client may see of err: the first *Error in its chain,
// or an internal one that wraps it. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*Error](err)
	switch {
	case ok && e.Code != CodeInternal:
		return e
	case ok && e.IsOutage():
		return Unavailable(err)
	}
	return &Error{Code: CodeInternal, Message: InternalMessage, Err: err}
}

// Unavailable returns the internal error of a database that does not answer.
func Unavailable(err error) *Error {
	return &Error{Code: CodeInternal, Message: UnavailableMessage, RetryAfter: unavailableWait, Err: err}
}

// IsOutage reports whether e means that the database does not answer.
func (e *Error) IsOutage() bool { return e.Code == CodeInternal && e.RetryAfter > 0 }

// IsFault reports whether err is a fault of the server, which belongs in the log: an internal error
// of a request whose client is still connected. When a client disconnects, its request fails too,
// but that is not a fault.
func IsFault(ctx context.Context, err error) bool {
	return CodeOf(err) == CodeInternal && !errors.Is(ctx.Err(), context.Canceled)
}

// LogFault logs err if it is a fault of the server. It is the only function that logs the internal
// errors of requests, so that each line has the same message and the id of the request. The
// attributes are keys and values as in package slog: first the door, then the place in the door.
func LogFault(ctx context.Context, log *slog.Logger, err error, attributes ...any) {
	if IsFault(ctx, err) {
		log.ErrorContext(ctx, "internal error", append(attributes, "error", err, "request_id", RequestID(ctx))...)
	}
}

// CodeOf returns the code of err, CodeInternal for an error that is not an
// Error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}
