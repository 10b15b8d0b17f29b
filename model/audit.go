package model

import (
	"context"
	"strings"
	"unicode/utf8"
)

// SecurityEventType is what happened.
type SecurityEventType string

// The types of security events.
const (
	EventSignedIn        SecurityEventType = "signed-in"
	EventSignInFailed    SecurityEventType = "sign-in-failed"
	EventAccountCreated  SecurityEventType = "account-created"
	EventAccountChanged  SecurityEventType = "account-changed"
	EventPasswordChanged SecurityEventType = "password-changed"
	EventIdentityLinked  SecurityEventType = "identity-linked"
	EventKeyCreated      SecurityEventType = "key-created"
	EventKeyShown        SecurityEventType = "key-shown"
	EventKeyRevoked      SecurityEventType = "key-revoked"
	EventConsentGiven    SecurityEventType = "consent-given"
	EventCodeRedeemed    SecurityEventType = "code-redeemed"
	EventPrivacyChanged  SecurityEventType = "privacy-changed"
	EventSpaceDeleted    SecurityEventType = "space-deleted"
	EventFileDeleted     SecurityEventType = "file-deleted"
)

// The ways to sign in, for SecurityEvent.Method.
const (
	ByPassword = "password"
	ByOpenID   = "openid"
)

// SecurityEvent is an entry of the audit trail. It holds no secret. Empty texts are
// unknown or do not apply.
type SecurityEvent struct {
	ID string `bun:",pk"`
	// Sequence orders the trail; the database sets it.
	Sequence int64 `bun:",autoincrement"`
	// UserID is the account that it is about; empty for a sign-in of nobody's.
	UserID string `bun:",nullzero"`
	Type   SecurityEventType
	// Method is how a sign-in was proven: ByPassword or ByOpenID.
	Method string `bun:",nullzero"`
	// Door is where the request came in.
	Door string `bun:",nullzero"`
	// Address is where the request came from.
	Address string `bun:",nullzero"`
	// Subject is what was acted on: the id of a space, key or client, a resource key.
	Subject string `bun:",nullzero"`
	// Detail says more for people: a title, the name of a client, what changed.
	Detail string `bun:",nullzero"`
	// RequestID leads to the lines of the log.
	RequestID string `bun:",nullzero"`
	CreatedAt Time   `bun:",nullzero,default:now()"`
}

// maxEventText is how many characters of a text an event keeps.
const maxEventText = 200

// NewSecurityEvent returns an event about the account, with what ctx knows of the
// request.
func NewSecurityEvent(ctx context.Context, kind SecurityEventType, userID string) *SecurityEvent {
	origin := OriginFrom(ctx)
	return &SecurityEvent{
		ID: Token(), UserID: userID, Type: kind, Door: origin.Door, Address: cut(origin.Address, 64),
		RequestID: cut(RequestID(ctx), 128),
	}
}

// About sets what was acted on and what to say of it to people.
func (e *SecurityEvent) About(subject, detail string) *SecurityEvent {
	e.Subject, e.Detail = cut(subject, 2*maxEventText), cut(detail, maxEventText)
	return e
}

// By sets how a sign-in was proven.
func (e *SecurityEvent) By(method string) *SecurityEvent {
	e.Method = cut(method, 64)
	return e
}

// cut returns the beginning of a text, without what a database cannot keep or a
// terminal would act on.
func cut(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' || (r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, text)
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

// Cursor returns the event's place in lists.
func (e *SecurityEvent) Cursor() string { return Cursor(e.Sequence) }

// IsNode marks an event.
func (SecurityEvent) IsNode() {}

// SecurityEventConnection is one page of events, newest first.
type SecurityEventConnection Connection[*SecurityEvent]

// Edges returns the events with their cursors.
func (c *SecurityEventConnection) Edges() []SecurityEventEdge {
	return edgesOf[*SecurityEvent, SecurityEventEdge](c.Nodes)
}

// SecurityEventEdge is an event in a page.
type SecurityEventEdge Edge[*SecurityEvent]
