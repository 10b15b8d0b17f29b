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
	folder            string // absolute, no symbolic links
	account           account
	outsideDataFolder bool // not inside the data folder
}

// findLocation returns the location of the data folder's cluster, and creates it if it is
// missing. An existing cluster or link takes precedence over the modes of folders;
// otherwise a chmod could make the data seem lost.
func findLocation(configured, fallback string) (location, error) {
	dataFolder, err := createDataFolder(configured)
	if err != nil {
		return location{}, err
	}
	link := filepath.Join(dataFolder, "postgres")
	info, err := os.Lstat(link)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return followLink(link, info)
	case errors.Is(err, fs.ErrNotExist):
		return newLocation(dataFolder, link, fallback)
	case err != nil:
		return location{}, err
	}
	return ownedLocation(link, dataFolder)
}

// Exists reports whether the data folder holds a cluster, or a link to one.
func Exists(dataFolder string) bool {
	_, err := os.Lstat(filepath.Join(dataFolder, "postgres"))
	return err == nil
}

// createDataFolder creates the data folder and returns its path without symbolic links. The
// mode lets the server's user pass through the folder, but not list it.
func createDataFolder(configured string) (string, error) {
	folder, err := filepath.Abs(configured)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	if err := os.MkdirAll(folder, 0o711); err != nil {
		return "", fmt.Errorf("create the data folder: %w", err)
	}
	return filepath.EvalSymlinks(folder)
}

// newLocation creates the location inside the data folder, or in the fallback folder if
// the server's user cannot enter the data folder or cannot own a folder in it.
func newLocation(dataFolder, link, fallback string) (location, error) {
	a, err := accountFor(dataFolder)
	if err != nil {
		return location{}, err
	}
	if a.dropsRoot {
		closed, err := a.firstClosedFolder(dataFolder)
		if err != nil {
			return location{}, err
		}
		if closed != "" || !a.canOwnBelow(dataFolder) {
			return createFallback(link, fallback, a)
		}
	}
	return ownedLocation(link, dataFolder)
}

// ownedLocation creates or checks the folder for its account. If the folder belongs to
// root, another process of Portico is creating it right now.
func ownedLocation(folder, dataFolder string) (location, error) {
	a, err := accountFor(folder, dataFolder)
	if err != nil {
		return location{}, err
	}
	if err := a.ownFolder(folder); err != nil {
		return location{}, fmt.Errorf("create the folder of the cluster: %w", err)
	}
	return location{folder: folder, account: a}, nil
}

// path returns the path of one of the cluster's files.
func (p location) path(name string) string { return filepath.Join(p.folder, name) }

// checkReachable returns an error if the server's user cannot enter the location, because
// the mode of a folder above an existing cluster has changed.
func (p location) checkReachable() error {
	if !p.account.dropsRoot {
		return nil
	}
	closed, err := p.account.firstClosedFolder(p.folder)
	if err != nil {
		return err
	}
	if closed != "" {
		return fmt.Errorf("user %s cannot enter %s, which is above the cluster: open it (chmod o+x), "+
			"or move %s elsewhere and replace it with a symbolic link", p.account.name, closed, p.folder)
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
		return 0, fmt.Errorf("read the version of the data in %s: %w", p.folder, err)
	}
	return major, nil
}
