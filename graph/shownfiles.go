package graph

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"

	"portico/db"
	"portico/db/dial"
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

// ShownFiles reports which protected files everyone may read: a Public or Link Only space of their owner
// must show them, or they are files of the owner's assigned avatar. The space of another account that
// refers to them makes nothing readable. Which spaces show a file is cached for a second or more,
// because a capture has hundreds of files. Whether one of these spaces is still readable is never
// cached: a space that turns Private, is taken down or is deleted closes its files with the next
// request. The zero value with a DB is ready.
//
// A full cache first removes an account that shows nothing, because strangers can ask for the files
// of any number of invented accounts; otherwise the least recently used account.
//
// mu guards accounts and order. The turn of an account guards the fields of its entry: a load holds
// this turn only, so one slow account does not delay the files of the others.
type ShownFiles struct {
	DB *db.DB
	// OnlyLinked leaves out spaces that have never had a share link.
	OnlyLinked bool

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
	spaces map[string][]string // the ids of readable spaces that show a file, by its id
	linked map[string][]string // the ids of spaces with share links that show a file, by its id
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
	spaces, _, err := s.spacesOf(ctx, userID, fileID, time.Time{})
	if err != nil || len(spaces) == 0 {
		return false, err
	}
	if readable, err := s.DB.Spaces().AnyReadable(ctx, spaces); err != nil || readable {
		return readable, err
	}
	// Another space may show the file, such as one that the list of spaces has no place for.
	spaces, _, err = s.spacesOf(ctx, userID, fileID, start)
	return len(spaces) > 0, err
}

// ShownByLink reports whether a space shows the file that one of the share links opens now. It is a
// door.LinkRule. Which spaces show a file is cached as in Shown, and whether a link is open is not.
func (s *ShownFiles) ShownByLink(ctx context.Context, key string, links []string) (bool, error) {
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return false, nil
	}
	start := time.Now()
	accesses := make([]model.LinkAccess, len(links))
	for i, link := range links {
		accesses[i] = model.ParseLinkAccess(link)
	}
	opened, err := s.DB.ShareLinks().SpacesOfOpenLinks(ctx, accesses)
	if err != nil || len(opened) == 0 {
		return false, err
	}
	// The second time because the cached list may be older than the file in the space.
	for _, notBefore := range []time.Time{{}, start} {
		_, linked, err := s.spacesOf(ctx, userID, fileID, notBefore)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(linked, func(id string) bool { return slices.Contains(opened, id) }) {
			return true, nil
		}
	}
	return false, nil
}

// LinkedFiles reports which files everybody may read where files are not protected: all but those
// that only Private spaces with share links show.
type LinkedFiles struct {
	// Shown knows all readable spaces. Linked has OnlyLinked, so that most files cost nothing.
	Shown, Linked *ShownFiles
}

// IsOpen reports whether everybody may read the object. It is a door.ReadRule.
func (f *LinkedFiles) IsOpen(ctx context.Context, key string) (bool, error) {
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return true, nil
	}
	_, linked, err := f.Linked.spacesOf(ctx, userID, fileID, time.Time{})
	if err != nil || len(linked) == 0 {
		return err == nil, err
	}
	return f.Shown.Shown(ctx, key)
}

// spacesOf returns the ids of readable spaces that show the file, and of spaces with share links that
// do, read at notBefore or later.
//
// Requests that have waited for a load that failed return its error. Otherwise each of them would
// repeat a query that may fail only at the time limit of the database, one after the other.
func (s *ShownFiles) spacesOf(ctx context.Context, userID, fileID string, notBefore time.Time) (readable, linked []string, err error) {
	s.once.Do(func() { s.turns.Share = 1 })
	turn, err := s.turns.Wait(ctx, userID, 1, nil)
	if err != nil {
		return nil, nil, err
	}
	defer turn.Leave()
	account := s.account(userID)
	isOld := account.err == nil && account.loaded.Before(notBefore)
	if time.Now().After(account.until) || isOld {
		s.load(ctx, account)
	}
	if len(account.spaces) == 0 && len(account.linked) == 0 {
		s.removeFirst(account)
	}
	return account.spaces[fileID], account.linked[fileID], account.err
}

// load reads which files the account shows. An error because the request has ended says nothing
// about the next one, so it is not cached.
func (s *ShownFiles) load(ctx context.Context, account *shownBy) {
	start := time.Now()
	files, err := s.DB.Spaces().ShownFiles(ctx, account.userID, s.OnlyLinked)
	if s.OnlyLinked && account.spaces != nil && dial.Unavailable(err) {
		// In an outage, what was protected stays protected, and what was open stays open.
		account.until = time.Now().Add(minShownAge)
		return
	}
	account.loaded, account.err = start, err
	account.spaces, account.linked = make(map[string][]string, len(files)), map[string][]string{}
	for _, file := range files {
		if len(file.SpaceIDs) > 0 {
			account.spaces[file.ID] = file.SpaceIDs
		}
		if len(file.LinkedIDs) > 0 {
			account.linked[file.ID] = file.LinkedIDs
		}
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
