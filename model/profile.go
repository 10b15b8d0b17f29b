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
	// Followed reports whether the caller follows this account.
	Followed bool
	// Own is the account itself where it is the caller's, and was read already.
	Own *User `bun:"-"`
}

// IsNode marks an account as others see it.
func (Profile) IsNode() {}
