// Package cluster starts a private Postgres for a command that has no testing.T. Tests use
// package postgres.
package cluster

import (
	"context"
	"errors"
	"os"
	"time"

	"portico/db/private"
)

// stopTimeout limits the shutdown of Postgres.
const stopTimeout = time.Minute

// Cluster is a running Postgres and a temporary folder. The zero value is closed.
type Cluster struct {
	*private.Cluster
	// Folder is a temporary folder, for the command's own files too. Close removes it.
	Folder string
}

// Start starts a Postgres in a new temporary folder. The name of the folder starts with the
// prefix. Dir of the options is not used.
func Start(ctx context.Context, prefix string, o private.Options) (c Cluster, err error) {
	if c.Folder, err = os.MkdirTemp("", prefix); err != nil {
		return Cluster{}, err
	}
	// For root, Postgres runs as another user, who must pass through the folder.
	if err = os.Chmod(c.Folder, 0o711); err == nil {
		o.Dir = c.Folder
		c.Cluster, err = private.Start(ctx, o)
	}
	if err != nil {
		return Cluster{}, errors.Join(err, os.RemoveAll(c.Folder))
	}
	return c, nil
}

// Close stops Postgres and removes the folder.
func (c Cluster) Close() error {
	if c.Cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	// The cluster is outside of the folder where the user of Postgres cannot enter it.
	return errors.Join(c.Stop(ctx), os.RemoveAll(c.Dir()), os.RemoveAll(c.Folder))
}
