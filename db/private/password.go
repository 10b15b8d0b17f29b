package private

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// readPassword returns the password of a cluster that exists.
func readPassword(p place) (string, error) {
	text, err := os.ReadFile(p.path("password"))
	if err != nil {
		return "", fmt.Errorf("read the password of the cluster: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// ensurePassword returns the password for a cluster that is about to be made.
// It is on disk before the cluster is, so no cluster ever lacks its password;
// one that a killed start left behind is used.
func ensurePassword(p place) (string, error) {
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

// writePassword writes a whole file or none.
func writePassword(p place, password string) error {
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
	return syncFolder(p.dir)
}

// syncFolder makes a rename inside the folder last through a power cut.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
