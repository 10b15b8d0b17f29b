package npm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// installTime bounds an installation, which takes seconds to a minute.
const installTime = 5 * time.Minute

// Install returns a folder whose node_modules has the packages of files, which are
// a package.json, its package-lock.json and an .npmrc. The first time that it sees
// a lock file it has npm install what that says, without running any script of a
// package; from then on the folder is in the user's cache, by a name that begins
// with "portico-" and name. An error means that npm is not there, that its registry
// cannot be reached or that the files do not agree.
func Install(ctx context.Context, name string, files fs.FS) (folder string, err error) {
	lock, err := fs.ReadFile(files, "package-lock.json")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir() // a user without a home
	}
	name = "portico-" + name + "-"
	sum := sha256.Sum256(lock)
	folder = filepath.Join(cache, name+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// It appears as a whole: another run may look for it, and this one may be cut
	// off. Of two that fill it at once the second is late, which does not matter.
	unfinished, err := os.MkdirTemp(cache, name+"unfinished-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished) //nolint:errcheck // gone when all went well
	if err := fill(ctx, unfinished, files); err != nil {
		return "", err
	}
	if err := os.Rename(unfinished, folder); err != nil {
		if _, missing := os.Stat(folder); missing != nil {
			return "", err
		}
	}
	return folder, nil
}

// fill installs the packages into a folder.
func fill(ctx context.Context, folder string, files fs.FS) error {
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	cmd.WaitDelay = time.Second // npm's children may hold its output
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}
