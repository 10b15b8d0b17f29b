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

// fallbackFolder holds the clusters whose data folder the server's user cannot
// enter. Only root makes it.
const fallbackFolder = "/var/lib/portico"

// placeElsewhere makes a folder below fallback and the link to it. Its name is
// new each time, so who deletes a data folder gets an empty cluster with the
// next one, as anywhere else. The link decides between two racing processes.
func placeElsewhere(link, fallback string, a account) (place, error) {
	dir, err := makeElsewhere(shortHash(link), fallback, a)
	if err != nil {
		return place{}, fmt.Errorf("make a folder that user %s can enter: %w", a.name, err)
	}
	if err := os.Symlink(dir, link); err != nil {
		// Ours is still empty.
		err = errors.Join(err, os.Remove(dir))
		if !errors.Is(err, fs.ErrExist) {
			return place{}, fmt.Errorf("link to the cluster: %w", err)
		}
	}
	return findPlace(filepath.Dir(link), fallback)
}

// makeElsewhere makes a new folder below fallback for the account.
func makeElsewhere(name, fallback string, a account) (string, error) {
	if _, err := os.Stat(fallback); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(fallback, 0o755); err != nil {
			return "", err
		}
		// Root's umask may be 077.
		if err := os.Chmod(fallback, 0o711); err != nil {
			return "", err
		}
	}
	dir, err := os.MkdirTemp(fallback, name+"-")
	if err != nil {
		return "", err
	}
	return dir, a.ownFolder(dir)
}

// followLink returns the place that the link in the data folder leads to.
func followLink(link string, info os.FileInfo) (place, error) {
	// Root must not be led to a folder by whoever can write to the data folder.
	if uid := owner(info); uid != 0 && uid != os.Geteuid() {
		return place{}, fmt.Errorf("link %s was made by user %s: not followed", link, userName(uid))
	}
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return place{}, fmt.Errorf("the cluster is not where %s points to; "+
			"bring it back, or remove the link to begin with an empty one: %w", link, err)
	}
	p, err := ownPlace(dir, filepath.Dir(link))
	p.moved = true
	return p, err
}

// shortHash names a path in 12 characters.
func shortHash(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}
