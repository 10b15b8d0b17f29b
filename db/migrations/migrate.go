package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/db/dial"
	"portico/internal/background"
)

// Run brings our schema and River's up to date, connected to the address owner, and
// grants the role of the address application exactly the rights that it needs. Both
// addresses may be the same. When there is nothing to change, the owner needs no right to
// change the schema. Several processes may call Migrate at once: they run one after the
// other.
//
// It runs at every start of the server, before anything else uses the database. Migrations only go
// forward. Each must keep the statements of the version before it working, because replicas are
// replaced one after the other.
func Run(ctx context.Context, owner, application string, log *slog.Logger) error {
	return RunAfter(ctx, owner, application, log, nil)
}

// RunAfter is Run, and calls prepare before it changes tables that exist, while no other
// process migrates. An error of prepare ends it with the tables as they were. Nil is not called.
func RunAfter(ctx context.Context, owner, application string, log *slog.Logger, prepare func(context.Context, Plan) error) error {
	return migrate(ctx, owner, application, Files, log, prepare)
}

// RunThese runs the migrations with these names alone, for a database that an older version has made.
// The error wraps ErrNewer if the database has others already.
func RunThese(ctx context.Context, owner string, names []string, log *slog.Logger) error {
	return migrate(ctx, owner, owner, chosen{Files, names}, log, nil)
}

// ErrNotOwner is the error of Run when the role must change the schema but may not.
var ErrNotOwner = errors.New("the role must own the schema, or one that does must migrate it first")

// migrate calls migrateLocked, and says so if the role may not.
func migrate(
	ctx context.Context, owner, application string, files fs.FS, log *slog.Logger, prepare func(context.Context, Plan) error,
) error {
	err := migrateLocked(ctx, owner, application, files, log, prepare)
	if dial.SQLState(err) == insufficientPrivilege {
		return fmt.Errorf("%w: %w", ErrNotOwner, err)
	}
	return err
}

// insufficientPrivilege is the SQLSTATE of a statement that the role may not run.
const insufficientPrivilege = "42501"

// migrateLocked holds the migration lock and runs the migrations of these files. The lock belongs to the
// session, because each migration is its own transaction. Postgres releases it when the connection of a
// killed process ends.
func migrateLocked(
	ctx context.Context, owner, application string, files fs.FS, log *slog.Logger, prepare func(context.Context, Plan) error,
) (err error) {
	// A pool of its own: building an index or waiting for the lock takes longer than the
	// statement timeout of requests.
	root, err := dial.Open(owner, dial.Pool{Connections: 2, StatementTimeout: time.Hour})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	lock, err := root.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", dial.ContextError(ctx, err))
	}
	if err := checkServer(ctx, lock); err != nil {
		return errors.Join(err, lock.Close())
	}
	// Closing the connection releases the lock.
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := waitForLock(ctx, lock); err != nil {
		return fmt.Errorf("wait for other migrations: %w", dial.ContextError(ctx, err))
	}
	if err := migrateDomain(ctx, root, files, log, prepare); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := migrateQueue(ctx, owner, log); err != nil {
		return fmt.Errorf("migrate the queue: %w", err)
	}
	if owner == application {
		return nil
	}
	if err := grantRights(ctx, root, application, log); err != nil {
		return fmt.Errorf("grant the application's rights: %w", err)
	}
	return nil
}

// minServerVersion is the oldest PostgreSQL whose SQL the migrations and the statements use, in the
// form of server_version_num.
const minServerVersion = 140000

// checkServer returns an error for a database that cannot have the schema.
func checkServer(ctx context.Context, conn bun.Conn) error {
	var version int
	var encoding string
	var schema sql.NullString
	err := conn.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_schema()").
		Scan(&version, &encoding, &schema)
	if err != nil {
		return fmt.Errorf("read the version of the database: %w", dial.ContextError(ctx, err))
	}
	if err := serverTrouble(version, encoding); err != nil {
		return err
	}
	if !schema.Valid {
		return errors.New("no schema of search_path exists, or the role may not use it. Create it with CREATE SCHEMA, or change search_path")
	}
	return nil
}

// serverTrouble returns an error for a version that is too old and for an encoding that cannot hold
// every text.
func serverTrouble(version int, encoding string) error {
	if version < minServerVersion {
		return fmt.Errorf("the server runs PostgreSQL %d. Use version %d or newer", version/10_000, minServerVersion/10_000)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database has the encoding %s, which cannot hold every text. "+
			"Create it with CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	return nil
}

// waitForLock polls for the lock: a statement that blocks on it would not notice the end of ctx. It
// waits as long as ctx allows: a migration that builds an index may take minutes.
func waitForLock(ctx context.Context, conn bun.Conn) error {
	const pollInterval = 50 * time.Millisecond
	for {
		var locked bool
		err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock(?)", migrationLock).Scan(&locked)
		if ctx.Err() != nil { // the driver returns another error for it
			return ctx.Err()
		}
		if err != nil || locked {
			return err
		}
		background.Pause(ctx, pollInterval)
	}
}

// migrateDomain applies the files that are new, in the order of their numbers. Each is one
// transaction with the record that it was applied, so a process that is killed leaves no file
// half-applied. It logs each one, because an operator wants to see which takes long.
//
// It refuses a database that a newer version has migrated: only that version knows what its tables
// mean. A replica of the older version that serves already goes on. A database in which the first file
// was never applied has other tables.
func migrateDomain(
	ctx context.Context, root *bun.DB, files fs.FS, log *slog.Logger, prepare func(context.Context, Plan) error,
) error {
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return err
	}
	applied, err := appliedMigrations(ctx, root)
	if err != nil {
		return err
	}
	if len(applied) > 0 && !slices.Contains(applied, names[0]) {
		return fmt.Errorf("the tables are of a version from before the first release (%s), and no version can "+
			"migrate them. Use an empty database, or another data folder", slices.Min(applied))
	}
	if err := checkKnown(files, applied); err != nil {
		return err
	}
	missing := slices.DeleteFunc(names, func(name string) bool { return slices.Contains(applied, name) })
	if len(applied) > 0 && len(missing) > 0 && prepare != nil {
		plan, err := planMigration(ctx, root, files, missing)
		if err != nil {
			return err
		}
		if err := prepare(ctx, plan); err != nil {
			return err
		}
	}
	for _, name := range missing {
		statements, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		err = root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return runMigration(ctx, tx, name, string(statements)) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		log.Info("migrated", "migration", name)
	}
	return nil
}

// appliedMigrations returns the names of the migrations that were applied before. In an
// empty database it creates their table; otherwise it only reads, since the application's
// role may not write the table.
func appliedMigrations(ctx context.Context, root *bun.DB) (names []string, err error) {
	var exists bool
	if err := root.QueryRowContext(ctx, "SELECT to_regclass('migrations') IS NOT NULL").Scan(&exists); err != nil {
		return nil, err
	}
	if !exists {
		_, err := root.ExecContext(ctx, `CREATE TABLE migrations (
			name text PRIMARY KEY, ran_at timestamptz NOT NULL DEFAULT now())`)
		return nil, err
	}
	err = root.NewRaw("SELECT name FROM migrations").Scan(ctx, &names)
	return names, err
}

// runMigration records the migration and runs its statements. The record goes first: two processes
// that passed the lock by mistake would fail at its primary key.
func runMigration(ctx context.Context, tx bun.Tx, name, statements string) error {
	if _, err := tx.ExecContext(ctx, "INSERT INTO migrations (name) VALUES (?)", name); err != nil {
		return err
	}
	// Not through Bun, which treats question marks as placeholders.
	_, err := tx.Tx.ExecContext(ctx, statements)
	return err
}

// migrateQueue migrates River's tables. River keeps its own table of versions, and each of its
// migrations is a transaction.
func migrateQueue(ctx context.Context, address string, log *slog.Logger) error {
	pool, err := dial.OpenQueue(ctx, address, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	// River logs a line for each version. We log one for all.
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err == nil && len(result.Versions) > 0 {
		log.Info("migrated the queue", "version", result.Versions[len(result.Versions)-1].Version)
	}
	return err
}

// Right is what the application may do with a table.
type Right struct {
	Table string
	// Privileges are in the order in which Postgres lists them.
	Privileges string
}

// The privileges on most tables, in the order in which Postgres lists them.
const (
	selectOnly         = "SELECT"
	selectInsert       = "SELECT, INSERT"
	selectInsertUpdate = "SELECT, INSERT, UPDATE"
	selectInsertDelete = "SELECT, INSERT, DELETE"
	allPrivileges      = "SELECT, INSERT, UPDATE, DELETE"
)

// Rights lists every table, ours and River's. A table that is not listed is not granted,
// so a migration that adds a table adds a row here.
//
// The rights also limit an attacker who has taken over the application. The attacker cannot
// delete accounts except by delete_account, change or delete what the audit trail says, or touch
// the migrations.
func Rights() []Right {
	return []Right{
		{"users", selectInsertUpdate}, {"api_keys", selectInsertUpdate}, {"json_usage", selectInsertUpdate}, {"totals", allPrivileges},
		{"uploads", allPrivileges}, {"upload_writers", allPrivileges}, {"splat_uploads", allPrivileges}, {"splat_parts", allPrivileges}, {"splat_settings", allPrivileges}, {"files", allPrivileges}, {"format_downloads", allPrivileges}, {"jobs", allPrivileges}, {"removals", allPrivileges},
		{"spaces", allPrivileges}, {"space_texts", selectInsertUpdate}, {"space_files", allPrivileges}, {"share_links", allPrivileges}, {"handles", allPrivileges}, {"space_slugs", allPrivileges}, {"entities", allPrivileges}, {"skipped_entities", selectInsertDelete},
		{"visits", allPrivileges}, {"daily_statistics", allPrivileges},
		{"changes", selectInsertDelete}, {"space_versions", allPrivileges}, {"version_changes", allPrivileges}, {"history_usage", selectInsertUpdate},
		{"follows", selectInsertDelete}, {"notifications", selectInsert},
		{"webhooks", allPrivileges}, {"webhook_deliveries", allPrivileges},
		{"oauth_clients", allPrivileges}, {"oauth_codes", selectInsertDelete}, {"oauth_consents", selectInsertDelete}, {"sessions", allPrivileges},
		{"identities", selectInsertDelete}, {"unproven_emails", selectInsertDelete}, {"mailed_links", allPrivileges}, {"email_changes", allPrivileges},
		{"one_time_codes", allPrivileges}, {"recovery_codes", selectInsertDelete}, {"passkeys", allPrivileges}, {"passkey_challenges", selectInsertDelete},
		{"operators", selectInsertDelete}, {"disabled_accounts", selectInsertDelete}, {"takedowns", selectInsertDelete}, {"hidden_spaces", allPrivileges},
		{"reports", allPrivileges}, {"samples", selectInsertDelete}, {"request_counts", allPrivileges}, {"account_pictures", allPrivileges}, {"avatars", allPrivileges},
		{"audit_events", selectInsert}, {"migrations", selectOnly}, {"river_migration", selectOnly},
		{"river_job", allPrivileges}, {"river_leader", allPrivileges}, {"river_queue", allPrivileges}, {"river_notification", selectInsertDelete},
	}
}

// ownerFunctions lists the functions that run with the rights of the owner, and that only
// the application may call.
func ownerFunctions() []string {
	return []string{"rebuild_queue_indexes()", "purge_audit_events(interval, integer)", "delete_account(text)"}
}

// grantRights grants the role of the application's address the privileges of the list and
// revokes all others. It writes nothing when they are correct already, as at most starts.
//
// It connects as the application, because a pooler may map the user name of the address to another
// role, and because the addresses or the roles may have different schemas in their search_path.
func grantRights(ctx context.Context, root *bun.DB, application string, log *slog.Logger) (err error) {
	applied, err := dial.Open(application, dial.Pool{Connections: 1, StatementTimeout: statementTimeout})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, applied.Close()) }()
	var role string
	if err := applied.QueryRowContext(ctx, "SELECT current_user").Scan(&role); err != nil {
		return err
	}
	granted := false
	err = root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		tables, err := grantTables(ctx, tx, role)
		if err != nil {
			return err
		}
		others, err := grantUsage(ctx, tx, role)
		granted = tables || others
		return err
	})
	if err != nil {
		return err
	}
	if granted {
		log.Info("granted the privileges of the application", "role", role)
	}
	return checkSameSchema(ctx, root, applied)
}

// checkSameSchema returns an error if the application finds other tables than the owner, or none.
func checkSameSchema(ctx context.Context, owner, application *bun.DB) error {
	var schema string
	var want, got sql.NullInt64
	const table = "to_regclass('migrations')::oid::bigint"
	if err := owner.QueryRowContext(ctx, "SELECT current_schema(), "+table).Scan(&schema, &want); err != nil {
		return err
	}
	if err := application.QueryRowContext(ctx, "SELECT "+table).Scan(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the application does not find the tables, which are in the schema %q: its search_path, or its database, is another", schema)
	}
	return nil
}

// grantTables reports whether it changed the privileges on a table.
func grantTables(ctx context.Context, tx bun.Tx, role string) (granted bool, err error) {
	held, err := heldRights(ctx, tx, role)
	if err != nil {
		return false, err
	}
	for _, want := range Rights() {
		if got, ok := held[want.Table]; !ok || got == want.Privileges {
			continue
		}
		granted = true
		_, err := tx.ExecContext(ctx, "REVOKE ALL ON ? FROM ?; GRANT "+want.Privileges+" ON ? TO ?",
			bun.Ident(want.Table), bun.Ident(role), bun.Ident(want.Table), bun.Ident(role))
		if err != nil {
			return false, fmt.Errorf("table %s: %w", want.Table, err)
		}
	}
	return granted, nil
}

// heldRights returns the privileges of the role on each table that exists.
func heldRights(ctx context.Context, tx bun.Tx, role string) (map[string]string, error) {
	var tables []string
	for _, r := range Rights() {
		tables = append(tables, r.Table)
	}
	var rows []struct{ Name, Held string }
	err := tx.NewRaw(`
		SELECT name, coalesce(string_agg(privilege, ', ' ORDER BY place)
			FILTER (WHERE has_table_privilege(?, name, privilege)), '') AS held
		FROM unnest(?::text[]) AS name,
			unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) WITH ORDINALITY AS list (privilege, place)
		WHERE to_regclass(name) IS NOT NULL GROUP BY name`, role, pgdialect.Array(tables)).Scan(ctx, &rows)
	held := make(map[string]string, len(rows))
	for _, row := range rows {
		held[row.Name] = row.Held
	}
	return held, err
}

// grantUsage grants the use of the schema, of the functions of the owner and of the
// sequences of serial columns, and reports whether it changed anything. The sequence of
// an identity column needs no privilege.
func grantUsage(ctx context.Context, tx bun.Tx, role string) (bool, error) {
	var statements []string
	err := tx.NewRaw(`
		SELECT format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), ?0::text)
		WHERE NOT has_schema_privilege(?0, current_schema(), 'USAGE')
		UNION ALL
		SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', to_regprocedure(name), ?0::text) FROM unnest(?1::text[]) AS name
		WHERE NOT has_function_privilege(?0, to_regprocedure(name), 'EXECUTE')
		UNION ALL
		SELECT format('GRANT USAGE ON SEQUENCE %s TO %I', objid::regclass, ?0::text)
		FROM pg_depend JOIN pg_class ON pg_class.oid = objid AND relkind = 'S'
		WHERE classid = 'pg_class'::regclass AND deptype = 'a' AND has_table_privilege(?0, refobjid, 'INSERT')
			AND relnamespace = current_schema()::regnamespace AND NOT has_sequence_privilege(?0, objid, 'USAGE')`,
		role, pgdialect.Array(ownerFunctions())).Scan(ctx, &statements)
	if err != nil {
		return false, err
	}
	for _, statement := range statements {
		// Not through Bun, which treats a question mark in a name as a placeholder.
		if _, err := tx.Tx.ExecContext(ctx, statement); err != nil {
			return false, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return len(statements) > 0, nil
}

// migrationLock is the advisory lock that makes the replicas migrate one after the other. Locks of one
// database have different numbers: db and db/private have others. Never change a number: processes of
// two versions may run together during an upgrade.
const migrationLock = 7_041_776_001

// statementTimeout ends statements that only read the catalogue.
const statementTimeout = 10 * time.Second
