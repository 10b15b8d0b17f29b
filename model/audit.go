package model

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"
)

// SecurityEventType is what happened.
type SecurityEventType string

// The types of security events.
const (
	EventSignedIn         SecurityEventType = "signed-in"
	EventSignInFailed     SecurityEventType = "sign-in-failed"
	EventAccountCreated   SecurityEventType = "account-created"
	EventAccountChanged   SecurityEventType = "account-changed"
	EventAccountDeleted   SecurityEventType = "account-deleted"
	EventAccountExported  SecurityEventType = "account-exported"
	EventPasswordChanged  SecurityEventType = "password-changed"
	EventEmailConfirmed   SecurityEventType = "email-confirmed"
	EventEmailChanged     SecurityEventType = "email-changed"
	EventCodesEnabled     SecurityEventType = "codes-enabled"
	EventCodesDisabled    SecurityEventType = "codes-disabled"
	EventRecoveryCodeUsed SecurityEventType = "recovery-code-used"
	EventPasskeyAdded     SecurityEventType = "passkey-added"
	EventPasskeyRemoved   SecurityEventType = "passkey-removed"
	EventIdentityLinked   SecurityEventType = "identity-linked"
	EventIdentityUnlinked SecurityEventType = "identity-unlinked"
	EventConsentRevoked   SecurityEventType = "consent-revoked"
	EventSessionsEnded    SecurityEventType = "sessions-ended"
	EventKeyCreated       SecurityEventType = "key-created"
	EventKeyShown         SecurityEventType = "key-shown"
	EventKeyRevoked       SecurityEventType = "key-revoked"
	EventConsentGiven     SecurityEventType = "consent-given"
	EventCodeRedeemed     SecurityEventType = "code-redeemed"
	EventWebhookCreated   SecurityEventType = "webhook-created"
	EventWebhookChanged   SecurityEventType = "webhook-changed"
	EventWebhookDeleted   SecurityEventType = "webhook-deleted"
	EventPrivacyChanged   SecurityEventType = "privacy-changed"
	EventLinkCreated      SecurityEventType = "link-created"
	EventLinkChanged      SecurityEventType = "link-changed"
	EventLinkRevoked      SecurityEventType = "link-revoked"
	EventHandleChanged    SecurityEventType = "handle-changed"
	EventSpaceDeleted     SecurityEventType = "space-deleted"
	EventFileDeleted      SecurityEventType = "file-deleted"
	EventAvatarAssigned   SecurityEventType = "avatar-assigned"
	EventAvatarDeleted    SecurityEventType = "avatar-deleted"
	EventOperatorAdded    SecurityEventType = "operator-added"
	EventOperatorRemoved  SecurityEventType = "operator-removed"
	EventAccountDisabled  SecurityEventType = "account-disabled"
	EventAccountEnabled   SecurityEventType = "account-enabled"
	EventSpaceTakenDown   SecurityEventType = "space-taken-down"
	EventSpaceRestored    SecurityEventType = "space-restored"
	EventReportsClosed    SecurityEventType = "reports-closed"
	EventJobRetried       SecurityEventType = "job-retried"
	EventJobCanceled      SecurityEventType = "job-canceled"
)

// The ways to sign in, for SecurityEvent.Method.
const (
	ByPassword = "password"
	ByOpenID   = "openid"
	ByPasskey  = "passkey"
)

// SecurityEventNotFound is the message about an event that does not exist, or belongs to another
// account.
const SecurityEventNotFound = "Security event not found"

// SecurityEvent is an entry of the audit trail. It contains no secret. An empty text means that
// the value is unknown or does not apply.
type SecurityEvent struct {
	ID string `bun:",pk"`
	// Sequence orders the trail; the database sets it.
	Sequence int64 `bun:",autoincrement"`
	// UserID is the account of the event; empty for a sign-in to an unknown account.
	UserID string `bun:",nullzero"`
	// ActorID is the operator who acted; empty if the account itself or the command line did.
	ActorID string `bun:",nullzero"`
	Type    SecurityEventType
	// Method is how a user signed in: ByPassword, ByOpenID or ByPasskey.
	Method string `bun:",nullzero"`
	// Door is the door of the request, such as DoorREST.
	Door string `bun:",nullzero"`
	// Address is the client's address.
	Address string `bun:",nullzero"`
	// Subject identifies what the event is about: the id of a space, key or client, or a
	// resource key.
	Subject string `bun:",nullzero"`
	// Title is what a person or a program has chosen, and is not translated: the title of a space, the
	// name of a file, a passkey or a client, the host of a webhook, the issuer of an identity, the
	// e-mail address of a deleted account, or the text of an operator about a disabled one.
	Title  string              `bun:",nullzero"`
	Reason SecurityEventReason `bun:",nullzero"`
	// TakedownReason is why an operator has taken the space down.
	TakedownReason ReportReason `bun:",nullzero"`
	// Changes are the values that changed; nil for none.
	Changes []SecurityEventChange `bun:"type:jsonb,nullzero"`
	// RequestID is the request_id of the log lines of the request.
	RequestID string `bun:",nullzero"`
	CreatedAt Time   `bun:",nullzero,default:now()"`
}

// maxEventText is the maximum number of characters of Title.
const maxEventText = 200

// NewSecurityEvent returns an event of the account, with the origin of the request of ctx.
func NewSecurityEvent(ctx context.Context, kind SecurityEventType, userID string) *SecurityEvent {
	origin := OriginFrom(ctx)
	event := &SecurityEvent{
		ID: Token(), UserID: userID, Type: kind, Door: origin.Door, Address: sanitise(origin.Address, 64),
		RequestID: sanitise(RequestID(ctx), 128),
	}
	if c := CallerFrom(ctx); c != nil && c.UserID != userID {
		event.ActorID = c.UserID
	}
	return event
}

// HideOperator removes the identity, the address and the request of the operator who acted, which
// the account must not see.
func (e *SecurityEvent) HideOperator() {
	if e.ActorID != "" {
		e.ActorID, e.Address, e.RequestID = "", "", ""
	}
}

// WithSubject sets Subject and Title. It cuts long texts and removes characters that a terminal
// would execute.
func (e *SecurityEvent) WithSubject(subject, title string) *SecurityEvent {
	e.Subject, e.Title = sanitise(subject, 2*maxEventText), sanitise(title, maxEventText)
	return e
}

// WithReason says of the event what its type does not; "" says nothing.
func (e *SecurityEvent) WithReason(reason SecurityEventReason) *SecurityEvent {
	e.Reason = reason
	return e
}

// WithTakedownReason says why an operator took the space of the event down.
func (e *SecurityEvent) WithTakedownReason(reason ReportReason) *SecurityEvent {
	e.TakedownReason = reason
	return e
}

// WithChanges adds what changed, for an event of a type that does not say it.
func (e *SecurityEvent) WithChanges(changes ...SecurityEventChange) *SecurityEvent {
	e.Changes = changes
	return e
}

// Detail returns the title, the reason and the changes as one English text, for people.
func (e *SecurityEvent) Detail() string {
	note := e.Note()
	if e.Title != "" && note != "" {
		return e.Title + ": " + note
	}
	return e.Title + note
}

// Note returns what the Detail says after the title: the reason or the changes, in English.
func (e *SecurityEvent) Note() string {
	return cmp.Or(e.Reason.Text(), string(e.TakedownReason), changesText(e.Changes))
}

// WithMethod sets how the user signed in.
func (e *SecurityEvent) WithMethod(method string) *SecurityEvent {
	e.Method = sanitise(method, 64)
	return e
}

// sanitise removes control characters and invalid UTF-8, which Postgres cannot store or a terminal
// would execute, and returns the first maxRunes characters of the rest.
func sanitise(text string, maxRunes int) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' || (r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, text)
	for i := range text {
		if maxRunes == 0 {
			return text[:i]
		}
		maxRunes--
	}
	return text
}

// Cursor returns the event's cursor in lists.
func (e *SecurityEvent) Cursor() string { return Cursor(e.Sequence) }

// IsNode implements Node.
func (SecurityEvent) IsNode() {}

// SecurityEventConnection is one page of events, newest first.
type SecurityEventConnection Connection[*SecurityEvent]

// Edges returns the events with their cursors.
func (c *SecurityEventConnection) Edges() []SecurityEventEdge {
	return edgesOf[*SecurityEvent, SecurityEventEdge](c.Nodes, c.Order)
}

// SecurityEventEdge is an event with its cursor.
type SecurityEventEdge Edge[*SecurityEvent]

// Key implements Sortable.
func (e *SecurityEvent) Key(OrderField) (int64, string) { return e.Sequence, "" }

// AuditEntry is an event of the audit trail as operators see it.
type AuditEntry struct {
	SecurityEvent
	UserEmail  string
	ActorEmail string
}

// AuditEntryConnection is one page of events, newest first.
type AuditEntryConnection Connection[*AuditEntry]

// Edges returns the events with their cursors.
func (c *AuditEntryConnection) Edges() []AuditEntryEdge {
	return edgesOf[*AuditEntry, AuditEntryEdge](c.Nodes, c.Order)
}

// AuditEntryEdge is an event in a page.
type AuditEntryEdge Edge[*AuditEntry]

// AuditEntryFilter selects events of the audit trail for operators.
type AuditEntryFilter struct {
	Account string              // the id of the account, or of the operator who acted; empty for all
	Types   []SecurityEventType // empty for all
}
