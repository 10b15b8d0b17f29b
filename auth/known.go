package auth

import (
	"crypto/sha256"

	lru "github.com/hashicorp/golang-lru/v2"
)

// maxKnownKeys limits the memory of knownKeys to about 2 MB.
const maxKnownKeys = 10_000

// knownKeys remembers whose keys this process has seen, by the hash of the key. Key and owner of
// a hash never change, so what it remembers is never stale. Whether the key is still valid is
// read for each request.
type knownKeys struct {
	byHash *lru.Cache[[sha256.Size]byte, keyOwner]
}

// keyOwner is a key and its account.
type keyOwner struct{ keyID, userID string }

func newKnownKeys() *knownKeys {
	byHash, _ := lru.New[[sha256.Size]byte, keyOwner](maxKnownKeys) // fails for a size below 1 only
	return &knownKeys{byHash}
}

func (k *knownKeys) get(hash [sha256.Size]byte) (keyOwner, bool) { return k.byHash.Get(hash) }

func (k *knownKeys) add(hash [sha256.Size]byte, owner keyOwner) { k.byHash.Add(hash, owner) }

// remove forgets a revoked key, so that its next request is refused before it counts in the
// limits of the account.
func (k *knownKeys) remove(hash [sha256.Size]byte) { k.byHash.Remove(hash) }
