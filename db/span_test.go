package db

import (
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/internal/testkit/postgres"
)

func TestSubject_names_the_statement_and_its_table(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`SELECT "u"."id" FROM "users" AS "u"`:                        "SELECT users",
		"\n\t\tinsert into river_job (args) VALUES ('from users')":   "INSERT river_job",
		`UPDATE "entities" AS e SET data = 'UPDATE users'`:           "UPDATE entities",
		"DELETE FROM spaces":                                         "DELETE spaces",
		"WITH lost AS (UPDATE river_job SET x = 1) SELECT FROM lost": "WITH river_job",
		"SELECT pg_notify('from secret')":                            "SELECT ",
		"COMMIT":                                                     "COMMIT ",
		"":                                                           "OTHER ",
		"sk-a-key-that-got-here":                                     "OTHER ",
	} {
		operation, table := operationAndTable(text)
		if got := operation + " " + table; got != want {
			t.Errorf("subject of %q: got %q, want %q", text, got, want)
		}
	}
}

func TestSubject_knows_all_tables(t *testing.T) {
	t.Parallel()
	var there []string
	check(t, testDB(t).idb.NewRaw(
		"SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()").Scan(t.Context(), &there))
	for _, table := range there {
		// River has tables of its features that we do not use.
		if !isTable(table) && !strings.HasPrefix(table, "river_") {
			t.Errorf("table %s: spans do not know it, want it among the rights", table)
		}
	}
	if len(there) == 0 {
		t.Error("tables: got none")
	}
}

// A span contains no argument of a statement, not even when the error of Postgres quotes
// it.
func TestSpans_hold_only_the_code_of_an_error(t *testing.T) {
	t.Parallel()
	recorded := tracetest.NewInMemoryExporter()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSyncer(recorded)).Tracer("test")
	db := openTest(t, Options{URL: postgres.URL(t, migrateTest), Tracer: tracer})
	ctx, request := tracer.Start(t.Context(), "request")

	const secret = "a-secret-of-the-caller"
	_, err := db.Accounts().User(t.Context(), secret) // in no trace
	if err == nil {
		t.Error("a user that is not there: got nil, want an error")
	}
	_, err = db.Entities().OwnedEntity(ctx, secret, secret, secret)
	check(t, err)
	err = db.InTx(ctx, func(tx *DB) error {
		_, err := tx.idb.ExecContext(ctx, "UPDATE users SET quota = ?::bigint", secret)
		if err == nil || !strings.Contains(err.Error(), secret) {
			t.Errorf("a text for a number: got %v, want an error that quotes it", err)
		}
		return err
	})
	if err == nil {
		t.Error("a transaction that failed: got nil, want an error")
	}
	request.End()

	var names []string
	for _, s := range recorded.GetSpans() {
		names = append(names, s.Name)
		if s.Name == "UPDATE users" && (s.Status.Code != codes.Error || s.Status.Description != "") {
			t.Errorf("status of %s: got %v, want an error without a text", s.Name, s.Status)
		}
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), secret) {
				t.Errorf("%s of %s: got %q, want nothing of the statement", a.Key, s.Name, a.Value.String())
			}
		}
	}
	if want := []string{"SELECT entities", "BEGIN", "UPDATE users", "ROLLBACK", "request"}; !slices.Equal(names, want) {
		t.Errorf("spans: got %q, want %q", names, want)
	}
}
