package model

import (
	"slices"
	"time"
)

// MailKind is the purpose of a mail, and selects its text.
type MailKind string

const (
	// MailConfirm has a link that confirms an address.
	MailConfirm MailKind = "confirm"
	// MailReset has a link that sets a new password.
	MailReset MailKind = "reset"
	// MailMoved informs the former address of an account of the new one.
	MailMoved MailKind = "moved"
	// MailWebhookCreated informs the owner of the account of a webhook that somebody who has access
	// to the account has made.
	MailWebhookCreated MailKind = "webhook-created"
	// MailWebhookChanged is such a mail for a webhook that was changed.
	MailWebhookChanged MailKind = "webhook-changed"
	// MailWebhookDeleted is such a mail for a webhook that was deleted.
	MailWebhookDeleted MailKind = "webhook-deleted"
)

// IsNotice reports whether the mail informs of a change, and has no link.
func (k MailKind) IsNotice() bool {
	return slices.Contains([]MailKind{MailMoved, MailWebhookCreated, MailWebhookChanged, MailWebhookDeleted}, k)
}

// The paths of the pages to which mails lead. Package web serves them.
const (
	ResetPath   = "/login/reset"
	ConfirmPath = "/account/email"
)

// ConfirmLifetime is how long a link that confirms an address is valid. The texts of package
// worker/mail state the same time.
const ConfirmLifetime = 24 * time.Hour

// ResetLifetime is how long a link that sets a new password is valid. The texts of package
// worker/mail and of the page that sends it state the same time.
const ResetLifetime = time.Hour

// MaxMailsPerHour is the maximum number of mails of one kind that an account or an address gets in
// an hour. Anybody can request them.
const MaxMailsPerHour = 5

// Mail is a mail in the queue. It contains no link: the worker that sends the mail creates the
// link, so that its token is in no table.
type Mail struct {
	Kind MailKind `json:"kind"`
	// UserID is the account. It is empty for MailReset: the worker finds the account by its
	// address, so that a request takes the same time whether or not there is an account.
	UserID string `json:"user_id,omitempty"`
	// To is the normalised address (see NormaliseEmail).
	To string `json:"to"`
	// Language is the language of the text, such as "en".
	Language string `json:"language"`
	// Host is the host of a webhook, for the mails about one.
	Host string `json:"host,omitempty"`
}

// EmailChange is a new address of an account that its owner has asked for, and has not confirmed.
type EmailChange struct {
	Email       string
	RequestedAt Time
	// ExpiresAt is when the newest link to the address ends, and with it the change.
	ExpiresAt Time
}
