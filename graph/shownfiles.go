package graph

import (
	"context"
	"sync"
	"time"

	"portico/db"
	"portico/model"
)

// The limits of the cache of ShownFiles.
const (
	// minShownAge is how long the list of an account's shown files is cached.
	minShownAge = time.Second
	// maxShownAge is the maximum for accounts whose files take long to find.
	maxShownAge = time.Minute
	// shownAgeFactor times the duration of the query is the time for which its result is cached,
	// so that the queries of an account take at most a twentieth of the time.
	shownAgeFactor = 20
	// maxShownAccounts is the maximum number of accounts in the cache.
	maxShownAccounts = 1000
)

// ShownFiles reports which protected files everyone may read: a Public or Link Only space
// of their owner must show them. The space of another account that refers to them makes
// nothing readable. Which spaces show a file is cached for a second or more, because a capture
// has hundreds of files. Whether one of these spaces is still readable is never cached: a space
// that turns Private, is taken down or is deleted closes its files with the next request. The
// zero value with a DB is ready.
//
// mu guards accounts, and the mu of an entry its fields. A load holds the lock of its account only,
// so one slow account does not delay the files of the others.
type ShownFiles struct {
	DB *db.DB

	mu       sync.Mutex
	accounts map[string]*shownBy
}

// shownBy is what the spaces of an account show.
type shownBy struct {
	mu     sync.Mutex // held during load
	loaded time.Time  // when the last load started
	until  time.Time
	spaces map[string][]string // the ids of spaces that show a file, by its id
}

// Shown reports whether everyone may read the object of the store. It is a
// storage.Shown.
//
// A file that was just put into a readable space is readable within minShownAge, or at once if the
// cache has no other space for it.
func (s *ShownFiles) Shown(ctx context.Context, key string) (bool, error) {
	if model.IsAccountPicture(key) {
		return true, nil // everybody may see it, as the name of the account
	}
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return false, nil
	}
	start := time.Now()
	spaces, err := s.spacesOf(ctx, userID, fileID, time.Time{})
	if err != nil || len(spaces) == 0 {
		return false, err
	}
	if readable, err := s.DB.AnyReadable(ctx, spaces); err != nil || readable {
		return readable, err
	}
	// Another space may show the file, such as one that the list of spaces has no place for.
	spaces, err = s.spacesOf(ctx, userID, fileID, start)
	return len(spaces) > 0, err
}

// spacesOf returns the ids of readable spaces that show the file, read at this time or
// later.
func (s *ShownFiles) spacesOf(ctx context.Context, userID, fileID string, after time.Time) ([]string, error) {
	account := s.account(userID)
	account.mu.Lock()
	defer account.mu.Unlock()
	if time.Now().After(account.until) || account.loaded.Before(after) {
		if err := s.load(ctx, userID, account); err != nil {
			return nil, err
		}
	}
	return account.spaces[fileID], nil
}

// load reads which files the account shows.
func (s *ShownFiles) load(ctx context.Context, userID string, account *shownBy) error {
	start := time.Now()
	files, err := s.DB.ShownFiles(ctx, userID)
	if err != nil {
		return err
	}
	account.spaces = make(map[string][]string, len(files))
	for _, file := range files {
		account.spaces[file.ID] = file.SpaceIDs
	}
	account.loaded = start
	account.until = time.Now().Add(min(max(minShownAge, shownAgeFactor*time.Since(start)), maxShownAge))
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
