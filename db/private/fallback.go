package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fallbackFolder holds clusters whose data folder the server's user cannot enter, or cannot own a
// folder in. Only root creates it.
const fallbackFolder = "/var/lib/portico"

// createFallback creates a folder below fallback and the link to it. The name is always
// new, so that a data folder that was deleted and created again gets an empty cluster. If
// two processes race, the one that creates the link wins.
func createFallback(link, fallback string, a account) (location, error) {
	folder, err := createFallbackFolder(shortHash(link), fallback, a)
	if err != nil {
		return location{}, fmt.Errorf("create a folder that user %s can enter: %w", a.name, err)
	}
	if err := os.Symlink(folder, link); err != nil {
		// The new folder is still empty.
		err = errors.Join(err, os.Remove(folder))
		if !errors.Is(err, fs.ErrExist) {
			return location{}, fmt.Errorf("link to the cluster: %w", err)
		}
	}
	return findLocation(filepath.Dir(link), fallback)
}

// createFallbackFolder creates a new folder below fallback for the account.
func createFallbackFolder(name, fallback string, a account) (string, error) {
	if _, err := os.Stat(fallback); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(fallback, 0o755); err != nil {
			return "", err
		}
		// Root's umask may be 077.
		if err := os.Chmod(fallback, 0o711); err != nil {
			return "", err
		}
	}
	folder, err := os.MkdirTemp(fallback, name+"-")
	if err != nil {
		return "", err
	}
	return folder, a.ownFolder(folder)
}

// followLink returns the location that the link in the data folder points to.
func followLink(link string, info os.FileInfo) (location, error) {
	// Users who can write to the data folder must not direct root to another folder.
	if uid := owner(info); uid != 0 && uid != os.Geteuid() {
		return location{}, fmt.Errorf("link %s was created by user %s: not followed", link, userName(uid))
	}
	folder, err := filepath.EvalSymlinks(link)
	if err != nil {
		return location{}, fmt.Errorf("the cluster is not where %s points to; "+
			"move it back, or remove the link to start with an empty cluster: %w", link, err)
	}
	p, err := ownedLocation(folder, filepath.Dir(link))
	p.outsideDataFolder = true
	return p, err
}

// shortHash returns a hash of a path in 12 characters.
func shortHash(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}
