package view

import "portico/model"

// Lock is the response about the lock of a space.
type Lock struct {
	Lock *model.SpaceLock `json:"lock" jsonschema:"The lock: the name of its holder, and when it ends by itself; null for none."`
	// LockToken is set only in the response to the holder of the lock.
	LockToken string `json:"lock_token,omitempty" jsonschema:"The token to send with each change of the space."`
}

// NewLock returns the view of the lock of a space.
func NewLock(space *model.Space) Lock { return Lock{Lock: space.Lock()} }

// NewHeldLock returns the view of a lock for its holder.
func NewHeldLock(locked *model.LockedSpace) Lock {
	return Lock{Lock: locked.Space.Lock(), LockToken: locked.LockToken}
}
