package sog

import (
	"context"
	"slices"
	"sync"
)

// cachedGaussians is the number of Gaussians in decoded chunks that stay in memory, at
// about 20 bytes each. It covers the chunks that share a part of space.
const cachedGaussians = 4 << 20

// cache keeps the most recently used chunks. A chunk in use is kept at any size.
//
// The lock of the cache is never held while a slot's lock is waited for, so goroutines that need
// different chunks do not wait for each other.
type cache struct {
	mu    sync.Mutex
	slots []*slot // most recently used last
}

// slot contains one chunk. Its lock is held while the chunk is decoded, so that other
// goroutines wait for the chunk instead of decoding it too.
type slot struct {
	// mu guards chunk. file and count are guarded by the lock of the cache.
	mu    sync.Mutex
	file  int
	count int64
	chunk *chunk
}

// chunk returns the chunk of a file. If it is not cached, load decodes it. The result
// of a failed load is not cached.
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
	c.evict(s, loaded.Count)
	return loaded, nil
}

// slot returns the slot of a file and makes it the most recently used.
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

// evict records the size of a slot and removes the least recently used slots while the
// cache is too large. Goroutines that use a removed chunk keep it.
func (c *cache) evict(s *slot, count int64) {
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

// clear removes all chunks.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots = nil
}
