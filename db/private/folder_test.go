package private

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Of two processes that start at once, one gives the new folder to the account and fills it, while
// the other looks at it.
func TestOwnFolder_by_two_processes_at_once(t *testing.T) {
	t.Parallel()
	needRoot(t)
	a, err := accountFor()
	if err != nil {
		t.Fatalf("accountFor: %v", err)
	}
	parent := t.TempDir()
	for i := range 3000 {
		folder := filepath.Join(parent, strconv.Itoa(i))
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if err := a.ownFolder(folder); err != nil {
					t.Errorf("ownFolder: %v", err)
				} else if err := os.WriteFile(filepath.Join(folder, "lock"), nil, 0o600); err != nil {
					t.Errorf("WriteFile: %v", err)
				}
			})
		}
		both.Wait()
	}
}
