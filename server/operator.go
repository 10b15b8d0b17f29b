package server

import (
	"context"
	"errors"
	"log/slog"

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

// Close closes the database. A private Postgres that a server uses goes on.
func (o *Operator) Close() error { return o.program.Close() }

// asOperator returns a context whose security events name the command line.
func asOperator(ctx context.Context) context.Context {
	ctx, _ = model.WithOrigin(ctx, model.Origin{Door: model.DoorCommand})
	return ctx
}
