package private

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"portico/internal/durable"
)

// readPassword returns the password of an existing cluster.
func readPassword(p location) (string, error) {
	text, err := os.ReadFile(p.path("password"))
	if err != nil {
		return "", fmt.Errorf("read the password of the cluster: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// ensurePassword returns the password for a new cluster. It writes the password before the
// cluster is created, so that no cluster is without its password. It uses a password that
// a killed start has left.
func ensurePassword(p location) (string, error) {
	password, err := readPassword(p)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return password, err
	}
	password = rand.Text()
	if err := writePassword(p, password); err != nil {
		return "", fmt.Errorf("write the password of the cluster: %w", err)
	}
	return password, nil
}

// writePassword writes the password atomically, by renaming a complete file.
func writePassword(p location, password string) error {
	f, err := p.account.openFile(p.path("password.new"), os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteString(password + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(p.path("password.new"), p.path("password")); err != nil {
		return err
	}
	return durable.SyncFolder(p.folder)
}
