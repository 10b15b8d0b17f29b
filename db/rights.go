package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

type right struct{ table, privileges string }

// The privileges on most tables, in the order in which Postgres lists them.
const (
	selectOnly         = "SELECT"
	selectInsert       = "SELECT, INSERT"
	selectInsertUpdate = "SELECT, INSERT, UPDATE"
	selectInsertDelete = "SELECT, INSERT, DELETE"
	allPrivileges      = "SELECT, INSERT, UPDATE, DELETE"
)

// rights lists every table, ours and River's. A table that is not listed is not granted,
// so a migration that adds a table adds a row here.
//
// The rights also limit an attacker who has taken over the application. The attacker cannot
// delete accounts except by delete_account, change or delete what the audit trail says, or touch
// the migrations.
func rights() []right {
	return []right{
		{"users", selectInsertUpdate}, {"api_keys", selectInsertUpdate}, {"json_usage", selectInsertUpdate}, {"totals", allPrivileges},
		{"uploads", allPrivileges}, {"upload_writers", allPrivileges}, {"files", allPrivileges}, {"jobs", allPrivileges}, {"removals", allPrivileges},
		{"spaces", allPrivileges}, {"space_texts", selectInsertUpdate}, {"space_files", allPrivileges}, {"entities", allPrivileges}, {"skipped_entities", selectInsertDelete},
		{"visits", allPrivileges}, {"daily_visits", selectInsertUpdate},
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
	applied, err := connect(Options{URL: application, StatementTimeout: statementTimeout, Connections: 1})
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

// heldRights returns the privileges of the role on each table that exists.
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
