package private

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"portico/internal/background"
)

// Options configures Start. Only DataFolder is required.
type Options struct {
	// DataFolder is the data folder, absolute or relative. Start creates it if it is missing.
	// The cluster is in its subfolder "postgres".
	DataFolder string
	// Programs is the folder of initdb and postgres. Empty means $PORTICO_PG_BIN, or
	// the usual folders of packages if that is not set.
	Programs string
	// Logger logs when the server starts, stops or changes its owner. Nil means no
	// log.
	Logger *slog.Logger
	// FastUnsafe trades durability for speed: a crash of the machine destroys the
	// cluster. It is for tests.
	FastUnsafe bool
	// Settings are additional server settings, as in postgresql.conf. They override
	// that file. The socket and the absence of TCP cannot be changed.
	Settings map[string]string

	// fallback replaces fallbackFolder in this package's tests.
	fallback string
}

// Cluster is a running private cluster, owned or adopted. The caller must call Stop.
type Cluster struct {
	options    Options
	location   location
	serverLock *lock // held by the owner and by the server
	ownerLock  *lock // held by the owner only: proves that it is alive
	password   string

	// server is the child process, nil while adopted. After Start, only the keeper
	// uses it, and Stop once the keeper has ended.
	server *server

	keeper   background.Group // keep
	stopOnce sync.Once
	stopErr  error
}

// Start creates the cluster of the data folder if there is none, and starts its server or
// adopts the server of another process. It returns when the server accepts connections
// and the roles exist. Ctx applies to the start only. Give it a deadline, because recovery
// after a crash may take a while.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.fallback == "" {
		options.fallback = fallbackFolder
	}
	c := &Cluster{options: options}
	if err := c.open(ctx); err != nil {
		return nil, fmt.Errorf("start private postgres: %w", err)
	}
	c.keeper.Go(c.keep)
	if err := c.awaitRoles(ctx); err != nil {
		return nil, fmt.Errorf("start private postgres: %w", errors.Join(err, c.Stop(ctx)))
	}
	return c, nil
}

// Folder returns the folder of the cluster, absolute and without symbolic links. It is
// usually the subfolder "postgres" of the data folder.
func (c *Cluster) Folder() string { return c.location.folder }

// Stop stops the server if this process owns it, and otherwise only releases it. If ctx
// ends first, the server is stopped immediately: no data is lost, but the next start has
// to recover. Stop returns when the server has stopped. Later calls return the same error.
func (c *Cluster) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() { c.stopErr = c.stop(ctx) })
	return c.stopErr
}

// stop implements Stop. It stops the keeper first, so that the keeper does not start the
// server again.
func (c *Cluster) stop(ctx context.Context) error {
	c.keeper.Stop()
	var err error
	if c.server != nil {
		err = c.server.stop(ctx)
		c.removeSocketFolder()
		c.options.Logger.Info("private postgres stopped", "dir", c.location.folder)
	}
	// Release the locks last, so that no successor starts during the cleanup.
	return errors.Join(err, c.closeLocks())
}

// removeSocketFolder removes the socket's folder from /tmp. A failure does not matter,
// because the next start uses the same folder.
func (c *Cluster) removeSocketFolder() {
	if folder := c.location.socketFolder(); folder != c.location.folder {
		_ = os.Remove(filepath.Clean(folder))
	}
}
