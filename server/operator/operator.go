// Package operator carries out an operator's commands on the database of a server, whether it runs or
// not: on accounts, spaces, jobs and the audit trail.
package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"portico/db/private"
	"portico/model"
	"portico/server"
	"portico/server/settings"
)

// Operator carries out the operator's commands on accounts, spaces, jobs and the audit trail. It
// opens the same database as the servers, whether they run or not.
type Operator struct{ program *server.Program }

// Open opens the database that the configuration names, and brings its schema up to date.
// It returns an error if the data folder has none: in the wrong folder, a command must not create
// one. The caller closes the Operator.
//
// It may run beside a running server: with a private Postgres both use the same one.
func Open(ctx context.Context, config settings.Config, logger *slog.Logger) (*Operator, error) {
	if config.DatabaseURL == "" && !private.Exists(config.DataDir) {
		return nil, fmt.Errorf("there is no database in %s: set PORTICO_DATA_DIR to the data folder of the server, "+
			"or PORTICO_DATABASE_URL to its database. A new server creates its database when portico serve starts", config.DataDir)
	}
	p := &server.Program{Config: config, Logger: logger}
	if err := p.OpenDatabase(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return &Operator{p}, nil
}

// Close closes the database. A private Postgres keeps running while a server uses it.
func (o *Operator) Close() error { return o.program.Close() }

// asOperator returns a context whose security events name the command line.
func asOperator(ctx context.Context) context.Context {
	ctx = model.WithOrigin(ctx, model.Origin{Door: model.DoorCommand})
	return ctx
}

// visitPages calls visit with each row of a list, until visit returns an error. It loads one page
// after the other, starting with this page, so that a long list does not have to fit in memory.
func visitPages[T model.Sortable](
	page model.Page, load func(model.Page) (*model.Connection[T], error), visit func(T) error,
) error {
	for {
		found, err := load(page)
		if err != nil {
			return err
		}
		for _, row := range found.Nodes {
			if err := visit(row); err != nil {
				return err
			}
			page.After, page.AfterValue = row.Key(page.Order.Field)
		}
		if !found.PageInfo.HasNextPage {
			return nil
		}
	}
}

// Export writes everything that the account with this address or id owns to out, as a zip. It needs
// no running server.
func (o *Operator) Export(ctx context.Context, account string, out io.Writer) error {
	ctx = asOperator(ctx)
	user, err := o.account(ctx, account)
	if err != nil {
		return err
	}
	return o.program.Export(ctx, user, out)
}
