package db

import (
	"testing"

	"portico/db/migrations"
)

// A table is exported with its account, or the reason says why not.
var exportedTables = map[string]string{
	"users": "account.json", "handles": "account.json", "follows": "follows.json", "notifications": "notifications.json", "audit_events": "security.json",
	"files": "files.json", "avatars": "avatars.json", "spaces": "spaces.json", "space_slugs": "spaces.json", "share_links": "spaces.json",
	"space_files": "spaces/", "entities": "spaces/", "splat_settings": "spaces/", "daily_statistics": "statistics.json", "space_versions": "history.json", "version_changes": "changes.json",

	"api_keys": secret, "oauth_codes": secret, "sessions": secret, "mailed_links": secret, "email_changes": secret, "one_time_codes": secret,
	"recovery_codes": secret, "passkey_challenges": secret, "passkeys": secret, "identities": secret, "webhooks": secret, "oauth_consents": secret,
	"json_usage": derived, "totals": derived, "history_usage": derived, "space_texts": derived, "changes": derived, "skipped_entities": derived,
	"format_downloads": "it is made from a file that is exported",
	"account_pictures": "docs/accounts.md says so",
	"uploads":          passing, "upload_writers": passing, "splat_uploads": passing, "splat_parts": passing, "removals": passing, "visits": passing,
	"webhook_deliveries": passing, "unproven_emails": passing, "jobs": passing,
	"oauth_clients": operators, "operators": operators, "disabled_accounts": operators, "takedowns": operators, "hidden_spaces": operators, "reports": operators,
	"samples": operators, "request_counts": operators, "migrations": operators, "river_migration": operators, "river_job": operators, "river_leader": operators,
	"river_queue": operators, "river_notification": operators,
}

const (
	secret    = "access to this server, which is set up again on another"
	derived   = "it is derived from what is exported"
	passing   = "it passes within days"
	operators = "it is of the server and its operators"
)

// Tables without rows of an account that deletes itself, or with rows that outlive it.
var keptTables = map[string]string{
	"audit_events": "for PORTICO_AUDIT_RETENTION, so that a deletion covers nothing", "removals": "what is to be removed of it",
	"handles": "without the account for a year, so that nobody takes over its name", "history_usage": "a number by an id that means nothing any more",
	"changes": "until the next minute's purge", "skipped_entities": "until the next minute's purge", "totals": "triggers count the deleted rows down",
	"oauth_clients": "of apps", "samples": "of the server", "request_counts": "of the server", "migrations": "of the server", "river_migration": "of the server",
	"river_job": "ids alone, and it ends", "river_leader": "of the server", "river_queue": "of the server", "river_notification": "of the server",
}

// Whoever adds a table decides whether an export has it, and a deletion takes it along.
func TestTables_of_an_account_are_exported_and_deleted(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	var references []struct{ Child, Parent string }
	check(t, db.idb.NewRaw(`
		SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent FROM pg_constraint
		WHERE contype = 'f' AND confdeltype = 'c'`).Scan(t.Context(), &references))
	deleted := map[string]bool{"users": true}
	for range len(references) {
		for _, r := range references {
			deleted[r.Child] = deleted[r.Child] || deleted[r.Parent]
		}
	}
	tables := map[string]bool{}
	for _, right := range migrations.Rights() {
		tables[right.Table] = true
		if exportedTables[right.Table] == "" {
			t.Errorf("%s: want a row in exportedTables: what exports it, or why nothing does", right.Table)
		}
		if _, kept := keptTables[right.Table]; kept == deleted[right.Table] {
			t.Errorf("%s: deleted with its account: %v, and a reason to keep it: %v", right.Table, deleted[right.Table], kept)
		}
	}
	for table := range exportedTables {
		if !tables[table] {
			t.Errorf("%s: got a row, but no such table", table)
		}
	}
}
