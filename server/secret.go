package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// minSecretLength is in bytes.
const minSecretLength = 16

// secret returns the secret that all others are derived from: PORTICO_SECRET, or the
// one in the data folder, which the first start creates.
func (c *Config) secret() ([]byte, error) {
	if c.Secret != "" {
		return []byte(c.Secret), nil
	}
	name := filepath.Join(c.DataDir, "secret")
	if err := makeSecret(name); err != nil {
		return nil, fmt.Errorf("make the server's secret: %w", err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the server's secret: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if len(secret) < minSecretLength {
		return nil, fmt.Errorf("the server's secret in %s is damaged", name)
	}
	return []byte(secret), nil
}

// makeSecret writes a new secret unless there is one. Of programs that start at the
// same time one wins, and the others read its secret, never a part of it.
func makeSecret(name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // a link has the other name by then, or the write failed
	_, err = file.WriteString(rand.Text() + rand.Text() + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

// syncFolder puts the secret's name on the disk before anything is sealed with it: a
// power cut must not leave keys that nothing can open.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
