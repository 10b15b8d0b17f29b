package graph

import (
	"context"
	"sync"
	"time"

	"portico/db"
	"portico/model"
)

// The limits of the cache.
const (
	// minShownAge is how long a change of the spaces may take to show.
	minShownAge = time.Second
	// maxShownAge is the maximum for accounts whose files take long to find.
	maxShownAge = time.Minute
	// costlyShare is the ratio between how long an answer is kept and how long it took.
	costlyShare = 20
	// maxShownAccounts is how many accounts are kept.
	maxShownAccounts = 1000
)

// ShownFiles reports which protected files everyone may read: a Public or Link Only space
// of their owner must show them. The space of another account that refers to them makes
// nothing readable. An answer is cached for a second, because a capture has hundreds of
// files. The zero value with a DB is ready.
type ShownFiles struct {
	DB *db.DB

	mu       sync.Mutex
	accounts map[string]*shownBy
}

// shownBy is what the spaces of an account show.
type shownBy struct {
	mu    sync.Mutex // held during load
	until time.Time
	ids   map[string]bool
}

// Shown reports whether everyone may read the object of the store. It is a
// storage.Shown.
func (s *ShownFiles) Shown(ctx context.Context, key string) (bool, error) {
	if model.IsAccountPicture(key) {
		return true, nil // everybody may see it, as the name of the account
	}
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return false, nil
	}
	account := s.account(userID)
	account.mu.Lock()
	defer account.mu.Unlock()
	if time.Now().After(account.until) {
		if err := s.load(ctx, userID, account); err != nil {
			return false, err
		}
	}
	return account.ids[fileID], nil
}

// load reads which files the account shows.
func (s *ShownFiles) load(ctx context.Context, userID string, account *shownBy) error {
	began := time.Now()
	ids, err := s.DB.ShownFiles(ctx, userID)
	if err != nil {
		return err
	}
	account.ids = make(map[string]bool, len(ids))
	for _, id := range ids {
		account.ids[id] = true
	}
	account.until = time.Now().Add(min(max(minShownAge, costlyShare*time.Since(began)), maxShownAge))
	return nil
}

// account returns the entry of an account. A full cache is emptied first.
func (s *ShownFiles) account(userID string) *shownBy {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts == nil || len(s.accounts) >= maxShownAccounts && s.accounts[userID] == nil {
		s.accounts = map[string]*shownBy{}
	}
	if s.accounts[userID] == nil {
		s.accounts[userID] = &shownBy{}
	}
	return s.accounts[userID]
}
