package settings

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"portico/internal/durable"
	"portico/model"
)

// LoadSecret returns the secret that all others are derived from: PORTICO_SECRET, or the
// one in the data folder, which the first start creates.
//
// What is derived from it, each with HKDF (RFC 5869) and a purpose of its own: the encryption of
// API keys, of one-time codes and of webhooks, the signatures of uploads and exports, and the code
// of the first account. With another secret, API keys still work but cannot be shown, and one-time
// codes and webhooks cannot be decrypted: a backup of the database needs its secret.
func (c *Config) LoadSecret() ([]byte, error) {
	if c.Secret != "" {
		return []byte(c.Secret), nil
	}
	name := c.SecretFile()
	if err := createSecret(name, rand.Text()+rand.Text()); err != nil {
		return nil, fmt.Errorf("create the server's secret: %w", err)
	}
	return readSecret(name)
}

// SecretFile is the file of the secret when PORTICO_SECRET is not set.
func (c *Config) SecretFile() string { return filepath.Join(c.DataDir, "secret") }

// CheckRestoredSecret returns an error if the server has a secret that is not the one of a backup:
// nothing in the backup could be decrypted with it.
func (c *Config) CheckRestoredSecret(secret []byte) error {
	own, err := []byte(c.Secret), error(nil)
	if c.Secret == "" {
		own, err = readSecret(c.SecretFile())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case bytes.Equal(own, secret):
		return nil
	case c.Secret != "":
		return errors.New("PORTICO_SECRET: is not the secret of the backup, which is in its file secret")
	}
	return fmt.Errorf("%s is not the secret of the backup. Restore into another data folder, or remove this secret if nothing needs it", c.SecretFile())
}

// RestoreSecret stores the secret of a backup, unless there is one.
func (c *Config) RestoreSecret(secret []byte) error {
	if c.Secret != "" {
		return nil
	}
	return createSecret(c.SecretFile(), string(secret))
}

// readSecret reads the secret in a file.
func readSecret(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the server's secret: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if len(secret) < model.MinSecretBytes {
		return nil, fmt.Errorf("the server's secret in %s is damaged: restore it from a backup", name)
	}
	return []byte(secret), nil
}

// createSecret writes the secret unless there is one. If several programs start at the
// same time, one creates the secret and the others read it, never a part of it.
//
// The steps, and what a crash after each leaves:
//
//	write a temporary file   the file, which nothing reads
//	sync it                  the same
//	link it to its name      the secret; perhaps not after a power cut
//	sync the folder          the secret
func createSecret(name, secret string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // the link keeps the content under the other name
	_, err = file.WriteString(secret + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// The name is on the disk before anything is encrypted with the secret: a power cut must not leave
	// keys that nothing can decrypt.
	return durable.SyncFolder(filepath.Dir(name))
}
