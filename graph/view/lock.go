package view

import "portico/model"

// Lock is the response about the lock of a space.
type Lock struct {
	Lock *model.SpaceLock `json:"lock" jsonschema:"The lock: the name of its holder, and when it ends by itself; null for none."`
	// LockToken is set only in the response to the holder of the lock.
	LockToken string `json:"lock_token,omitempty" jsonschema:"The token to send with each change of the space."`
}

// NewLock returns the lock of a space without its token, for every caller that may read the space.
func NewLock(space *model.Space) Lock { return Lock{Lock: space.Lock()} }

// NewHeldLock returns a lock with its token, for the editor that has just taken or renewed it.
func NewHeldLock(locked *model.LockedSpace) Lock {
	return Lock{Lock: locked.Space.Lock(), LockToken: locked.LockToken}
}
