package sog

import (
	"context"
	"sync"
)

// group does things side by side that end with the first error.
type group struct {
	parent, ctx context.Context
	cancel      context.CancelFunc
	running     sync.WaitGroup
	once        sync.Once
	err         error
}

// newGroup returns a group whose work ends with the context, too. It must be waited
// for.
func newGroup(ctx context.Context) *group {
	g := &group{parent: ctx}
	g.ctx, g.cancel = context.WithCancel(ctx)
	return g
}

// do calls f on a goroutine of its own. Its context ends with the first error.
func (g *group) do(f func(context.Context) error) {
	g.running.Go(func() {
		if err := f(g.ctx); err != nil {
			g.once.Do(func() { g.err = err })
			g.cancel()
		}
	})
}

// wait returns the first error after all have ended, that of the context before
// others.
func (g *group) wait() error {
	g.running.Wait()
	g.cancel()
	if err := g.parent.Err(); err != nil {
		return err
	}
	return g.err
}
