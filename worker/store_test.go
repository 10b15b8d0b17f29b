package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"portico/storage"
)

// stalling is a store whose Put number after+1 stops in the middle of its object, until it is
// released or its context ends, as in a very slow process.
type stalling struct {
	storage.Store
	after    int64
	puts     atomic.Int64
	once     sync.Once
	stalled  chan struct{} // closed when it stops
	released chan struct{} // closed by the test
}

func stallAfter(store storage.Store, objects int64) *stalling {
	return &stalling{Store: store, after: objects, stalled: make(chan struct{}), released: make(chan struct{})}
}

// Put implements storage.Store.
func (s *stalling) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if s.puts.Add(1) == s.after+1 {
		r = &stallingReader{ctx: ctx, s: s, r: r}
	}
	return s.Store.Put(ctx, key, r)
}

// stallingReader returns a few bytes, then waits, and then returns the other bytes.
type stallingReader struct {
	ctx     context.Context
	s       *stalling
	r       io.Reader
	started bool
}

func (r *stallingReader) Read(p []byte) (int, error) {
	if !r.started {
		r.started = true
		return r.r.Read(p[:min(len(p), 10)])
	}
	r.s.once.Do(func() { close(r.s.stalled) })
	select {
	case <-r.s.released:
	case <-r.ctx.Done():
	}
	return r.r.Read(p)
}

// trouble is a store that calls a function of the test instead of Put.
type trouble struct {
	storage.Store
	put func() error
}

// Put implements storage.Store.
func (s trouble) Put(context.Context, string, io.Reader) (int64, error) { return 0, s.put() }

// lost is a store to which nothing can be written.
type lost struct{ storage.Store }

func (lost) unavailable() error { return fmt.Errorf("put: %w", storage.ErrUnavailable) }

// Put implements storage.Store.
func (s lost) Put(context.Context, string, io.Reader) (int64, error) {
	return 0, s.unavailable()
}

// Ping implements storage.Store.
func (s lost) Ping(context.Context) error { return s.unavailable() }

// torn is a store that becomes unavailable after a number of reads of a zip.
type torn struct {
	storage.Store
	good atomic.Int64
}

// OpenReaderAt implements storage.Store.
func (s *torn) OpenReaderAt(ctx context.Context, key string) (storage.ReaderAtCloser, int64, error) {
	r, size, err := s.Store.OpenReaderAt(ctx, key)
	return &tornReader{r, &s.good}, size, err
}

// Ping implements storage.Store.
func (s *torn) Ping(ctx context.Context) error {
	if s.good.Load() < 0 {
		return storage.ErrUnavailable
	}
	return s.Store.Ping(ctx)
}

type tornReader struct {
	storage.ReaderAtCloser
	good *atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (r *tornReader) ReadAt(p []byte, offset int64) (int, error) {
	if r.good.Add(-1) < 0 {
		return 0, fmt.Errorf("read: %w", storage.ErrUnavailable)
	}
	return r.ReaderAtCloser.ReadAt(p, offset)
}

// failing is a store whose Put fails after a number of calls.
type failing struct {
	storage.Store
	good int
}

// Put implements storage.Store.
func (s *failing) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if s.good--; s.good < 0 {
		return 0, errors.New("the disk hums")
	}
	return s.Store.Put(ctx, key, r)
}
