package private

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// copyPrograms copies the first of the folders that exists into the cache, and returns the copy. It
// returns no programs if none exists, or if the account is the owner of this process, who could run
// them where they are. Root may have unpacked a release in its home, which the account of Postgres
// cannot enter.
func copyPrograms(ctx context.Context, folders []string, a account) (programs, error) {
	if !a.dropsRoot {
		return programs{}, nil
	}
	for _, folder := range folders {
		sum, err := hashOf(filepath.Join(folder, "postgres"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return programs{}, err
		}
		cache, err := programsCache(a)
		if err != nil {
			return programs{}, err
		}
		target := filepath.Join(cache, "portico-postgresql-"+sum)
		if err := copyOnce(filepath.Dir(folder), target); err != nil {
			return programs{}, err
		}
		found := programs{folder: filepath.Join(target, "bin")}
		found.major, err = majorOf(ctx, found.folder, a)
		return found, err
	}
	return programs{}, nil
}

// hashOf returns the start of the hash of a file, which names the copy of its version.
func hashOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // read only
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}

// copyOnce copies a folder to a target that does not exist yet, for all users to read. The target is
// never incomplete: a process may be killed, and two may copy at the same time.
func copyOnce(from, target string) error {
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(target), filepath.Base(target)+"-unfinished-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished) //nolint:errcheck // does not exist after the rename
	if err := os.CopyFS(unfinished, os.DirFS(from)); err != nil {
		return err
	}
	if err := os.Chmod(unfinished, 0o755); err != nil {
		return err
	}
	if err := os.Rename(unfinished, target); err != nil {
		if _, missing := os.Stat(target); missing != nil {
			return err
		}
	}
	return nil
}
