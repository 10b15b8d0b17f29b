package sog

import (
	"context"
	"sync"
)

// taskGroup runs functions concurrently and cancels them at the first error. start may be called
// until wait.
type taskGroup struct {
	parent, ctx context.Context
	cancel      context.CancelFunc
	running     sync.WaitGroup
	once        sync.Once
	err         error
}

// newTaskGroup returns a group whose functions are also canceled with the context. The
// caller must call wait.
func newTaskGroup(ctx context.Context) *taskGroup {
	g := &taskGroup{parent: ctx}
	g.ctx, g.cancel = context.WithCancel(ctx)
	return g
}

// start calls f on its own goroutine. The context of f is canceled at the first error.
func (g *taskGroup) start(f func(context.Context) error) {
	g.running.Go(func() {
		if err := f(g.ctx); err != nil {
			g.once.Do(func() { g.err = err })
			g.cancel()
		}
	})
}

// wait waits for all functions. It returns the context's error if there is one, else the
// first error of a function: after a cancellation, the functions' own errors are only
// its consequences.
func (g *taskGroup) wait() error {
	g.running.Wait()
	g.cancel()
	if err := g.parent.Err(); err != nil {
		return err
	}
	return g.err
}
