package storage

import "sync"

// mostSenders is how many uploads to one address may run at a time: one, and those
// that a client gave up before the server knew. Each takes room on the disk, which
// was promised once.
const mostSenders = 8

// senders counts the uploads that run, by their key. The zero value is ready.
type senders struct {
	mu      sync.Mutex
	running map[string]int // only keys that have some
}

// enter counts one more, or refuses it. Leave when the upload has ended.
func (s *senders) enter(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[key] >= mostSenders {
		return false
	}
	if s.running == nil {
		s.running = map[string]int{}
	}
	s.running[key]++
	return true
}

func (s *senders) leave(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[key]--; s.running[key] == 0 {
		delete(s.running, key)
	}
}
