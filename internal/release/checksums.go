package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"aead.dev/minisign"
)

// checksums writes the hashes of all files in the form of sha256sum, and their signature if there is a
// key. The hashes are in the order of the names.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, entry := range entries {
		content, err := os.Open(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, content)
		_ = content.Close() // read only
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", hash.Sum(nil), entry.Name())
	}
	name := filepath.Join(r.out, "SHA256SUMS")
	if err := os.WriteFile(name, sums.Bytes(), 0o644); err != nil || r.key == "" {
		return err
	}
	key, err := minisign.PrivateKeyFromFile(os.Getenv("PORTICO_RELEASE_PASSWORD"), r.key)
	if err != nil {
		return fmt.Errorf("read the key %s: %w", r.key, err)
	}
	comment := fmt.Sprintf("timestamp:%d\tfile:SHA256SUMS\tportico %s", r.time.Unix(), r.version)
	signature := minisign.SignWithComments(key, sums.Bytes(), comment, "signature of the checksums of Portico "+r.version)
	return os.WriteFile(name+".minisig", signature, 0o644)
}
