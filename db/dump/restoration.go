package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"portico/db/dial"
	"portico/db/migrations"
)

// Restoration fills an empty database with the tables of a backup: all of them in one transaction, or
// nothing.
//
// The tables are those of the backup, which may be of an older version. The next start brings them
// up to date and grants the rights of the application.
type Restoration struct {
	pool *pgxpool.Pool
	tx   pgx.Tx // of Begin
}

// OpenRestoration creates the tables that these migrations make. It refuses a database that has rows
// or that a server uses, and migrations that this version does not have. The address is that of the
// owner.
func OpenRestoration(ctx context.Context, address string, applied []string, log *slog.Logger) (*Restoration, error) {
	if err := migrations.CheckKnown(applied); err != nil {
		return nil, err
	}
	pool, err := dial.OpenQueue(ctx, address, 1)
	if err != nil {
		return nil, err
	}
	r := &Restoration{pool: pool}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return errors.Join(checkUnused(ctx, tx), checkEmpty(ctx, tx)) })
	if err == nil {
		err = migrations.RunThese(ctx, address, applied, log)
		if errors.Is(err, migrations.ErrNewer) {
			err = errors.New("the database has tables of a newer version than the backup. Restore into a database without tables, " +
				"or into another data folder. The next start of a server migrates it")
		}
	}
	if err != nil {
		pool.Close()
		return nil, dial.ContextError(ctx, err)
	}
	return r, nil
}

// Close undoes what was not committed, and closes the connection.
func (r *Restoration) Close() {
	if r.tx != nil {
		_ = r.tx.Rollback(context.Background()) // after a commit there is nothing to undo
	}
	r.pool.Close()
}

// checkUnused returns an error if a server is connected, which would write beside the restore.
func checkUnused(ctx context.Context, tx pgx.Tx) error {
	var others int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'portico%'`).Scan(&others)
	if err == nil && others > 0 {
		err = fmt.Errorf("a server or a worker uses the database (%d connections). Stop all of them first", others)
	}
	return err
}

// checkEmpty returns an error if one of our tables has rows.
func checkEmpty(ctx context.Context, tx pgx.Tx) error {
	tables, err := collect[string](ctx, tx, `SELECT relname::text FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`)
	if err != nil {
		return err
	}
	for _, right := range migrations.Rights() {
		if !slices.Contains(tables, right.Table) || isRivers(right.Table) || right.Table == "migrations" {
			continue
		}
		var used bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+pgx.Identifier{right.Table}.Sanitize()+")").Scan(&used); err != nil {
			return err
		}
		if used {
			return fmt.Errorf("the database is not empty: its table %s has rows. Restore into an empty database, "+
				"or into another data folder", right.Table)
		}
	}
	return nil
}

// isRivers reports whether a table is one of River's own.
func isRivers(table string) bool { return strings.HasPrefix(table, "river_") }

// Begin starts the transaction that fills the tables. Nothing else can write them from now on, and
// their triggers are off: what they would compute is in the backup.
func (r *Restoration) Begin(ctx context.Context, tables []Table) (err error) {
	if r.tx, err = r.pool.Begin(ctx); err != nil {
		return err
	}
	if _, err := r.tx.Exec(ctx, "SET LOCAL synchronize_seqscans = off"); err != nil {
		return err
	}
	if err := r.setTriggers(ctx, "DISABLE", tables); err != nil {
		return err
	}
	// Once more, now that nobody can add a row.
	return checkEmpty(ctx, r.tx)
}

// setTriggers enables or disables the triggers of the tables. Those of foreign keys stay.
func (r *Restoration) setTriggers(ctx context.Context, verb string, tables []Table) error {
	for _, table := range tables {
		if table.Name == queueTable {
			continue
		}
		if isRivers(table.Name) || table.Name == "migrations" {
			return fmt.Errorf("the backup has the table %s, which is no part of one", table.Name)
		}
		if _, err := r.tx.Exec(ctx, "ALTER TABLE "+pgx.Identifier{table.Name}.Sanitize()+" "+verb+" TRIGGER USER"); err != nil {
			return fmt.Errorf("table %s: %w", table.Name, err)
		}
	}
	return nil
}

// Copy fills a table with what Snapshot.Copy has written, and returns the number of rows.
func (r *Restoration) Copy(ctx context.Context, table Table, rows io.Reader) (int64, error) {
	tag, err := r.tx.Conn().PgConn().CopyFrom(ctx, rows, "COPY "+target(table)+" FROM STDIN")
	if err != nil {
		return 0, fmt.Errorf("fill the table %s: %w", table.Name, dial.ContextError(ctx, err))
	}
	return tag.RowsAffected(), nil
}

// CopyBack writes the rows that are in the table now, as Snapshot.Copy does.
func (r *Restoration) CopyBack(ctx context.Context, table Table, w io.Writer) error {
	_, err := copyOut(ctx, r.tx, table, w)
	return err
}

// Commit sets the sequences, at least to the largest number in use, and makes all rows visible.
func (r *Restoration) Commit(ctx context.Context, tables []Table, sequences map[string]int64) error {
	if err := r.setTriggers(ctx, "ENABLE", tables); err != nil {
		return err
	}
	rows, err := r.tx.Query(ctx, `SELECT relname::text, attname::text FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attidentity <> '' AND attnum > 0`)
	if err != nil {
		return err
	}
	numbered, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pair [2]string, err error) {
		return pair, row.Scan(&pair[0], &pair[1])
	})
	if err != nil {
		return err
	}
	for _, pair := range numbered {
		table, column := pgx.Identifier{pair[0]}.Sanitize(), pgx.Identifier{pair[1]}.Sanitize()
		_, err := r.tx.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, $2)::regclass, last) FROM (
				SELECT greatest(max(`+column+`), $3::bigint) AS last FROM `+table+`) AS used WHERE last > 0`,
			table, pair[1], sequences[pair[0]+"."+pair[1]])
		if err != nil {
			return fmt.Errorf("continue the numbers of %s: %w", pair[0], err)
		}
	}
	return r.tx.Commit(ctx)
}

// target returns the table and its columns for COPY.
func target(table Table) string {
	name := table.Name
	if name == queueTable {
		name = "river_job"
	}
	return pgx.Identifier{name}.Sanitize() + " (" + columns(table) + ")"
}

func columns(table Table) string {
	names := make([]string, len(table.Columns))
	for i, column := range table.Columns {
		names[i] = pgx.Identifier{column}.Sanitize()
	}
	return strings.Join(names, ", ")
}
