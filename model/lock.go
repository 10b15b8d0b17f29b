package model

import (
	"context"
	"fmt"
	"time"
)

// The length of a lock in seconds.
const (
	minLock     = 10
	defaultLock = 300
	maxLock     = 3600
)

// maxLockName is the maximum number of characters of the name of a lock's holder.
const maxLockName = 80

// SpaceLock lets only one editor change the entities of a space.
type SpaceLock struct {
	// Name is what the editor calls itself.
	Name string `json:"name"`
	// Until is when the lock expires.
	Until Time `json:"until"`
}

// LockSpace is the input of lockSpace.
type LockSpace struct {
	SpaceID string
	// Name is what the editor calls itself, for other editors to read.
	Name string
	// Seconds is how long the lock lasts, from 10 to 3,600; nil means 300.
	Seconds *int
	// LockToken renews the lock that has this token; nil acquires a new lock.
	LockToken *string
}

// Validate refuses a name that is too long or invisible, and a lock that is too short or too long.
func (in LockSpace) Validate() error {
	if err := checkText("name", in.Name, maxLockName); err != nil {
		return err
	}
	if visibleName(in.Name) == "" {
		return InvalidField("name", "is required: it says who edits the space")
	}
	if in.Seconds != nil && (*in.Seconds < minLock || *in.Seconds > maxLock) {
		return InvalidField("seconds", fmt.Sprintf("must be from %d to %d", minLock, maxLock))
	}
	return nil
}

// Holder returns the name of the lock's holder, as others see it.
func (in LockSpace) Holder() string { return visibleName(in.Name) }

// Duration returns how long the lock of a valid input lasts.
func (in LockSpace) Duration() time.Duration {
	seconds := defaultLock
	if in.Seconds != nil {
		seconds = *in.Seconds
	}
	return time.Duration(seconds) * time.Second
}

// LockedSpace is a space and the token of the lock that the caller got.
type LockedSpace struct {
	Space     *Space
	LockToken string
}

// UnlockSpace is the input of unlockSpace.
type UnlockSpace struct {
	SpaceID string
	// LockToken proves that the caller took the lock. It may be nil with Force.
	LockToken *string
	// Force releases the lock without its token.
	Force bool
}

// Lock returns the lock that the space had when it was read; nil for none.
//
// It compares two times of the database. Statements that check the lock do so too, and a server
// whose clock is wrong must not contradict them. A released lock has no token: ReadAt is before the
// release if the transaction that read the space began before.
func (s *Space) Lock() *SpaceLock {
	if s.LockToken == "" || !s.LockedUntil.After(s.ReadAt.Time) {
		return nil
	}
	return &SpaceLock{Name: s.LockName, Until: s.LockedUntil}
}

// LockRefusal returns the error that refuses a change because another editor has locked the space;
// nil if the space is not locked or token is the token of the lock.
func (s *Space) LockRefusal(token string) error {
	if s.Lock() == nil || s.LockToken == token {
		return nil
	}
	return &Error{Code: CodeLocked, Message: fmt.Sprintf("%q has locked the space until %s: try again later, or end the lock", s.LockName, s.LockedUntil)}
}

// WithLockToken returns a context with the token of the lock that the client holds; for an empty
// token it returns ctx.
func WithLockToken(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return context.WithValue(ctx, lockTokenKey, token)
}

// LockToken returns the token that WithLockToken set, or "".
func LockToken(ctx context.Context) string {
	token, _ := ctx.Value(lockTokenKey).(string)
	return token
}
