package db

import (
	"strings"
	"testing"
	"time"

	"portico/db/dial"
	"portico/db/migrations"
	"portico/internal/testkit/postgres"
)

// Both drivers must have the same session, whatever the database and the role say.
func TestSessions_have_what_the_statements_rely_on(t *testing.T) {
	t.Parallel()
	address := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: address, Connections: 2, Logger: quiet()})
	name := databaseOf(t, db)
	for parameter, value := range map[string]string{
		"datestyle": "German, DMY", "intervalstyle": "iso_8601", "timezone": "Asia/Kolkata", "bytea_output": "escape", "client_encoding": "LATIN1",
		"standard_conforming_strings": "off", "extra_float_digits": "-3", "array_nulls": "off", "transform_null_equals": "on",
		"default_transaction_isolation": "serializable", "statement_timeout": "1min", "lock_timeout": "1min", "backslash_quote": "off",
	} {
		asAdmin(t, db, "ALTER DATABASE "+name+" SET "+parameter+" TO '"+value+"'")
	}
	odd := openTest(t, Options{URL: address + "&application_name=it%27s%20%5C%20%C3%A9&options=-c%20geqo=off&search_path=%22no%20such%22,public,%C3%A9", Connections: 2, Logger: quiet()})
	want := map[string]string{"geqo": "off", "search_path": `"no such",public,é`}
	for parameter, value := range dial.SessionParameters() {
		want[parameter] = value
	}
	pool, err := dial.OpenQueue(t.Context(), address+"&application_name=it%27s%20%5C%20%C3%A9&options=-c%20geqo=off&search_path=%22no%20such%22,public,%C3%A9", 1)
	check(t, err)
	defer pool.Close()
	for parameter, value := range want {
		var byDriver, byPool string
		check(t, odd.root.QueryRowContext(t.Context(), "SELECT current_setting(?)", parameter).Scan(&byDriver))
		check(t, pool.QueryRow(t.Context(), "SELECT current_setting($1)", parameter).Scan(&byPool))
		if byPool != value {
			t.Errorf("%s of the queue: got %s, want %s", parameter, byPool, value)
		}
		if strings.Contains(parameter, "_timeout") {
			continue // as Options says
		}
		if byDriver != value {
			t.Errorf("%s of the server: got %s, want %s", parameter, byDriver, value)
		}
	}
	user := addUser(t, odd)
	found, err := odd.Accounts().User(t.Context(), user.ID)
	check(t, err)
	if !found.CreatedAt.Equal(user.CreatedAt.Time) {
		t.Errorf("createdAt: got %v, want %v", found.CreatedAt, user.CreatedAt)
	}
}

// All tables are in the schema that the address names, River's too.
func TestMigrate_creates_all_tables_in_the_schema_of_search_path(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, migrateTest)
	admin := postgres.Connect(t, postgres.AdminURL(t, owner))
	_, err := admin.ExecContext(t.Context(), "CREATE SCHEMA apart AUTHORIZATION portico_owner")
	check(t, err)
	if err := migrations.Run(t.Context(), owner+"&search_path=apart", application, quiet()); err == nil || !strings.Contains(err.Error(), `"apart"`) {
		t.Errorf("an application without the search_path: got %v, want an error with the schema", err)
	}
	if err := migrations.Run(t.Context(), owner+"&search_path=nowhere", application, quiet()); err == nil || !strings.Contains(err.Error(), "CREATE SCHEMA") {
		t.Errorf("a schema that does not exist: got %v, want what to do", err)
	}
	check(t, migrations.Run(t.Context(), owner+"&search_path=apart", application+"&search_path=apart", quiet()))
	var tables, elsewhere int
	check(t, admin.QueryRowContext(t.Context(), `SELECT count(*) FILTER (WHERE schemaname = 'apart'), count(*) FILTER (WHERE schemaname <> 'apart')
		FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`).Scan(&tables, &elsewhere))
	if tables < len(migrations.Rights()) || elsewhere != 0 {
		t.Errorf("tables: got %d in the schema and %d elsewhere, want %d and 0", tables, elsewhere, len(migrations.Rights()))
	}
	db, err := Open(t.Context(), Options{URL: application + "&search_path=apart", Connections: 2, Logger: quiet()})
	check(t, err)
	addUser(t, db)
	check(t, db.Close())
}

// A server that takes no part in a failover any more must not be used.
func TestTargetSessionAttrs(t *testing.T) {
	t.Parallel()
	address := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: address, Connections: 2, Logger: quiet()})
	asAdmin(t, db, "ALTER DATABASE "+databaseOf(t, db)+" SET default_transaction_read_only TO on")
	for attributes, want := range map[string]bool{"any": true, "primary": true, "read-write": false} {
		root, err := dial.Open(address+"&target_session_attrs="+attributes, dial.Pool{Connections: 1, StatementTimeout: time.Minute})
		check(t, err)
		if err := root.PingContext(t.Context()); (err == nil) != want || err != nil && !dial.Unavailable(err) {
			t.Errorf("%s: got %v, want it accepted %v", attributes, err, want)
		}
		check(t, root.Close())
	}
}
