package model

// The texts of refusals that have to do with other accounts.
const (
	UserNotFound = "User not found"
	FollowSelf   = "id: you cannot follow yourself"
)

// Profile is what others see of an account. It is a type of its own, so that no
// address and no hash ever travels with it.
type Profile struct {
	ID   string
	Name string
	// Followed reports whether the user who asks follows this one.
	Followed bool
}

// IsNode marks an account as others see it.
func (Profile) IsNode() {}
