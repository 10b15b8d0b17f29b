package mcp

import "sync"

// How many calls of a kind go on at a time in this process: enough for agents
// that work side by side, too few to fill the disk, the line or the memory.
const (
	mostDownloads       = 32
	mostDownloadsOfUser = 4
	mostWaits           = 2000
	mostWaitsOfUser     = 50
)

// slots counts calls that go on.
type slots struct {
	most, mostOfUser int

	mu    sync.Mutex
	all   int
	users map[string]int // only users who have some
}

func newSlots(most, mostOfUser int) *slots {
	return &slots{most: most, mostOfUser: mostOfUser, users: map[string]int{}}
}

// take takes a slot for the user until release is called; false when all that
// there are for the user are taken.
func (s *slots) take(userID string) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.most || s.users[userID] >= s.mostOfUser {
		return nil, false
	}
	s.all++
	s.users[userID]++
	return func() { s.release(userID) }, true
}

func (s *slots) release(userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.users[userID]--; s.users[userID] == 0 {
		delete(s.users, userID)
	}
}
