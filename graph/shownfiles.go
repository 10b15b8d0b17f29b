package graph

import (
	"container/list"
	"context"
	"sync"
	"time"

	"portico/db"
	"portico/internal/semaphore"
	"portico/model"
)

// The limits of the cache of ShownFiles.
const (
	// minShownAge is how long the list of an account's shown files is cached.
	minShownAge = time.Second
	// maxShownAge is the maximum for accounts whose files take long to find.
	maxShownAge = time.Minute
	// shownAgeFactor times the duration of the query is the time for which its result is cached,
	// so that the queries of an account take at most a twentieth of the time. An error is cached
	// for the duration of the query only, so that a fault that has passed is noticed soon.
	shownAgeFactor = 20
	// maxShownAccounts is the maximum number of accounts in the cache.
	maxShownAccounts = 1000
)

// ShownFiles reports which protected files everyone may read: a Public or Link Only space
// of their owner must show them, or they are files of the owner's assigned avatar. The space of another account that refers to them makes
// nothing readable. Which spaces show a file is cached for a second or more, because a capture
// has hundreds of files. Whether one of these spaces is still readable is never cached: a space
// that turns Private, is taken down or is deleted closes its files with the next request. The
// zero value with a DB is ready.
//
// A full cache first removes an account that shows nothing, because strangers can ask for the files
// of any number of invented accounts; otherwise the least recently used account.
//
// mu guards accounts and order. The turn of an account guards the fields of its entry: a load holds
// this turn only, so one slow account does not delay the files of the others.
type ShownFiles struct {
	DB *db.DB

	once     sync.Once // sets the share of turns
	turns    semaphore.Room
	mu       sync.Mutex
	accounts map[string]*list.Element // the values of the elements are *shownBy
	order    list.List                // the last one is the next to be removed
}

// shownBy is what the spaces of an account show.
type shownBy struct {
	userID string

	loaded time.Time           // when the last load started
	until  time.Time           // until when the result of the last load, or its error, is used
	spaces map[string][]string // the ids of spaces that show a file, by its id
	err    error               // of the last load; nil if it succeeded
}

// Shown reports whether everyone may read the object of the store. It is a
// door.ReadRule.
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
	if shown, err := s.shownInSpace(ctx, userID, fileID); err != nil || shown {
		return shown, err
	}
	return s.DB.Accounts().ShowsAsAvatar(ctx, userID, fileID)
}

// shownInSpace reports whether a readable space of the account shows the file.
func (s *ShownFiles) shownInSpace(ctx context.Context, userID, fileID string) (bool, error) {
	start := time.Now()
	spaces, err := s.spacesOf(ctx, userID, fileID, time.Time{})
	if err != nil || len(spaces) == 0 {
		return false, err
	}
	if readable, err := s.DB.Spaces().AnyReadable(ctx, spaces); err != nil || readable {
		return readable, err
	}
	// Another space may show the file, such as one that the list of spaces has no place for.
	spaces, err = s.spacesOf(ctx, userID, fileID, start)
	return len(spaces) > 0, err
}

// spacesOf returns the ids of readable spaces that show the file, read at notBefore or later.
//
// Requests that have waited for a load that failed return its error. Otherwise each of them would
// repeat a query that may fail only at the time limit of the database, one after the other.
func (s *ShownFiles) spacesOf(ctx context.Context, userID, fileID string, notBefore time.Time) ([]string, error) {
	s.once.Do(func() { s.turns.Share = 1 })
	turn, err := s.turns.Wait(ctx, userID, 1, nil)
	if err != nil {
		return nil, err
	}
	defer turn.Leave()
	account := s.account(userID)
	isOld := account.err == nil && account.loaded.Before(notBefore)
	if time.Now().After(account.until) || isOld {
		s.load(ctx, account)
	}
	if len(account.spaces) == 0 {
		s.removeFirst(account)
	}
	return account.spaces[fileID], account.err
}

// load reads which files the account shows. An error because the request has ended says nothing
// about the next one, so it is not cached.
func (s *ShownFiles) load(ctx context.Context, account *shownBy) {
	start := time.Now()
	files, err := s.DB.Spaces().ShownFiles(ctx, account.userID)
	account.loaded, account.err = start, err
	account.spaces = make(map[string][]string, len(files))
	for _, file := range files {
		account.spaces[file.ID] = file.SpaceIDs
	}
	age := time.Since(start)
	if err == nil {
		age *= shownAgeFactor
	}
	account.until = time.Now().Add(min(max(minShownAge, age), maxShownAge))
	if ctx.Err() != nil {
		account.until = time.Time{}
	}
}

// account returns the entry of an account.
func (s *ShownFiles) account(userID string) *shownBy {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element, ok := s.accounts[userID]; ok {
		s.order.MoveToFront(element)
		return element.Value.(*shownBy)
	}
	if s.accounts == nil {
		s.accounts = map[string]*list.Element{}
	}
	if s.order.Len() >= maxShownAccounts {
		delete(s.accounts, s.order.Remove(s.order.Back()).(*shownBy).userID)
	}
	account := &shownBy{userID: userID}
	s.accounts[userID] = s.order.PushFront(account)
	return account
}

// removeFirst makes the entry the next one that a full cache removes.
func (s *ShownFiles) removeFirst(account *shownBy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element, ok := s.accounts[account.userID]; ok && element.Value == account {
		s.order.MoveToBack(element)
	}
}
