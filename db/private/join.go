package private

import (
	"context"
	"errors"
	"time"
)

// joinInterval is the interval at which a start checks for another process. Servers start
// and stop within some ten milliseconds.
const joinInterval = 10 * time.Millisecond

// open finds the location and owns or adopts its server.
func (c *Cluster) open(ctx context.Context) (err error) {
	if c.location, err = findLocation(c.options.DataFolder, c.options.fallback); err != nil {
		return err
	}
	if c.location.outsideDataFolder {
		c.options.Logger.Info("private postgres is outside the data folder",
			"dir", c.location.folder, "data_dir", c.options.DataFolder)
	}
	if c.serverLock, err = openLock(c.location.path("lock"), c.location.account); err != nil {
		return err
	}
	if c.ownerLock, err = openLock(c.location.path("owner"), c.location.account); err != nil {
		return errors.Join(err, c.serverLock.close())
	}
	if err = c.join(ctx); err != nil {
		return errors.Join(err, c.closeLocks())
	}
	return nil
}

// closeLocks closes the server's lock last, because a process that gets it may wait for
// the owner's lock.
func (c *Cluster) closeLocks() error {
	return errors.Join(c.ownerLock.close(), c.serverLock.close())
}

// join becomes the owner if there is none. Otherwise it waits until the server can be
// adopted: the server may be starting, or stopping after its owner was killed.
func (c *Cluster) join(ctx context.Context) error {
	waiting := false
	err := poll(ctx, joinInterval, func() (bool, error) {
		joined, err := c.tryJoin()
		if !joined && err == nil && !waiting {
			waiting = true
			c.options.Logger.Info("waiting for the private postgres of another process", "dir", c.location.folder)
		}
		return joined, err
	})
	if err != nil {
		return err
	}
	if c.serverLock.held.Load() {
		return c.becomeOwner(ctx)
	}
	c.options.Logger.Info("private postgres adopted", "dir", c.location.folder)
	c.password, err = readPassword(c.location)
	return err
}

// tryJoin reports whether there is a server to adopt, or the lock to own one.
func (c *Cluster) tryJoin() (bool, error) {
	if held, err := c.serverLock.try(); held || err != nil {
		return held, err
	}
	if !c.location.acceptsConnections() {
		return false, nil
	}
	free, err := c.ownerLock.isFree()
	if err != nil || !free {
		return err == nil, err
	}
	// The owner was killed. On Linux, the kernel has signalled the server, whose file
	// may not say so yet. On other systems, interrupt stops it.
	return false, c.location.interrupt()
}

// becomeOwner starts the server. The caller must hold the server's lock.
func (c *Cluster) becomeOwner(ctx context.Context) error {
	started := time.Now()
	if err := c.ownerLock.wait(); err != nil {
		return err
	}
	programs, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	c.server, err = startServer(ctx, programs, c.location, c.serverLock, c.options)
	if err != nil {
		return err
	}
	c.options.Logger.Info("private postgres started", "dir", c.location.folder,
		"version", programs.major, "took", time.Since(started).Round(time.Millisecond))
	return nil
}

// prepare finds the programs for the version of the data. If there is no data, it creates
// the cluster.
func (c *Cluster) prepare(ctx context.Context) (programs, error) {
	if err := c.location.checkReachable(); err != nil {
		return programs{}, err
	}
	major, err := c.location.dataMajor()
	if err != nil {
		return programs{}, err
	}
	found, err := newSearch(c.options.Programs).findOrInstall(ctx, major, c.location.account, c.options.Logger)
	if err != nil {
		return programs{}, err
	}
	if major == 0 {
		return found, c.create(ctx, found)
	}
	// The keeper calls this too, while other goroutines read the password.
	if c.password == "" {
		c.password, err = readPassword(c.location)
	}
	return found, err
}

// create creates the password and the data of a new cluster.
func (c *Cluster) create(ctx context.Context, found programs) error {
	password, err := ensurePassword(c.location)
	if err != nil {
		return err
	}
	if c.password == "" {
		c.password = password
	}
	return createData(ctx, found, c.location, c.serverLock, c.options)
}
