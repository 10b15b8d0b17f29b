package model

import (
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"
)

// NotificationType is the kind of event that a notification reports.
type NotificationType string

// The types of notifications.
const (
	// SpacePublished is for a space that became Public, of an account that the user follows.
	SpacePublished NotificationType = "space-published"
	// SpaceWasTakenDown and SpaceRestored are for the owner of a space.
	SpaceWasTakenDown NotificationType = "space-taken-down"
	SpaceRestored     NotificationType = "space-restored"
	// WebhookDisabled is for a webhook of the user that failed for too long.
	WebhookDisabled NotificationType = "webhook-disabled"
)

// Notification is an event that a user is notified of.
type Notification struct {
	ID     string `bun:",pk"`
	UserID string // the recipient
	// Sequence orders the list of a user's notifications.
	Sequence int64
	// Transaction and Sequence together order notifications for subscriptions: none
	// becomes visible later at a position that was passed.
	Transaction string
	Type        NotificationType
	SpaceID     string `bun:",nullzero"` // empty for a notification about no space
	// Text is the reason of the operator, or the address of the webhook; empty for none.
	Text      string `bun:",nullzero"`
	CreatedAt Time
	// Space is the space of the event; nil before it was looked up, and if it was deleted
	// or the user may not read it any more.
	Space *Space `bun:"-"`
}

// Cursor returns the notification's place in lists.
func (n *Notification) Cursor() string { return Cursor(n.Sequence) }

// At returns the position right after the notification.
func (n *Notification) At() Position {
	return Position{Transaction: n.Transaction, Sequence: n.Sequence}
}

// Position returns the text of At, which clients keep.
func (n *Notification) Position() string { return n.At().String() }

// IsNode marks a notification.
func (Notification) IsNode() {}

// Position is a position in the order in which notifications become visible. This is not
// the order of the list: a transaction that started later may commit first.
type Position struct {
	Transaction string
	Sequence    int64
}

// Compare returns a negative number if p lies before other, and a positive one if behind.
func (p Position) Compare(other Position) int {
	// The ids of transactions are numbers: the longer one is larger.
	return cmp.Or(
		cmp.Compare(len(p.Transaction), len(other.Transaction)), cmp.Compare(p.Transaction, other.Transaction),
		cmp.Compare(p.Sequence, other.Sequence))
}

// positionMark is the prefix of every position, so that a list's cursor is refused.
const positionMark = "behind:"

// String returns the position as opaque text for clients.
func (p Position) String() string {
	text := positionMark + p.Transaction + ":" + strconv.FormatInt(p.Sequence, 10)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// ParsePosition parses the text of String.
func ParsePosition(s string) (Position, error) {
	refusal := InvalidField("after", "is not a position that this server gave out")
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return Position{}, refusal
	}
	place, ok := strings.CutPrefix(string(text), positionMark)
	transaction, sequence, both := strings.Cut(place, ":")
	number, err := strconv.ParseInt(sequence, 10, 64)
	if !ok || !both || err != nil || number < 0 {
		return Position{}, refusal
	}
	// Postgres would fail to parse a text that is not a number.
	id, err := strconv.ParseUint(transaction, 10, 64)
	if err != nil {
		return Position{}, refusal
	}
	return Position{Transaction: strconv.FormatUint(id, 10), Sequence: number}, nil
}

// NotificationConnection is one page of notifications, newest first.
type NotificationConnection Connection[*Notification]

// Edges returns the notifications with their cursors.
func (c *NotificationConnection) Edges() []NotificationEdge {
	return edgesOf[*Notification, NotificationEdge](c.Nodes, c.Order)
}

// NotificationEdge is a notification in a page.
type NotificationEdge Edge[*Notification]

// Key implements Sortable.
func (n *Notification) Key(OrderField) (int64, string) { return n.Sequence, "" }
