package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// A value that Postgres cannot store is the client's mistake, in every statement.
func TestTranslate(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	addEntity(t, db, space, "e", model.TypeSimple, `{}`)
	const deepest = 1000 // model refuses more
	longID := ""         // random, so that Postgres cannot compress it
	for len(longID) < 5000 {
		longID += model.Token()
	}
	deep := strings.Repeat(`{"a":`, deepest-1) + `{}` + strings.Repeat(`}`, deepest-1)
	for _, test := range []struct {
		name, data string
		want       model.Code
	}{
		{"keeps_plain_data", `{"a":1}`, ""},
		{"refuses_NUL", `{"a":"\u0000"}`, model.CodeInvalid},
		{"refuses_NUL_in_a_name", `{"\u0000":1}`, model.CodeInvalid},
		{"refuses_half_a_surrogate_pair", `{"a":"\ud800"}`, model.CodeInvalid},
		{"refuses_a_number_beyond_numeric", `{"a":1e200000}`, model.CodeInvalid},
		{"refuses_an_exponent_beyond_numeric", `{"a":1e99999999999}`, model.CodeInvalid},
		{"refuses_a_number_with_too_many_digits", `{"a":` + strings.Repeat("9", 140_000) + `}`, model.CodeInvalid},
		{"keeps_the_deepest_data", deep, ""},
		{"keeps_an_address_with_a_long_id", `{"glbUrl":"api_uploads/` + longID + `"}`, ""},
		{"keeps_another_address_with_a_long_id", `{"picture":"derived/` + longID + `"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for name, write := range jsonWrites(db, space) {
				if got := model.CodeOf(write(t.Context(), model.Object(test.data))); got != test.want {
					t.Errorf("%s: got %q, want %q", name, got, test.want)
				}
			}
		})
	}
}

// jsonWrites are the methods that store a client's JSON.
func jsonWrites(db *DB, space *model.Space) map[string]func(context.Context, model.Object) error {
	return map[string]func(context.Context, model.Object) error{
		"AddEntity": func(ctx context.Context, data model.Object) error {
			_, err := db.Entities().AddEntity(ctx, model.NewEntity(space.ID, model.NewUUID(), model.TypeSimple, data))
			return err
		},
		"PutOwnedEntity": func(ctx context.Context, data model.Object) error {
			_, _, err := db.Entities().PutOwnedEntity(ctx, space.OwnerID, model.NewEntity(space.ID, "e", model.TypeSimple, data), nil, false)
			return err
		},
		"MergeOwnedEntity": func(ctx context.Context, data model.Object) error {
			_, err := db.Entities().MergeOwnedEntity(ctx, space.OwnerID, model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: data})
			return err
		},
		"MergeEntity": func(ctx context.Context, data model.Object) error {
			_, err := db.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: data})
			return err
		},
		"UpdateSpace": func(ctx context.Context, data model.Object) error {
			_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Data: data})
			return err
		},
		"AddSpace": func(ctx context.Context, data model.Object) error {
			other := model.NewSpace(space.OwnerID, model.CreateSpace{Data: data}, nil)
			return db.Spaces().AddSpace(ctx, other, []*model.Entity{model.NewEntity(other.ID, "e", model.TypeSimple, nil)})
		},
	}
}

// Bun replaces such bytes; what comes past it is refused by Postgres.
func TestTranslate_refuses_bytes_that_are_not_UTF8(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	_, err := db.root.DB.ExecContext(t.Context(), "SELECT '\xff'::text")
	checkCode(t, translate(err), model.CodeInvalid)
}

func TestTranslate_knows_an_outage(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	_, ended := db.root.ExecContext(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid(), 1000)")
	_, full := db.root.ExecContext(t.Context(), "DO $$ BEGIN RAISE SQLSTATE '53100'; END $$")
	for name, err := range map[string]error{
		"a connection that Postgres ends": ended, "a full disk": full, "a connection that ends": io.EOF,
		"no route": &net.OpError{Op: "dial", Err: errors.New("no route")},
	} {
		got := translate(translate(err))
		if !model.AsError(got).IsOutage() || !dial.Unavailable(got) || dial.DiskFull(got) != (name == "a full disk") {
			t.Errorf("%s: got %v, want an outage with its cause", name, got)
		}
	}
}

func TestTranslate_leaves_the_rest_internal(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, fault := range []string{
		"SELECT nothing FROM nowhere", "SELECT 'x'::bigint", "SELECT 'x'::uuid", "SELECT 'x'::text[]", "SELECT 'x'::double precision",
		"SELECT sum(size)::bigint FROM (VALUES (9223372036854775807), (1)) AS sizes (size)", "SELECT 9223372036854775807 + 1",
		"SELECT '9223372036854775808'::bigint", "SELECT 3000000000::int", "SELECT '1e400'::double precision", "SELECT 123::numeric(2)",
		"SELECT 1" + strings.Repeat(", 1", 2000), "SELECT concat(1" + strings.Repeat(", 1", 200) + ")",
		"SELECT repeat('[', 100000)::jsonb", "SELECT repeat('x', 1073741823) || 'x'",
	} {
		_, err := db.idb.ExecContext(t.Context(), fault)
		if got := model.AsError(translate(err)); got.Code != model.CodeInternal || got.IsOutage() {
			t.Errorf("%.100s: got %q, an outage: %v, want %q and none", fault, got.Code, got.IsOutage(), model.CodeInternal)
		}
	}
	checkCode(t, translate(errors.New("network")), model.CodeInternal)
	checkCode(t, translate(nil), "")
	user := addUser(t, db)
	user.Plan = "gold" // our mistake: no client can send it
	checkCode(t, db.Accounts().UpdateUser(t.Context(), user), model.CodeInternal)
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, url, want string }{
		{"refuses_an_unknown_scheme", "mysql://u:SECRET@host/db", "must begin with postgres://"},
		{"refuses_an_unknown_sslmode", "postgres://u:SECRET@host/db?sslmode=sometimes", "sslmode"},
		{"refuses_a_certificate_that_is_not_there", "postgres://u:SECRET@host/db?sslmode=verify-full&sslrootcert=/no/such", "no such file"},
		{"reports_that_nobody_answers", "postgres://u:SECRET@127.0.0.1:1/db", "reach the database"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(t.Context(), Options{URL: test.url, Logger: quiet()})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open: got %v, want %q in it", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "SECRET") {
				t.Errorf("Open: got the password in %q", err)
			}
		})
	}
}

func TestOpen_ends_statements_that_run_too_long(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, StatementTimeout: 50 * time.Millisecond})
	_, err := db.idb.ExecContext(t.Context(), "SELECT pg_sleep(30)")
	if err == nil || !strings.Contains(err.Error(), "statement timeout") {
		t.Errorf("long statement: got %v, want a statement timeout", err)
	}
	check(t, db.Ping(t.Context()))
	for setting, want := range map[string]string{
		"statement_timeout": "50ms", "idle_in_transaction_session_timeout": "30s", "application_name": "portico",
	} {
		var got string
		check(t, db.idb.NewRaw("SELECT current_setting(?)", setting).Scan(t.Context(), &got))
		if got != want {
			t.Errorf("%s: got %s, want %s", setting, got, want)
		}
	}
}

// A response right after an insert equals every later read.
func TestRows_are_read_as_they_were_stored(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	space, other := addSpace(t, db, user, "Space"), addSpace(t, db, user, "Other")
	entity := addEntity(t, db, other, "e", model.TypeSimple, `{"a": 1}`) // changes touched_at of its space, a moment later
	job := addJob(t, db, user)
	upload := addUpload(t, db, user, 5, time.Hour)
	file := model.NewFile(upload)
	check(t, db.Files().AddFile(ctx, file))
	for _, test := range []struct {
		name string
		want any
		read func() (any, error)
	}{
		{"user", user, func() (any, error) { return db.Accounts().User(ctx, user.ID) }},
		{"space", space, func() (any, error) {
			read, err := db.Spaces().Space(ctx, space.ID)
			read.ReadAt = space.ReadAt // a later read is later
			return read, err
		}},
		{"entity", entity, func() (any, error) { return db.Entities().OwnedEntity(ctx, user.ID, other.ID, "e") }},
		{"job", job, func() (any, error) { return db.Jobs().Job(ctx, job.ID) }},
		{"upload", upload, func() (any, error) { return db.Uploads().Upload(ctx, upload.ID) }},
		{"file", file, func() (any, error) { return db.Files().FileOf(ctx, user.ID, file.ResourceKey) }},
	} {
		got, err := test.read()
		check(t, err)
		if got, want := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", test.want); got != want {
			t.Errorf("%s: got %s, want %s", test.name, got, want)
		}
	}
}

func TestMissing_rows_are_not_found_in_the_words_of_the_API(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	for _, test := range []struct {
		want string
		read func() error
	}{
		{"Space not found", func() error { _, err := db.Spaces().Space(ctx, "x"); return err }},
		{"Space not found", func() error { _, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: "x"}); return err }},
		{"Job not found", func() error { _, err := db.Jobs().Job(ctx, "x"); return err }},
		{"File not found", func() error { _, err := db.Files().FileOf(ctx, "x", "y"); return err }},
		{"File not found", func() error { _, err := db.Files().FileOfUpload(ctx, "x"); return err }},
		{"Uploaded file not found", func() error { _, err := db.Uploads().Upload(ctx, "x"); return err }},
		{"Uploaded file not found", func() error { _, err := db.Uploads().UploadOf(ctx, "x", "y"); return err }},
		{"User not found", func() error { _, err := db.Accounts().User(ctx, "x"); return err }},
		{"User not found", func() error { _, err := db.Accounts().UserByEmail(ctx, "x"); return err }},
		{"User not found", func() error { _, err := db.Accounts().Storage(ctx, "x"); return err }},
		{"User not found", func() error { _, err := db.Accounts().LockStorage(ctx, "x"); return err }},
		{"User not found", func() error { return db.Accounts().UpdateUser(ctx, &model.User{ID: "x", Plan: model.PlanFree}) }},
		{"Key not found", func() error { _, err := db.Keys().KeyOf(ctx, "x"); return err }},
		{"Key not found", func() error { _, err := db.Keys().KeyByLookup(ctx, []byte("x")); return err }},
	} {
		err := test.read()
		checkCode(t, err, model.CodeNotFound)
		if err != nil && err.Error() != test.want {
			t.Errorf("message: got %q, want %q", err, test.want)
		}
	}
}

func TestReads_end_with_their_context(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Spaces().Space(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Space: got %v, want %v", err, context.Canceled)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := db.idb.ExecContext(ctx, "SELECT pg_sleep(5)"); err == nil {
		t.Error("slow statement: got no error, want the deadline's")
	}
	check(t, db.Ping(t.Context()))
}

// A transaction holds the only connection.
func TestReads_end_with_their_context_while_they_wait_for_a_connection(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "Hall")
	read := func(ctx context.Context) error {
		_, err := db.Entities().OwnedEntities(ctx, user.ID, space.ID, model.Page{Limit: 1})
		return err
	}
	check(t, read(t.Context())) // prepares the statement
	db.root.SetMaxOpenConns(1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := read(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		return nil
	}))
}

func TestOpen_neither_compiles_statements_nor_divides_them_among_processes(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for name, want := range map[string]string{"jit": "off", "max_parallel_workers_per_gather": "0"} {
		var got string
		check(t, db.idb.NewRaw("SHOW "+name).Scan(t.Context(), &got))
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
