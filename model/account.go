package model

import "time"

// Account is an account as operators see it.
type Account struct {
	User
	// Sequence orders accounts of the same moment.
	Sequence int64
	// Operator reports whether the account may operate the server.
	Operator bool
	// DisabledAt is zero for an account that is not disabled.
	DisabledAt     Time `bun:",nullzero"`
	DisabledReason string
	// SpaceCount is the number of the account's spaces.
	SpaceCount int
	// Storage is nil if it was not read.
	Storage *Storage `bun:"-"`
}

// Cursor returns the account's cursor in lists.
func (a *Account) Cursor() string { return Cursor(a.Sequence) }

// Key implements Sortable.
func (a *Account) Key(OrderField) (int64, string) {
	return a.Sequence, a.CreatedAt.UTC().Format(time.RFC3339Nano)
}

// AccountConnection is one page of accounts, newest first.
type AccountConnection Connection[*Account]

// AccountFilter selects accounts. A nil field selects all accounts.
type AccountFilter struct {
	Disabled *bool
	Operator *bool
}

// Disabled returns when the account was disabled; nil for an account that is not.
func (a *Account) Disabled() *Time {
	if a.DisabledAt.IsZero() {
		return nil
	}
	return &a.DisabledAt
}

// Edges returns the accounts with their cursors.
func (c *AccountConnection) Edges() []AccountEdge {
	return edgesOf[*Account, AccountEdge](c.Nodes, c.Order)
}

// AccountEdge is an account with its cursor.
type AccountEdge Edge[*Account]

const maxDisableText = 500

// CheckDisableReason checks the text that says why an account is disabled. It may be empty.
func CheckDisableReason(reason string) error { return checkText("reason", reason, maxDisableText) }
