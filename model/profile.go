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
	// PictureKey is the storage key of the picture; empty if there is none, and if
	// ProfileWithCovers has not read it.
	PictureKey string `bun:",scanonly,nullzero"`
	// Followed reports whether the caller follows this account.
	Followed bool
	// Sequence is the id as a number, by which lists are sorted.
	Sequence int64 `bun:",scanonly"`
	// Account is the whole account, if it is the caller's and was already read; otherwise nil.
	Account *User `bun:"-"`
}

// IsNode implements Node.
func (Profile) IsNode() {}

// Cursor returns the account's cursor in lists.
func (p *Profile) Cursor() string { return Cursor(p.Sequence) }

// Key implements Sortable.
func (p *Profile) Key(OrderField) (int64, string) { return p.Sequence, "" }

// UserConnection is one page of accounts, in the order of their ids.
type UserConnection Connection[*Profile]

// Edges returns the accounts with their cursors.
func (c *UserConnection) Edges() []UserEdge { return edgesOf[*Profile, UserEdge](c.Nodes, c.Order) }

// UserEdge is an account in a page.
type UserEdge Edge[*Profile]
