package private

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

func TestEnsurePassword_creates_one_password(t *testing.T) {
	t.Parallel()
	p := location{folder: t.TempDir(), account: account{uid: os.Geteuid()}}
	if _, err := readPassword(p); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before there is one: got %v, want %v", err, fs.ErrNotExist)
	}
	// A start was killed while it wrote the password.
	if err := os.WriteFile(p.path("password.new"), []byte("half of a very long pass"), 0o600); err != nil {
		t.Fatalf("WriteFile: %v", err)
	}
	first, err := ensurePassword(p)
	if err != nil {
		t.Fatalf("ensurePassword: %v", err)
	}
	// 128 bits in base32.
	if got, want := len(first), 26; got != want {
		t.Errorf("length of %q: got %d, want %d", first, got, want)
	}
	for name, read := range map[string]func(location) (string, error){"ensure": ensurePassword, "read": readPassword} {
		if got, err := read(p); err != nil || got != first {
			t.Errorf("%s again: got %q, %v, want %q", name, got, err, first)
		}
	}
	info, err := os.Stat(p.path("password"))
	if err != nil {
		t.Fatalf("Stat: %v", err)
	}
	if got, want := info.Mode(), fs.FileMode(0o600); got != want {
		t.Errorf("mode: got %v, want %v", got, want)
	}
}
