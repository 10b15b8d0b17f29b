package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"portico/db/private"
	"portico/model"
)

// Operator manages accounts and reads the audit trail for a person at a shell. It uses
// the database of the servers, and works while they run and while they do not.
type Operator struct{ program *Program }

// OpenOperator opens the database that the configuration names, and brings its schema
// up to date. The caller closes the Operator.
func OpenOperator(ctx context.Context, config Config, logger *slog.Logger) (*Operator, error) {
	p := &Program{Config: config, Logger: logger}
	if err := p.OpenDatabase(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return &Operator{p}, nil
}

// OpenExisting is OpenOperator for work that needs accounts: where the data folder has no
// database it returns an error, and does not create one.
func OpenExisting(ctx context.Context, config Config, logger *slog.Logger) (*Operator, error) {
	if config.DatabaseURL == "" && !private.Exists(config.DataDir) {
		return nil, fmt.Errorf("there is no database in %s: set PORTICO_DATA_DIR to the data folder of the server, "+
			"or PORTICO_DATABASE_URL to its database", config.DataDir)
	}
	return OpenOperator(ctx, config, logger)
}

// Close closes the database. A private Postgres that a server uses goes on.
func (o *Operator) Close() error { return o.program.Close() }

// asOperator returns a context whose security events name the command line.
func asOperator(ctx context.Context) context.Context {
	ctx, _ = model.WithOrigin(ctx, model.Origin{Door: model.DoorCommand})
	return ctx
}
