package sog

import (
	"context"
	"slices"
	"sync"
)

// cachedGaussians is how many Gaussians of decoded chunks are kept, at about 20
// bytes each: those of the chunks that a part of space may lie in.
const cachedGaussians = 4 << 20

// cache keeps the chunks that were used last. The one used now is always kept,
// however large it is.
type cache struct {
	mu    sync.Mutex
	slots []*slot // the latest last
}

// slot is the place of one chunk. Its lock is held while it is decoded, so that
// others who want the same wait instead of decoding it too.
type slot struct {
	mu    sync.Mutex
	file  int
	count int64
	chunk *chunk
}

// chunk returns the chunk of a file, which load decodes if it is not there. A
// load that fails leaves nothing behind.
func (c *cache) chunk(ctx context.Context, file int, load func(context.Context) (*chunk, error)) (*chunk, error) {
	// The cache's own lock is not held while a chunk is decoded.
	s := c.slot(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chunk != nil {
		return s.chunk, nil
	}
	loaded, err := load(ctx)
	if err != nil {
		return nil, err
	}
	s.chunk = loaded
	c.shrink(s, loaded.Count)
	return loaded, nil
}

// slot returns the place of a file's chunk and makes it the latest.
func (c *cache) slot(file int) *slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &slot{file: file}
	if i := slices.IndexFunc(c.slots, func(s *slot) bool { return s.file == file }); i >= 0 {
		s = c.slots[i]
		c.slots = slices.Delete(c.slots, i, i+1)
	}
	c.slots = append(c.slots, s)
	return s
}

// shrink notes how large a slot has become and forgets the oldest ones while all
// together are too large. Whoever uses one of them still has its chunk.
func (c *cache) shrink(s *slot, count int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.count = count
	total := int64(0)
	for _, other := range c.slots {
		total += other.count
	}
	for len(c.slots) > 1 && total > cachedGaussians && c.slots[0] != s {
		total -= c.slots[0].count
		c.slots = slices.Delete(c.slots, 0, 1)
	}
}

// clear forgets all chunks.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots = nil
}
