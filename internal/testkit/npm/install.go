package npm

import (
	"context"
	"io/fs"
	"os"

	"portico/internal/npm"
)

// Install installs the packages of a package.json in the user's cache, and returns the folder. See
// portico/internal/npm.Install for the files and the errors.
func Install(ctx context.Context, name string, files fs.FS) (folder string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir() // for a user without a home folder
	}
	return npm.Install(ctx, cache, name, files)
}
