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

// installTimeout is the maximum time of an installation, which takes up to a minute.
const installTimeout = 5 * time.Minute

// Install returns a folder whose node_modules contains the packages of files, which must
// have a package.json, its package-lock.json and an .npmrc. For a new lock file, it runs
// npm to install the packages, without their scripts, into a folder of the cache whose
// name starts with "portico-" and name. All users can read it. Later calls return the same
// folder. It returns an error if npm is not installed, if the registry is not reachable, or
// if the hash of a package is not the hash in the lock file.
func Install(ctx context.Context, cache, name string, files fs.FS) (folder string, err error) {
	lock, err := fs.ReadFile(files, "package-lock.json")
	if err != nil {
		return "", err
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
	// Install into a temporary folder and rename it, so that the folder is never
	// incomplete: runs may be killed or overlap. If two runs install at once, the
	// rename of the second fails, and it uses the folder of the first.
	unfinished, err := os.MkdirTemp(cache, name+"unfinished-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished) //nolint:errcheck // does not exist after the rename
	if err := fill(ctx, unfinished, files); err != nil {
		return "", err
	}
	if err := os.Chmod(unfinished, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(unfinished, folder); err != nil {
		if _, missing := os.Stat(folder); missing != nil {
			return "", err
		}
	}
	return folder, nil
}

// fill installs the packages into a folder by npm ci, which installs exactly the versions
// of the lock file.
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
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	cmd.WaitDelay = time.Second // npm's children may keep its output open
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}
