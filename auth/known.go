package auth

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// maxKnownKeys limits the memory of knownKeys to about 2 MB.
const maxKnownKeys = 10_000

// knownKeys caches the owners of the keys that this process used last, by the hash of the key. The
// key id and the owner of a hash never change, so an entry is never stale. Whether the key is
// still valid is read for each request.
//
// It saves the query for the owner, not the check: statements on entities check the key themselves,
// and CheckKey does for the others.
type knownKeys struct {
	maxKeys int

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]*list.Element // the values of the elements are knownKey
	recent *list.List                          // most recently used first
}

// knownKey is an entry of the cache.
type knownKey struct {
	hash  [sha256.Size]byte
	owner keyOwner
}

type keyOwner struct{ keyID, userID string }

// newKnownKeys returns an empty cache for this many keys.
func newKnownKeys(maxKeys int) *knownKeys {
	return &knownKeys{maxKeys: maxKeys, byHash: map[[sha256.Size]byte]*list.Element{}, recent: list.New()}
}

// ownerOf returns the owner of a key, and whether it is known.
func (k *knownKeys) ownerOf(hash [sha256.Size]byte) (keyOwner, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	element, ok := k.byHash[hash]
	if !ok {
		return keyOwner{}, false
	}
	k.recent.MoveToFront(element)
	return element.Value.(knownKey).owner, true
}

// add adds the owner of a key. If the cache is full, it removes the least recently used key.
func (k *knownKeys) add(hash [sha256.Size]byte, owner keyOwner) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if element, ok := k.byHash[hash]; ok {
		k.recent.MoveToFront(element)
		return // the owner of a hash never changes
	}
	k.byHash[hash] = k.recent.PushFront(knownKey{hash, owner})
	if k.recent.Len() > k.maxKeys {
		k.delete(k.recent.Back())
	}
}

// remove removes a revoked key, so that its next request is refused before it counts in the limits
// of the account.
func (k *knownKeys) remove(hash [sha256.Size]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if element, ok := k.byHash[hash]; ok {
		k.delete(element)
	}
}

// delete removes an entry from the map and from the list. The caller holds the lock.
func (k *knownKeys) delete(element *list.Element) {
	delete(k.byHash, k.recent.Remove(element).(knownKey).hash)
}
