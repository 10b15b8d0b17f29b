package limit

import (
	"context"
	"sync"
	"time"
)

// memory counts in this process. It takes about 25 MB for addresses at most, and
// as much for accounts, however many there are: expired windows are dropped as
// requests come, and beyond maxWindows the oldest go, expired or not. Accounts and
// addresses are kept apart, so that someone with millions of addresses can push
// out the windows of addresses only.
type memory struct {
	now func() time.Time

	mu        sync.Mutex
	users     windows
	addresses windows
}

func newMemory(now func() time.Time) *memory {
	return &memory{
		now:       now,
		users:     windows{byName: map[name]*counter{}},
		addresses: windows{byName: map[name]*counter{}},
	}
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
		wait = max(wait, open.wait(name{subject, c.scope}, c.count, now))
	}
	if wait > 0 {
		return wait, nil
	}
	for _, c := range charged {
		open.add(name{subject, c.scope}, c.count, now)
	}
	return 0, nil
}
