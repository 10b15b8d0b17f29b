package client

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A folder or a disk of this computer does not change while a command repeats its requests.
func TestUntilResponse_returns_the_error_of_a_file_at_once(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	missing := filepath.Join(t.TempDir(), "missing")
	calls := 0
	err := UntilResponse(ctx, func() error {
		if calls++; calls > 1 {
			cancel()
		}
		_, err := os.CreateTemp(missing, "")
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) || calls != 1 {
		t.Errorf("got %v after %d calls, want that the folder is missing after one", err, calls)
	}
}
