package model

import (
	"slices"
	"time"
)

// ReportReason is why a space is reported or taken down.
type ReportReason string

// The reasons.
const (
	ReasonCopyright ReportReason = "copyright" // it shows the work of somebody who did not agree
	ReasonPersonal  ReportReason = "personal"  // it shows people or private rooms without consent
	ReasonIllegal   ReportReason = "illegal"
	ReasonHarmful   ReportReason = "harmful" // hate, violence, or sexual content
	ReasonSpam      ReportReason = "spam"    // advertising or deception
	ReasonOther     ReportReason = "other"
)

// ReportReasons lists every reason.
var ReportReasons = []ReportReason{
	ReasonCopyright, ReasonPersonal, ReasonIllegal, ReasonHarmful, ReasonSpam, ReasonOther,
}

// Validate refuses anything but the reasons.
func (r ReportReason) Validate() error {
	if slices.Contains(ReportReasons, r) {
		return nil
	}
	return InvalidField("reason", "must be one of copyright, personal, illegal, harmful, spam and other")
}

// MaxReportText is the maximum number of characters of a report, and of the text of a takedown.
const MaxReportText = 1000

// ReportSpace is the input of reportSpace, and of a takedown.
type ReportSpace struct {
	SpaceID string
	Reason  ReportReason
	Text    string // may be empty
}

// Validate checks the input.
func (in ReportSpace) Validate() error {
	if err := in.Reason.Validate(); err != nil {
		return err
	}
	return checkText("text", in.Text, MaxReportText)
}

// Takedown is why and when an operator took a space down.
type Takedown struct {
	SpaceID   string `bun:",pk"`
	Reason    ReportReason
	Text      string
	CreatedAt Time
}

// SpaceTakenDown refuses to publish a space that was taken down.
const SpaceTakenDown = "An operator has taken this space down: it stays Private until it is restored"

// The texts about disabled accounts.
const (
	// AccountDisabled refuses to sign in.
	AccountDisabled = "This account is disabled. Ask the operator of the server"
	maxDisableText  = 500
)

// CheckDisableReason checks the text that says why an account is disabled. It may be empty.
func CheckDisableReason(reason string) error { return checkText("reason", reason, maxDisableText) }

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
	// Storage is nil before it was read.
	Storage *Storage `bun:"-"`
}

// Cursor returns the account's place in lists.
func (a *Account) Cursor() string { return Cursor(a.Sequence) }

// Key implements Sortable.
func (a *Account) Key(OrderField) (int64, string) {
	return a.Sequence, a.CreatedAt.UTC().Format(time.RFC3339Nano)
}

// AccountConnection is one page of accounts, newest first.
type AccountConnection Connection[*Account]

// AccountFilter selects accounts. Fields that are nil select all.
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

// AccountEdge is an account in a page.
type AccountEdge Edge[*Account]
