package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// location is the folder of a cluster and the account that owns it.
type location struct {
	dir               string // absolute, no symbolic links
	account           account
	outsideDataFolder bool // not inside the data folder
}

// findLocation returns the location of the data folder's cluster, and creates it if it is
// missing. An existing cluster or link takes precedence over the modes of folders;
// otherwise a chmod could make the data seem lost.
func findLocation(dataDir, fallback string) (location, error) {
	dir, err := createDataDir(dataDir)
	if err != nil {
		return location{}, err
	}
	link := filepath.Join(dir, "postgres")
	info, err := os.Lstat(link)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return followLink(link, info)
	case errors.Is(err, fs.ErrNotExist):
		return newLocation(dir, link, fallback)
	case err != nil:
		return location{}, err
	}
	return ownedLocation(link, dir)
}

// Exists reports whether the data folder holds a cluster, or a link to one.
func Exists(dataDir string) bool {
	_, err := os.Lstat(filepath.Join(dataDir, "postgres"))
	return err == nil
}

// createDataDir creates the data folder and returns its path without symbolic links. The
// mode lets the server's user pass through the folder, but not list it.
func createDataDir(dataDir string) (string, error) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return "", fmt.Errorf("create the data folder: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// newLocation creates the location inside the data folder, or in the fallback folder if
// the server's user cannot enter the data folder.
func newLocation(dir, link, fallback string) (location, error) {
	a, err := accountFor(dir)
	if err != nil {
		return location{}, err
	}
	if a.dropsRoot {
		closed, err := a.firstClosedFolder(dir)
		if err != nil {
			return location{}, err
		}
		if closed != "" {
			return createFallback(link, fallback, a)
		}
	}
	return ownedLocation(link, dir)
}

// ownedLocation creates or checks the folder dir for its account. If the folder belongs to
// root, another process of Portico is creating it right now.
func ownedLocation(dir, dataDir string) (location, error) {
	a, err := accountFor(dir, dataDir)
	if err != nil {
		return location{}, err
	}
	if err := a.ownFolder(dir); err != nil {
		return location{}, fmt.Errorf("create the folder of the cluster: %w", err)
	}
	return location{dir: dir, account: a}, nil
}

// path returns the path of one of the cluster's files.
func (p location) path(name string) string { return filepath.Join(p.dir, name) }

// checkReachable returns an error if the server's user cannot enter the location, because
// the mode of a folder above an existing cluster has changed.
func (p location) checkReachable() error {
	if !p.account.dropsRoot {
		return nil
	}
	closed, err := p.account.firstClosedFolder(p.dir)
	if err != nil {
		return err
	}
	if closed != "" {
		return fmt.Errorf("user %s cannot enter %s, which is above the cluster: open it (chmod o+x), "+
			"or move %s elsewhere and replace it with a symbolic link", p.account.name, closed, p.dir)
	}
	return nil
}

// dataMajor returns the major PostgreSQL version of the data, or 0 if there is no data.
func (p location) dataMajor() (int, error) {
	text, err := os.ReadFile(filepath.Join(p.path("data"), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the data: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the version of the data in %s: %w", p.dir, err)
	}
	return major, nil
}
