package s3

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portico/storage"
)

// The size and number of the blocks for random access: large enough that sequential reads
// need few requests, and few enough that memory is bounded.
const (
	blockSize = 4 << 20
	maxBlocks = 4
)

// OpenReaderAt implements storage.Store by ranged reads of blocks. If the object is replaced
// meanwhile, a read returns an error, not a mixture.
func (s *Store) OpenReaderAt(ctx context.Context, key string) (storage.ReaderAtCloser, int64, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return nil, 0, err
	}
	head, err := s.head(ctx, name)
	if err != nil {
		return nil, 0, fmt.Errorf("open %s: %w", key, err)
	}
	size := aws.ToInt64(head.ContentLength)
	return &blocks{ctx: ctx, size: size, read: s.rangeReader(key, aws.ToString(head.ETag)), cached: map[int64]*block{}}, size, nil
}

// blocks is an io.ReaderAt of one object, for any number of goroutines. It holds maxBlocks blocks
// in memory, and one more for each goroutine that waits for another block. Zips and pages are read
// in this way, without a copy on a disk.
type blocks struct {
	ctx  context.Context // of OpenReaderAt: io.ReaderAt has none
	size int64           // of the object, in bytes
	read func(ctx context.Context, offset, n int64) (io.ReadCloser, error)

	mu     sync.Mutex
	uses   int64            // the number of uses so far, by which blocks are ordered
	cached map[int64]*block // by number
}

// block is a part of the object, which is read once.
type block struct {
	once sync.Once
	data []byte
	err  error
	used int64 // the number of its last use
}

// ReadAt implements io.ReaderAt. It is fast for reads that are close together, as in the
// directory of a zip and in its files one after the other.
func (b *blocks) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("offset %d is negative", offset)
	}
	done := 0
	for done < len(p) {
		at := offset + int64(done)
		if at >= b.size {
			return done, io.EOF
		}
		data, err := b.block(at / blockSize)
		if err != nil {
			return done, err
		}
		done += copy(p[done:], data[at%blockSize:])
	}
	return done, nil
}

// block returns the bytes of a block. Concurrent callers share one read; after a failed read the
// next caller reads again. The lock is not held during the read.
func (b *blocks) block(number int64) ([]byte, error) {
	found := b.find(number)
	found.once.Do(func() { found.data, found.err = b.fetch(number) })
	if found.err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.cached[number] == found {
			delete(b.cached, number)
		}
	}
	return found.data, found.err
}

// find returns the cached block, or replaces the least recently used block with a new one.
func (b *blocks) find(number int64) *block {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, ok := b.cached[number]
	if !ok {
		if len(b.cached) >= maxBlocks {
			delete(b.cached, b.oldest())
		}
		found = &block{}
		b.cached[number] = found
	}
	b.uses++
	found.used = b.uses
	return found
}

// oldest returns the number of the least recently used block.
func (b *blocks) oldest() int64 {
	oldest, used := int64(-1), int64(0)
	for number, block := range b.cached {
		if oldest < 0 || block.used < used {
			oldest, used = number, block.used
		}
	}
	return oldest
}

// fetch reads a block, on a new connection if one breaks.
func (b *blocks) fetch(number int64) ([]byte, error) {
	offset := number * blockSize
	n := min(blockSize, b.size-offset) // the last one is smaller
	body, err := b.read(b.ctx, offset, n)
	if err != nil {
		return nil, err
	}
	r := &resumingReader{ctx: b.ctx, body: body, offset: offset, left: n, reopen: b.read}
	defer r.Close() //nolint:errcheck // read only
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("read block %d: %w", number, err)
	}
	return data, nil
}

// Close removes the blocks. There is no connection to close.
func (b *blocks) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.cached)
	return nil
}
