package model

import (
	"cmp"
	"maps"
	"slices"
)

// SecurityEventReason says of an event what its type does not: why a sign-in failed, or how much a
// change covers.
type SecurityEventReason string

// The reasons of security events.
const (
	EventReasonWrongCode          SecurityEventReason = "wrong-code"
	EventReasonAccountChange      SecurityEventReason = "account-change"
	EventReasonOtherSessions      SecurityEventReason = "other-sessions"
	EventReasonPasswordRemoved    SecurityEventReason = "password-removed"
	EventReasonEmailNotVerified   SecurityEventReason = "email-not-verified"
	EventReasonEmailNotSupported  SecurityEventReason = "email-not-supported"
	EventReasonEmailInvalid       SecurityEventReason = "email-invalid"
	EventReasonNoAccount          SecurityEventReason = "no-account"
	EventReasonFirstAccount       SecurityEventReason = "first-account"
	EventReasonIdentityTaken      SecurityEventReason = "identity-taken"
	EventReasonOtherIdentity      SecurityEventReason = "other-identity"
	EventReasonLaterEventsDropped SecurityEventReason = "later-events-dropped"
)

// eventReasonTexts are the reasons in English.
var eventReasonTexts = map[SecurityEventReason]string{
	EventReasonWrongCode:          "Wrong one-time code",
	EventReasonAccountChange:      "To change the account",
	EventReasonOtherSessions:      "All but one",
	EventReasonPasswordRemoved:    "The password was removed",
	EventReasonEmailNotVerified:   "The external provider has not verified your e-mail address",
	EventReasonEmailNotSupported:  "Your e-mail address has characters that are not supported",
	EventReasonEmailInvalid:       "Your e-mail address is not valid",
	EventReasonNoAccount:          "There is no account with your e-mail address. Ask the operator of this server for one",
	EventReasonFirstAccount:       "This server has no account yet. Create the first one with the link that the server printed when it started",
	EventReasonIdentityTaken:      "This sign-in is connected to another account",
	EventReasonOtherIdentity:      "This account is already connected to another sign-in of the same provider",
	EventReasonLaterEventsDropped: "The daily limit is reached: later events of this kind are not recorded",
}

// SecurityEventReasons returns every reason.
func SecurityEventReasons() []SecurityEventReason { return slices.Sorted(maps.Keys(eventReasonTexts)) }

// Text returns the reason in English. It returns the value itself for a reason that only a newer
// server on the same database knows.
func (r SecurityEventReason) Text() string { return cmp.Or(eventReasonTexts[r], string(r)) }

// RefusedSignIn returns the CodeForbidden error of a sign-in that is refused for this reason.
func RefusedSignIn(reason SecurityEventReason) *Error {
	return Forbidden(reason.Text()).WithEventReason(reason)
}
