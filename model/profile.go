package model

// The texts of refusals about other accounts.
const (
	UserNotFound = "User not found"
	FollowSelf   = "id: you cannot follow yourself"
)

// Profile is the public part of an account. It is a separate type, so that no e-mail address
// or password hash can leak with it.
type Profile struct {
	ID   string
	Name string
	// PictureKey is the storage key of the picture where ProfileWithCovers has read it; empty for none.
	PictureKey string `bun:",scanonly,nullzero"`
	// Followed reports whether the caller follows this account.
	Followed bool
	// Sequence is the id as a number, where the account is in a list.
	Sequence int64 `bun:",scanonly"`
	// Own is the account itself where it is the caller's, and was read already.
	Own *User `bun:"-"`
}

// IsNode marks an account as others see it.
func (Profile) IsNode() {}

// Cursor returns the account's place in lists.
func (p *Profile) Cursor() string { return Cursor(p.Sequence) }

// Key implements Sortable.
func (p *Profile) Key(OrderField) (int64, string) { return p.Sequence, "" }

// UserConnection is one page of accounts, in the order of their ids.
type UserConnection Connection[*Profile]

// Edges returns the accounts with their cursors.
func (c *UserConnection) Edges() []UserEdge { return edgesOf[*Profile, UserEdge](c.Nodes, c.Order) }

// UserEdge is an account in a page.
type UserEdge Edge[*Profile]
