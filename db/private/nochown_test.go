package private

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/nochown"
)

// A share of NFS or SMB lets no owner be changed. The cluster is then where the server's user can own it.
func TestFindLocation_leaves_a_data_folder_without_owners(t *testing.T) {
	t.Parallel()
	needRoot(t)
	data, fallback := filepath.Join(nochown.Folder(t), "data"), filepath.Join(t.TempDir(), "fallback")
	for range 2 {
		found, err := findLocation(data, fallback)
		if err != nil {
			t.Fatalf("findLocation: %v", err)
		}
		if !found.outsideDataFolder || !strings.HasPrefix(found.folder, fallback) {
			t.Errorf("got %+v, want a folder in %s", found, fallback)
		}
	}
	left, err := os.ReadDir(data)
	if err != nil || len(left) != 1 || left[0].Name() != "postgres" {
		t.Errorf("data folder: got %v, %v, want only the link", left, err)
	}
}
