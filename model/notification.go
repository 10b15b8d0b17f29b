package model

import (
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"
)

// NotificationType is the kind of event that a notification reports.
type NotificationType string

const (
	// SpacePublished is for a space that became Public, of an account that the user follows.
	SpacePublished NotificationType = "space-published"
	// SpaceWasTakenDown is for the owner of a space that an operator took down.
	SpaceWasTakenDown NotificationType = "space-taken-down"
	// SpaceRestored is for the owner of a space that an operator shows again.
	SpaceRestored NotificationType = "space-restored"
	// WebhookDisabled is for a webhook of the user that failed for too long.
	WebhookDisabled NotificationType = "webhook-disabled"
)

// NotificationNotFound is the message about a notification that does not exist, or belongs to
// another account.
const NotificationNotFound = "Notification not found"

// Notification is an event that a user is notified of.
type Notification struct {
	ID     string `bun:",pk"`
	UserID string // the recipient
	// Sequence orders the list of a user's notifications.
	Sequence int64
	// Transaction is the id of the Postgres transaction that added the notification. Together
	// with Sequence it orders notifications for subscriptions: in this order, no notification
	// becomes visible before one that a subscriber has received.
	Transaction string
	Type        NotificationType
	SpaceID     string `bun:",nullzero"` // empty for a notification about no space
	// Text is the reason of the operator, or the address of the webhook; empty for none.
	Text      string `bun:",nullzero"`
	CreatedAt Time
	// Space is the space of the event; nil if it was not read, was deleted, or may no longer
	// be read by the user.
	Space *Space `bun:"-"`
}

// Cursor returns the notification's cursor in lists.
func (n *Notification) Cursor() string { return Cursor(n.Sequence) }

// At returns the position right after the notification.
func (n *Notification) At() Position {
	return Position{Transaction: n.Transaction, Sequence: n.Sequence}
}

// Position returns the text of At, with which clients resume a subscription.
func (n *Notification) Position() string { return n.At().String() }

// IsNode implements Node.
func (Notification) IsNode() {}

// Position is a position in the order in which notifications become visible. This is not
// the order of the list: a transaction that started later may commit first.
type Position struct {
	Transaction string
	Sequence    int64
}

// Compare returns a negative number if p is before other, a positive one if p is after other, and 0
// if they are equal.
func (p Position) Compare(other Position) int {
	// The ids of transactions are numbers: the longer one is larger.
	return cmp.Or(
		cmp.Compare(len(p.Transaction), len(other.Transaction)), cmp.Compare(p.Transaction, other.Transaction),
		cmp.Compare(p.Sequence, other.Sequence))
}

// positionPrefix is the prefix of every position, so that a list's cursor is refused.
const positionPrefix = "behind:" // part of the positions that clients have stored: never change it

// String returns the position as opaque text for clients.
func (p Position) String() string {
	text := positionPrefix + p.Transaction + ":" + strconv.FormatInt(p.Sequence, 10)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// ParsePosition parses the text of String.
func ParsePosition(s string) (Position, error) {
	refusal := InvalidField("after", "is not a position of this server")
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return Position{}, refusal
	}
	position, hasPrefix := strings.CutPrefix(string(text), positionPrefix)
	transaction, sequence, hasBoth := strings.Cut(position, ":")
	number, err := strconv.ParseInt(sequence, 10, 64)
	if !hasPrefix || !hasBoth || err != nil || number < 0 {
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

// NotificationEdge is a notification with its cursor.
type NotificationEdge Edge[*Notification]

// Key implements Sortable.
func (n *Notification) Key(OrderField) (int64, string) { return n.Sequence, "" }
