package limit

import (
	"context"
	"sync"
	"time"

	"portico/internal/counter"
)

// scopedSubject identifies a window: each subject has one for each scope.
type scopedSubject struct {
	subject Subject
	scope   Scope
}

// memory counts in this process, with up to 25 MB for addresses and as much for accounts. Requests
// drop expired windows. Above counter.MaxWindows, the oldest windows are dropped, expired or not.
// Accounts and addresses are separate, so that a client with millions of addresses can only
// displace windows of other addresses.
type memory struct {
	limits map[Scope]int
	now    func() time.Time

	mu        sync.Mutex
	users     counter.Windows[scopedSubject]
	addresses counter.Windows[scopedSubject]
}

func newMemory(limits map[Scope]int, now func() time.Time) *memory {
	return &memory{
		limits: limits, now: now,
		users: counter.NewWindows[scopedSubject](window), addresses: counter.NewWindows[scopedSubject](window),
	}
}

// take implements store; it never fails.
func (m *memory) take(_ context.Context, subject Subject, charged []charge) (shortage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	windows, now := &m.addresses, m.now()
	if subject.isUser() {
		windows = &m.users
	}
	windows.DropExpired(now)
	var short shortage
	for _, c := range charged {
		key, limit := scopedSubject{subject, c.scope}, m.limits[c.scope]
		if wait := windows.Wait(key, c.count, limit, now); wait > short.wait && !c.forced {
			short = shortage{charge: c, remaining: max(limit-windows.Count(key, now), 0), wait: wait}
		}
	}
	if short.wait > 0 {
		return short, nil
	}
	for _, c := range charged {
		windows.Add(scopedSubject{subject, c.scope}, c.count, now)
	}
	return shortage{}, nil
}
