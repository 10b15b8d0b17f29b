package private

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// Options says where the cluster is and how it runs. Only Dir is required.
type Options struct {
	// Dir is the data folder, absolute or relative. It is made when missing;
	// the cluster goes into its subfolder "postgres".
	Dir string
	// Programs is the folder of initdb and postgres. Empty means
	// $PORTICO_PG_BIN, and without that the places where packages put them.
	Programs string
	// Logger gets a line when the server starts, stops or changes hands.
	// Nil discards them.
	Logger *slog.Logger
	// FastUnsafe gives up durability for speed: a crash of the machine loses
	// the cluster. For tests.
	FastUnsafe bool
	// Settings are further server settings, as in postgresql.conf. They win
	// over that file; the socket and the absence of TCP cannot be changed.
	Settings map[string]string

	// fallback replaces fallbackFolder in this package's tests.
	fallback string
}

// Cluster is a running private cluster, owned or adopted. It must be stopped.
type Cluster struct {
	options  Options
	place    place
	lock     *lock // held by the owner and by the server
	alive    *lock // held by the owner alone: tells that it lives
	password string

	// server is the child, nil while adopted. Only the keeper touches it once
	// Start has returned, and Stop after the keeper has ended.
	server *server

	stopKeeper context.CancelFunc
	kept       chan struct{} // closed when the keeper has ended
	stopOnce   sync.Once
	stopErr    error
}

// Start returns when the cluster of the data folder accepts connections and has
// its roles. It makes the cluster when there is none, starts the server when none runs, and
// adopts the one of another process otherwise. ctx bounds the start only; give
// it a deadline, because recovery after a crash may take a while.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.fallback == "" {
		options.fallback = fallbackFolder
	}
	c := &Cluster{options: options, kept: make(chan struct{})}
	if err := c.open(ctx); err != nil {
		return nil, fmt.Errorf("start private postgres: %w", err)
	}
	keeping, cancel := context.WithCancel(context.Background())
	c.stopKeeper = cancel
	go c.keep(keeping)
	if err := c.awaitRoles(ctx); err != nil {
		return nil, fmt.Errorf("start private postgres: %w", errors.Join(err, c.Stop(ctx)))
	}
	return c, nil
}

// Dir returns the folder that the cluster lives in, absolute and without
// symbolic links: usually the subfolder "postgres" of the data folder.
func (c *Cluster) Dir() string { return c.place.dir }

// Stop ends the server if this process owns it, and only lets go of it
// otherwise. When ctx ends first the server is stopped at once, which loses
// nothing but makes the next start recover. It returns when all has ended;
// further calls return the same error.
func (c *Cluster) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() { c.stopErr = c.stop(ctx) })
	return c.stopErr
}

// stop ends the keeper first, so that it does not start the server again.
func (c *Cluster) stop(ctx context.Context) error {
	c.stopKeeper()
	<-c.kept
	var err error
	if c.server != nil {
		err = c.server.stop(ctx)
		c.removeSocketFolder()
		c.options.Logger.Info("private postgres stopped", "dir", c.place.dir)
	}
	// Last, so that no successor starts while we are still cleaning up.
	return errors.Join(err, c.closeLocks())
}

// removeSocketFolder leaves nothing behind in /tmp. The folder is made again at
// the next start, so a failure does not matter.
func (c *Cluster) removeSocketFolder() {
	if folder := c.place.socketFolder(); folder != c.place.dir {
		_ = os.Remove(filepath.Clean(folder))
	}
}
