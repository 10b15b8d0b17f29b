package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"portico/auth"
	"portico/db"
	"portico/db/migrations"
	"portico/db/private"
	"portico/internal/background"
	"portico/internal/freespace"
)

// postgresStartTimeout limits the start of the private Postgres, including the recovery after a
// crash.
const postgresStartTimeout = 5 * time.Minute

// OpenDatabase opens the database, migrates it, and opens the API keys.
//
// The secret comes first, because a wrong one must be reported before anything is started.
func (p *Program) OpenDatabase(ctx context.Context) error {
	if err := p.makeDataFolder(); err != nil {
		return err
	}
	var err error
	if p.secret, err = p.Config.LoadSecret(); err != nil {
		return err
	}
	owner, err := p.startDatabase(ctx)
	if err != nil {
		return err
	}
	err = p.connect(ctx, owner)
	switch {
	case err == nil || p.Config.DatabaseURL == "":
		return err
	case errors.Is(err, migrations.ErrNotOwner):
		return fmt.Errorf("PORTICO_MIGRATE_DATABASE_URL: %w", err)
	}
	return fmt.Errorf("PORTICO_DATABASE_URL: %w", err)
}

// makeDataFolder creates the data folder, with mode 0711, because the system user that runs the
// private Postgres must enter the folder, but must not list it.
func (p *Program) makeDataFolder() error {
	if err := os.MkdirAll(p.Config.DataDir, 0o711); err != nil {
		return fmt.Errorf("PORTICO_DATA_DIR: %w", err)
	}
	return nil
}

// startDatabase sets databaseURL and returns the address with the role that owns the tables. It starts
// the private Postgres if the settings name no database.
func (p *Program) startDatabase(ctx context.Context) (owner string, err error) {
	if p.databaseURL = p.Config.DatabaseURL; p.databaseURL == "" {
		return p.startPrivate(ctx)
	}
	return cmp.Or(p.Config.MigrateDatabaseURL, p.databaseURL), nil
}

// startPrivate starts the private Postgres, or connects to the private Postgres that another process
// of Portico runs. The private Postgres listens on a socket in the data folder only, with a role of
// its own for the server.
func (p *Program) startPrivate(ctx context.Context) (owner string, err error) {
	// Before the start, because Postgres does not start on a full disk, and while it runs and stops.
	ballast := freespace.Ballast{Folder: p.Config.DataDir, Logger: p.Logger}
	if _, err := ballast.Free(); err != nil {
		p.Logger.Warn("free room on the disk", "error", err)
	}
	var keeper background.Group
	keeper.Go(ballast.Keep)
	p.onClose("ballast", func() error {
		keeper.Stop()
		return nil
	})
	starting, cancel := context.WithTimeout(ctx, postgresStartTimeout)
	defer cancel()
	cluster, err := private.Start(starting, private.Options{DataFolder: p.Config.DataDir, Logger: p.Logger})
	if err != nil {
		return "", err
	}
	p.databaseURL, p.clusterFolder = cluster.URL(), cluster.Folder()
	p.onCloseWithContext(cluster.Stop)
	return cluster.OwnerURL(), nil
}

// connect migrates the schema with the role in the address of the owner, and opens the database.
// A program works only with the schema of its own version.
func (p *Program) connect(ctx context.Context, owner string) error {
	prepare := func(ctx context.Context, plan migrations.Plan) error { return p.prepareMigration(ctx, owner, plan) }
	err := migrations.RunAfter(ctx, owner, p.databaseURL, p.Logger, prepare)
	if err != nil {
		return err
	}
	p.DB, err = db.Open(ctx, db.Options{URL: p.databaseURL, Logger: p.Logger, Tracer: p.tracing.Tracer()})
	if err != nil {
		return err
	}
	p.onCloseWithContext(func(ctx context.Context) error { return closeDatabase(ctx, p.DB.Close) })
	if p.Keys, err = auth.NewKeys(p.DB, p.secret); err != nil {
		return err
	}
	p.onClose("cache of API keys", func() error {
		p.Keys.Close()
		return nil
	})
	p.Keys.SetLogger(p.Logger)
	return nil
}
