package private

import (
	"context"
	"errors"
	"time"
)

// joinInterval is how often a start looks whether another process is done. A
// server starts and stops in some ten milliseconds.
const joinInterval = 10 * time.Millisecond

// open finds the place and either owns or adopts the server there.
func (c *Cluster) open(ctx context.Context) (err error) {
	if c.place, err = findPlace(c.options.Dir, c.options.fallback); err != nil {
		return err
	}
	if c.place.moved {
		c.options.Logger.Info("private postgres lives outside the data folder",
			"dir", c.place.dir, "data_dir", c.options.Dir)
	}
	if c.lock, err = openLock(c.place.path("lock"), c.place.account); err != nil {
		return err
	}
	if c.alive, err = openLock(c.place.path("owner"), c.place.account); err != nil {
		return errors.Join(err, c.lock.close())
	}
	if err = c.join(ctx); err != nil {
		return errors.Join(err, c.closeLocks())
	}
	return nil
}

// closeLocks lets go of the server last: who has that one may take the other.
func (c *Cluster) closeLocks() error {
	return errors.Join(c.alive.close(), c.lock.close())
}

// join owns the server if nobody does, and waits until it can be adopted
// otherwise: it may be starting, or ending with an owner that was killed.
func (c *Cluster) join(ctx context.Context) error {
	waiting := false
	err := poll(ctx, joinInterval, func() (bool, error) {
		joined, err := c.tryJoin()
		if !joined && err == nil && !waiting {
			waiting = true
			c.options.Logger.Info("waiting for the private postgres of another process", "dir", c.place.dir)
		}
		return joined, err
	})
	if err != nil {
		return err
	}
	if c.lock.held.Load() {
		return c.own(ctx)
	}
	c.options.Logger.Info("private postgres adopted", "dir", c.place.dir)
	c.password, err = readPassword(c.place)
	return err
}

// tryJoin reports whether there is a server to adopt, or the lock to own one.
func (c *Cluster) tryJoin() (bool, error) {
	if held, err := c.lock.try(); held || err != nil {
		return held, err
	}
	if !c.place.accepting() {
		return false, nil
	}
	free, err := c.alive.free()
	if err != nil || !free {
		return err == nil, err
	}
	// Its owner was killed. On Linux it has been told to stop, but does not
	// always say so yet; elsewhere it is told here.
	return false, c.place.interrupt()
}

// own starts the server; the caller holds the lock.
func (c *Cluster) own(ctx context.Context) error {
	begin := time.Now()
	if err := c.alive.wait(); err != nil {
		return err
	}
	programs, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	c.server, err = startServer(ctx, programs, c.place, c.lock, c.options)
	if err != nil {
		return err
	}
	c.options.Logger.Info("private postgres started", "dir", c.place.dir,
		"version", programs.major, "took", time.Since(begin).Round(time.Millisecond))
	return nil
}

// prepare finds the programs for the data, making the data first if need be.
func (c *Cluster) prepare(ctx context.Context) (programs, error) {
	if err := c.place.checkReachable(); err != nil {
		return programs{}, err
	}
	major, err := c.place.dataMajor()
	if err != nil {
		return programs{}, err
	}
	found, err := newSearch(c.options.Programs).find(ctx, major, c.place.account)
	if err != nil {
		return programs{}, err
	}
	if major == 0 {
		return found, c.create(ctx, found)
	}
	// The keeper comes here too, while others read the password.
	if c.password == "" {
		c.password, err = readPassword(c.place)
	}
	return found, err
}

// create makes the data of a new cluster and its password.
func (c *Cluster) create(ctx context.Context, found programs) error {
	password, err := ensurePassword(c.place)
	if err != nil {
		return err
	}
	if c.password == "" {
		c.password = password
	}
	return initialize(ctx, found, c.place, c.lock, c.options)
}
