// Package cluster starts a private Postgres for the commands in internal/trial. Tests use package
// postgres.
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

// Start starts a Postgres in a new temporary folder, whose name starts with the prefix. It ignores
// DataFolder of the options. After an error nothing is running, and the folder is gone.
func Start(ctx context.Context, prefix string, o private.Options) (c Cluster, err error) {
	if c.Folder, err = os.MkdirTemp("", prefix); err != nil {
		return Cluster{}, err
	}
	// If the command runs as root, Postgres runs as another user, who must enter the folder.
	if err = os.Chmod(c.Folder, 0o711); err == nil {
		o.DataFolder = c.Folder
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
	// The cluster is in another folder if the user of Postgres cannot enter this one.
	return errors.Join(c.Stop(ctx), os.RemoveAll(c.Cluster.Folder()), os.RemoveAll(c.Folder))
}
