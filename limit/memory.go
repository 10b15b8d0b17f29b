package limit

import (
	"context"
	"sync"
	"time"
)

// scopedSubject identifies a window: each subject has one for each scope.
type scopedSubject struct {
	subject Subject
	scope   Scope
}

// memory counts in this process, with up to 25 MB for addresses and as much for accounts:
// requests drop expired windows, and above maxWindows the oldest are dropped, expired or
// not. Accounts and addresses are separate, so that a client with millions of addresses can
// displace windows of addresses only.
type memory struct {
	now func() time.Time

	mu        sync.Mutex
	users     windows[scopedSubject]
	addresses windows[scopedSubject]
}

func newMemory(now func() time.Time) *memory {
	return &memory{now: now, users: newWindows[scopedSubject](window), addresses: newWindows[scopedSubject](window)}
}

// take implements store; it never fails.
func (m *memory) take(_ context.Context, subject Subject, charged []charge) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	open, now := &m.addresses, m.now()
	if subject.isUser() {
		open = &m.users
	}
	open.dropExpired(now)
	var wait time.Duration
	for _, c := range charged {
		wait = max(wait, open.wait(scopedSubject{subject, c.scope}, c.count, limits[c.scope], now))
	}
	if wait > 0 {
		return wait, nil
	}
	for _, c := range charged {
		open.add(scopedSubject{subject, c.scope}, c.count, now)
	}
	return 0, nil
}
