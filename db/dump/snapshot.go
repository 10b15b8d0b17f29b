// Package dump reads and writes all tables of a database at once: for a backup and its restore, and for
// the checks of portico doctor.
package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"portico/db"
	"portico/db/dial"
	"portico/db/migrations"
)

// Snapshot reads the whole database as it was at one moment, for a backup and for checks, while
// servers go on. It changes nothing, so it needs no right but to read. The caller closes it soon:
// Postgres keeps every row that a snapshot can see.
//
// It uses the driver of the queue, which has COPY.
type Snapshot struct {
	pool *pgxpool.Pool
	tx   pgx.Tx
}

// Table is a table of a backup, or the queue.
type Table struct {
	Name string `json:"name"`
	// Columns are the stored columns. Not among them are generated columns, which Postgres computes,
	// and ids of transactions, which mean nothing in another cluster: an id of the future would hide
	// its row from subscriptions. A restore gives them new ones.
	Columns []string `json:"columns"`
}

// ErrNoTables means that no server has created its tables in the database yet.
var ErrNoTables = errors.New("the database has no tables of Portico")

// OpenSnapshot starts the transaction of a snapshot. It returns ErrNoTables for a database without
// our tables.
func OpenSnapshot(ctx context.Context, address string) (*Snapshot, error) {
	pool, err := dial.OpenQueue(ctx, address, 1)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{pool: pool}
	s.tx, err = pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err == nil {
		var exists bool
		err = s.tx.QueryRow(ctx, "SELECT to_regclass('migrations') IS NOT NULL").Scan(&exists)
		if err == nil && !exists {
			err = ErrNoTables
		}
	}
	if err == nil {
		// Without it, two reads of a large table may return its rows in different orders.
		_, err = s.tx.Exec(ctx, "SET LOCAL synchronize_seqscans = off")
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("read the database: %w", dial.ContextError(ctx, err))
	}
	return s, nil
}

// Close ends the transaction and the connection.
func (s *Snapshot) Close() {
	if s.tx != nil {
		_ = s.tx.Rollback(context.Background()) // the connection closes anyway
	}
	s.pool.Close()
}

// Migrations returns the names of the migrations that made the tables, in their order.
func (s *Snapshot) Migrations(ctx context.Context) ([]string, error) {
	return collect[string](ctx, s.tx, "SELECT name FROM migrations ORDER BY name")
}

// Tables returns our tables, each after those that it refers to, and then the queue. River's own
// tables are not among them: a restore makes them anew.
func (s *Snapshot) Tables(ctx context.Context) ([]Table, error) {
	var ours []string
	for _, right := range migrations.Rights() {
		if !isRivers(right.Table) && right.Table != "migrations" {
			ours = append(ours, right.Table)
		}
	}
	rows, err := s.tx.Query(ctx, `
		SELECT relname, array_agg(attname::text ORDER BY attnum)
		FROM pg_class AS c JOIN pg_attribute AS a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
			AND attgenerated = '' AND atttypid <> 'xid8'::regtype
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ANY($1) GROUP BY relname ORDER BY relname`, ours)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (table Table, err error) {
		return table, row.Scan(&table.Name, &table.Columns)
	})
	if err != nil {
		return nil, err
	}
	rows, err = s.tx.Query(ctx, `SELECT referring.relname, referred.relname FROM pg_constraint
		JOIN pg_class AS referring ON referring.oid = conrelid JOIN pg_class AS referred ON referred.oid = confrelid
		WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conrelid <> confrelid`)
	if err != nil {
		return nil, err
	}
	references, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pair [2]string, err error) {
		return pair, row.Scan(&pair[0], &pair[1])
	})
	if err != nil {
		return nil, err
	}
	return append(inOrder(tables, references), Table{queueTable, queueColumns()}), nil
}

// inOrder returns the tables, each after those that it refers to. A reference is the name of a table
// and of the one that it refers to.
func inOrder(tables []Table, references [][2]string) (ordered []Table) {
	for len(tables) > 0 {
		waits := func(table Table) bool {
			return slices.ContainsFunc(references, func(pair [2]string) bool {
				return pair[0] == table.Name && slices.ContainsFunc(tables, func(other Table) bool { return other.Name == pair[1] })
			})
		}
		next := max(0, slices.IndexFunc(tables, func(table Table) bool { return !waits(table) }))
		ordered = append(ordered, tables[next])
		tables = slices.Delete(tables, next, next+1)
	}
	return ordered
}

// queueTable is the name in a backup of the rows of River that a restore brings back.
const queueTable = "queue"

// queueColumns are the columns of such a row, which db.RescueBackgroundJobs sets as well. The others get
// their defaults: the row may run at once.
func queueColumns() []string {
	return []string{"args", "attempt", "kind", "max_attempts", "priority", "queue", "unique_key", "unique_states"}
}

// savedQueue selects the rows of River that a backup keeps: the unfinished ones of all kinds but mail,
// whose links expire and which a server that goes on has sent. Periodic work starts again by itself.
func savedQueue(columns string) string {
	kinds := slices.DeleteFunc(append(db.RescuedKinds(), db.JobKind), func(kind string) bool { return kind == db.MailKind })
	return "SELECT " + columns + " FROM river_job WHERE state IN " + db.UnfinishedStates +
		" AND kind = ANY('{" + strings.Join(kinds, ",") + "}') ORDER BY id"
}

// Copy writes the rows of a table, in the text format of COPY, and returns their number.
func (s *Snapshot) Copy(ctx context.Context, table Table, w io.Writer) (rows int64, err error) {
	return copyOut(ctx, s.tx, table, w)
}

func copyOut(ctx context.Context, tx pgx.Tx, table Table, w io.Writer) (int64, error) {
	statement := "COPY " + target(table) + " TO STDOUT"
	if table.Name == queueTable {
		statement = "COPY (" + savedQueue(columns(table)) + ") TO STDOUT"
	}
	tag, err := tx.Conn().PgConn().CopyTo(ctx, w, statement)
	if err != nil {
		return 0, fmt.Errorf("read the table %s: %w", table.Name, dial.ContextError(ctx, err))
	}
	return tag.RowsAffected(), nil
}

// Sequences returns the last value of each sequence of a table, by "table.column". Those that were
// not used yet are missing, and those that the role may not read.
func (s *Snapshot) Sequences(ctx context.Context) (map[string]int64, error) {
	rows, err := s.tx.Query(ctx, `
		SELECT c.relname || '.' || attname, last_value
		FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid AND relnamespace = current_schema()::regnamespace AND relkind = 'r'
			JOIN pg_class AS s ON s.oid = pg_get_serial_sequence(quote_ident(c.relname), attname)::regclass
			JOIN pg_sequences ON schemaname = current_schema() AND sequencename = s.relname
		WHERE attidentity <> '' AND last_value IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	values := map[string]int64{}
	var name string
	var value int64
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		values[name] = value
		return nil
	})
	return values, err
}

// Holding is what a row says is in the store: an object, or the objects of a folder.
type Holding struct {
	// Kind is a word for people: file, derived, upload or picture.
	Kind string
	// ID is the resource key of the file or the upload, or the id of the account.
	ID string
	// Key is the key of the object. That of a folder ends in a slash.
	Key string
	// Objects and Bytes are what is stored at least; 0 and 0 for what need not be there, such as an
	// upload whose bytes may still come.
	Objects int
	Bytes   int64
	// Required are the keys that must be among the objects.
	Required []string
}

// holdings has the rules of model.File, model.Upload and model.Account, which name the keys.
const holdings = `
	WITH stored AS (
		SELECT f.*, f.user_id || '/' AS account, u.resource_key AS upload_key FROM files AS f JOIN uploads AS u ON u.id = f.upload_id
	), held (kind, id, key, objects, bytes, required) AS (
		SELECT 'file', resource_key,
			account || CASE WHEN resource_key = upload_key THEN resource_key ELSE regexp_replace(upload_key, '\.[^./]*$', '') || '/' END,
			objects, size, ARRAY[account || resource_key]
		FROM stored
		UNION ALL
		SELECT 'derived', resource_key, account || 'derived/' || upload_id || '/', least(derived_bytes, 1)::int, derived_bytes,
			ARRAY(SELECT DISTINCT account || named FROM unnest(ARRAY[poster_key, view_key, collision_key, posters #>> '{turntable,key}'] ||
				ARRAY(SELECT picture ->> 'key' FROM jsonb_array_elements(CASE jsonb_typeof(posters -> 'sizes') WHEN 'array' THEN posters -> 'sizes' END) AS picture)) AS named WHERE named <> '')
		FROM stored
		UNION ALL
		SELECT 'upload', resource_key, user_id || '/' || resource_key, 0, 0, '{}' FROM uploads WHERE state IN ('pending', 'processing')
		UNION ALL
		SELECT 'picture', user_id, storage_key, 1, 0, ARRAY[storage_key] FROM account_pictures
	)
	SELECT kind, id, key, objects, bytes, required FROM held ORDER BY key COLLATE "C"`

// Holdings returns what the store must have, in the order of the keys, which is the order of
// storage.Store.List. No two overlap.
func (s *Snapshot) Holdings(ctx context.Context) ([]Holding, error) {
	rows, err := s.tx.Query(ctx, holdings)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Holding])
}

// collect returns the values of a query with one column.
func collect[T any](ctx context.Context, tx pgx.Tx, query string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}
