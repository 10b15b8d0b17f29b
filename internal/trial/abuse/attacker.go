package main

import (
	"context"
	"sync"
	"time"
)

// attackerQuota is the storage of an attacker whose storage does not matter, in bytes.
const attackerQuota = 1 << 30

// attacker adds an account and returns a client with its key. The client is closed at
// the end of the scenario.
func (s *site) attacker(ctx context.Context, quota int64) (*client, error) {
	user, err := s.world.newUserWithQuota(ctx, quota)
	if err != nil {
		return nil, err
	}
	c := newClient(s.server, user.key)
	s.clients = append(s.clients, c)
	return c, nil
}

// attackerWithSpace adds an account with a space and returns a client and the space's id.
func (s *site) attackerWithSpace(ctx context.Context, privacy string) (*client, string, error) {
	c, err := s.attacker(ctx, attackerQuota)
	if err != nil {
		return nil, "", err
	}
	space, err := c.createSpace(ctx, privacy)
	return c, space, err
}

// closeClients closes the connections of all attackers.
func (s *site) closeClients() {
	for _, c := range s.clients {
		c.close()
	}
}

// runInParallel calls do for every item, n calls at a time. It returns the duration of the
// slowest call and the first of the errors; an error does not stop the other calls.
func runInParallel[T any](n int, items []T, do func(T) error) (slowest time.Duration, err error) {
	var (
		mu    sync.Mutex
		calls sync.WaitGroup
		errs  []error
	)
	next := make(chan T)
	for range n {
		calls.Go(func() {
			for item := range next {
				start := time.Now()
				err := do(item)
				took := time.Since(start)
				mu.Lock()
				slowest, errs = max(slowest, took), append(errs, err)
				mu.Unlock()
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	calls.Wait()
	return slowest, firstError(errs)
}

// numbers returns the numbers below n, the items of calls that differ in nothing else.
func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
