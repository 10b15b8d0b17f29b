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

// place is where a cluster lives and who it belongs to.
type place struct {
	dir     string // absolute, no symbolic links
	account account
	moved   bool // not inside the data folder
}

// findPlace returns the place of the data folder's cluster, made if missing.
// What exists decides, never the folders' present modes: otherwise a chmod
// could make the data seem lost.
func findPlace(dataDir, fallback string) (place, error) {
	dir, err := makeDataDir(dataDir)
	if err != nil {
		return place{}, err
	}
	link := filepath.Join(dir, "postgres")
	info, err := os.Lstat(link)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return followLink(link, info)
	case errors.Is(err, fs.ErrNotExist):
		return newPlace(dir, link, fallback)
	case err != nil:
		return place{}, err
	}
	return ownPlace(link, dir)
}

// makeDataDir makes the data folder and returns its real path. The mode lets
// the server's user pass through, not look around.
func makeDataDir(dataDir string) (string, error) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return "", fmt.Errorf("make the data folder: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// newPlace makes the place inside the data folder, or elsewhere when the
// server's user cannot get there.
func newPlace(dir, link, fallback string) (place, error) {
	a, err := accountFor(dir)
	if err != nil {
		return place{}, err
	}
	if a.drop {
		closed, err := a.closedFolder(dir)
		if err != nil {
			return place{}, err
		}
		if closed != "" {
			return placeElsewhere(link, fallback, a)
		}
	}
	return ownPlace(link, dir)
}

// ownPlace makes dir, or checks it, as a place for its user. A folder that is
// still root's is one that another process of ours is just making.
func ownPlace(dir, dataDir string) (place, error) {
	a, err := accountFor(dir, dataDir)
	if err != nil {
		return place{}, err
	}
	if err := a.ownFolder(dir); err != nil {
		return place{}, fmt.Errorf("make the folder of the cluster: %w", err)
	}
	return place{dir: dir, account: a}, nil
}

// path returns the path of one of the cluster's files.
func (p place) path(name string) string { return filepath.Join(p.dir, name) }

// checkReachable explains why the server's user cannot get to the place, which
// happens when a folder above an existing cluster was closed.
func (p place) checkReachable() error {
	if !p.account.drop {
		return nil
	}
	closed, err := p.account.closedFolder(p.dir)
	if err != nil {
		return err
	}
	if closed != "" {
		return fmt.Errorf("user %s cannot enter %s, which is above the cluster: open it (chmod o+x), "+
			"or move %s elsewhere and leave a symbolic link to it", p.account.name, closed, p.dir)
	}
	return nil
}

// dataMajor returns the PostgreSQL version of the data, 0 when there is none.
func (p place) dataMajor() (int, error) {
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
