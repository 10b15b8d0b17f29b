package settings

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestSecret_is_made_once(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: t.TempDir()}
	var secrets [16][]byte
	var starts sync.WaitGroup
	for i := range secrets {
		starts.Go(func() {
			var err error
			if secrets[i], err = c.LoadSecret(); err != nil {
				t.Error(err)
			}
		})
	}
	starts.Wait()
	for _, got := range secrets {
		if string(got) != string(secrets[0]) || len(got) < 32 {
			t.Errorf("got %d bytes, want the same secret for all", len(got))
		}
	}
	info, err := os.Stat(filepath.Join(c.DataDir, "secret"))
	check(t, err)
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode: got %o, want 600", got)
	}
	entries, err := os.ReadDir(c.DataDir)
	check(t, err)
	if len(entries) != 1 {
		t.Errorf("files: got %v, want the secret alone", entries)
	}
}

func TestSecret_refuses_a_damaged_file(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: t.TempDir()}
	check(t, os.WriteFile(filepath.Join(c.DataDir, "secret"), []byte("x\n"), 0o600))
	if _, err := c.LoadSecret(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v, want it to be called damaged", err)
	}
}
