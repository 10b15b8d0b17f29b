package auth

import (
	"crypto/sha256"
	"testing"
)

func TestKnownKeys_removes_the_least_recently_used_key(t *testing.T) {
	t.Parallel()
	known := newKnownKeys(2)
	hash := func(key string) [sha256.Size]byte { return sha256.Sum256([]byte(key)) }
	known.add(hash("a"), keyOwner{"1", "ada"})
	known.add(hash("b"), keyOwner{"2", "bob"})
	if got, ok := known.ownerOf(hash("a")); !ok || got.userID != "ada" {
		t.Errorf("a: got %+v %v, want ada's key", got, ok)
	}
	known.add(hash("c"), keyOwner{"3", "cyd"})
	known.remove(hash("c"))
	known.remove(hash("c"))
	for key, want := range map[string]bool{"a": true, "b": false, "c": false} {
		if _, got := known.ownerOf(hash(key)); got != want {
			t.Errorf("%s is known: got %v, want %v", key, got, want)
		}
	}
	if len(known.byHash) != 1 || known.recent.Len() != 1 {
		t.Errorf("entries: got %d and %d, want 1", len(known.byHash), known.recent.Len())
	}
}
