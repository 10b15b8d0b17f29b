package graph

import (
	"context"
	"sync"
	"time"

	"portico/db"
	"portico/model"
)

// The ages of what is remembered of an account.
const (
	// shownAge is how long a file may be read, or not, after a change of its spaces.
	shownAge = time.Second
	// longestShownAge bounds it for accounts that take long to look through.
	longestShownAge = time.Minute
	// costlyShare is how many times longer an answer is remembered than it took.
	costlyShare = 20
	// mostShown is how many accounts are remembered.
	mostShown = 1000
)

// ShownFiles knows which files everyone may read where files are protected: those that
// a Public or Link Only space of their owner shows. A space of somebody else that has
// their address shows nothing. It remembers for a second, since a capture is hundreds
// of files. The zero value with a DB is ready.
type ShownFiles struct {
	DB *db.DB

	mu       sync.Mutex
	accounts map[string]*shownBy
}

// shownBy is what the spaces of an account show.
type shownBy struct {
	mu    sync.Mutex // held while it is looked through
	until time.Time
	ids   map[string]bool
}

// Shown reports whether everyone may read the object of the store. It is a
// storage.Shown.
func (s *ShownFiles) Shown(ctx context.Context, key string) (bool, error) {
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return false, nil
	}
	account := s.account(userID)
	account.mu.Lock()
	defer account.mu.Unlock()
	if time.Now().After(account.until) {
		if err := s.look(ctx, userID, account); err != nil {
			return false, err
		}
	}
	return account.ids[fileID], nil
}

// look reads anew what an account shows.
func (s *ShownFiles) look(ctx context.Context, userID string, account *shownBy) error {
	began := time.Now()
	ids, err := s.DB.ShownFiles(ctx, userID)
	if err != nil {
		return err
	}
	account.ids = make(map[string]bool, len(ids))
	for _, id := range ids {
		account.ids[id] = true
	}
	account.until = time.Now().Add(min(max(shownAge, costlyShare*time.Since(began)), longestShownAge))
	return nil
}

// account returns the entry of an account, and forgets all others when there are many.
func (s *ShownFiles) account(userID string) *shownBy {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts == nil || len(s.accounts) >= mostShown && s.accounts[userID] == nil {
		s.accounts = map[string]*shownBy{}
	}
	if s.accounts[userID] == nil {
		s.accounts[userID] = &shownBy{}
	}
	return s.accounts[userID]
}
