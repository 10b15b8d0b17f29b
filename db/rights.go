package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// right is what the application may do with a table.
type right struct{ table, privileges string }

// What the application may do with most tables. The order is that of postgres.
const (
	read       = "SELECT"
	readAdd    = "SELECT, INSERT"
	readChange = "SELECT, INSERT, UPDATE"
	readForget = "SELECT, INSERT, DELETE"
	all        = "SELECT, INSERT, UPDATE, DELETE"
)

// rights lists every table, ours and River's. What is not listed is not granted,
// so a migration that adds a table adds a row here.
func rights() []right {
	return []right{
		{"users", readChange}, {"api_keys", readChange}, {"json_usage", readChange},
		{"uploads", all}, {"files", all}, {"jobs", all}, {"removals", all},
		{"spaces", all}, {"entities", all}, {"visits", all},
		{"follows", readForget}, {"notifications", readAdd},
		{"oauth_clients", all}, {"oauth_codes", readForget}, {"oauth_consents", readAdd}, {"sessions", all},
		{"identities", readAdd}, {"unproven_emails", readForget},
		{"audit_events", readAdd}, {"migrations", read}, {"river_migration", read},
		{"river_job", all}, {"river_leader", all}, {"river_queue", all}, {"river_notification", readForget},
	}
}

// ownersFunctions lists the functions that run with the rights of the owner, which
// the application may call and nobody else.
func ownersFunctions() []string {
	return []string{"rebuild_queue_indexes()", "purge_audit_events(interval, integer)"}
}

// grantRights gives the role of the application's address the rights of the list,
// and takes from it what it has beyond them. Where they are right already it writes
// nothing, so that most starts do not.
func grantRights(ctx context.Context, root *bun.DB, application string, log *slog.Logger) error {
	role, err := roleOf(ctx, application)
	if err != nil {
		return err
	}
	granted := false
	err = root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		tables, err := grantTables(ctx, tx, role)
		if err != nil {
			return err
		}
		others, err := grantOthers(ctx, tx, role)
		granted = tables || others
		return err
	})
	if err == nil && granted {
		log.Info("granted the application's rights", "role", role)
	}
	return err
}

// roleOf asks the server which role an address signs in as: a pooler may name it
// otherwise than the address does.
func roleOf(ctx context.Context, address string) (role string, err error) {
	root, err := connect(Options{URL: address, StatementTimeout: statementTimeout, Connections: 1})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	err = root.QueryRowContext(ctx, "SELECT current_user").Scan(&role)
	return role, err
}

// grantTables reports whether it changed the rights to a table.
func grantTables(ctx context.Context, tx bun.Tx, role string) (granted bool, err error) {
	held, err := heldRights(ctx, tx, role)
	if err != nil {
		return false, err
	}
	for _, want := range rights() {
		if got, ok := held[want.table]; !ok || got == want.privileges {
			continue
		}
		granted = true
		_, err := tx.ExecContext(ctx, "REVOKE ALL ON ? FROM ?; GRANT "+want.privileges+" ON ? TO ?",
			bun.Ident(want.table), bun.Ident(role), bun.Ident(want.table), bun.Ident(role))
		if err != nil {
			return false, fmt.Errorf("table %s: %w", want.table, err)
		}
	}
	return granted, nil
}

// heldRights returns what the role may do with each of the tables that are there.
func heldRights(ctx context.Context, tx bun.Tx, role string) (map[string]string, error) {
	var tables []string
	for _, r := range rights() {
		tables = append(tables, r.table)
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

// grantOthers grants the use of the schema, of the functions of the owner and of the
// sequences that number rows, and reports whether it had to. An identity column
// needs no such right.
func grantOthers(ctx context.Context, tx bun.Tx, role string) (bool, error) {
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
		role, pgdialect.Array(ownersFunctions())).Scan(ctx, &statements)
	if err != nil {
		return false, err
	}
	for _, statement := range statements {
		// Past Bun, to which a question mark in a name is a placeholder.
		if _, err := tx.Tx.ExecContext(ctx, statement); err != nil {
			return false, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return len(statements) > 0, nil
}
