package db

import (
	"fmt"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// shiftedDB is testDB with a clock that is ahead of ours or behind: a function now in the
// schema hides the function of the system.
func shiftedDB(t *testing.T, ahead time.Duration) *DB {
	t.Helper()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Connections: 1, Logger: quiet()})
	for _, statement := range []string{
		"CREATE SCHEMA shifted", "GRANT USAGE ON SCHEMA shifted TO PUBLIC",
		fmt.Sprintf("CREATE FUNCTION shifted.now() RETURNS timestamptz STABLE LANGUAGE sql AS "+
			"$$ SELECT pg_catalog.now() + interval '%d seconds' $$", int(ahead.Seconds())),
		"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = shifted, pg_catalog, public', current_database()); END $$",
	} {
		asAdmin(t, db, statement)
	}
	return openTest(t, Options{URL: url, Connections: 2, Logger: quiet()})
}

// eachClock runs a test with a clock of the database that is right, an hour ahead
// and an hour behind.
func eachClock(t *testing.T, test func(t *testing.T, db *DB, ahead time.Duration)) {
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			test(t, shiftedDB(t, ahead), ahead)
		})
	}
}

// clockOf returns what time it is for the database.
func clockOf(t *testing.T, db *DB) time.Time {
	t.Helper()
	var now time.Time
	check(t, db.idb.NewRaw("SELECT now()").Scan(t.Context(), &now))
	return now
}

// near reports whether two times are equal, with a tolerance for slow machines.
func near(a, b time.Time) bool { return a.Sub(b).Abs() < 5*time.Minute }

func TestEarlierClock_returns_the_earlier_of_two_clocks(t *testing.T) {
	t.Parallel()
	eachClock(t, func(t *testing.T, db *DB, ahead time.Duration) {
		if got, want := clockOf(t, db), time.Now().Add(ahead); !near(got, want) {
			t.Fatalf("clock of the database: got %v, want %v", got, want)
		}
		got, err := db.Operations().EarlierClock(t.Context(), time.Now())
		check(t, err)
		if want := time.Now().Add(min(ahead, 0)); !near(got, want) {
			t.Errorf("earlier: got %v, want %v", got, want)
		}
	})
}

func TestPurgeJobs_keeps_jobs_for_their_time_whichever_clock_is_wrong(t *testing.T) {
	t.Parallel()
	eachClock(t, func(t *testing.T, db *DB, _ time.Duration) {
		job := addJob(t, db, addUser(t, db))
		_, err := db.Jobs().FailJob(t.Context(), job.ID, 0, "x")
		check(t, err)
		now, err := db.Operations().EarlierClock(t.Context(), time.Now())
		check(t, err)
		n, err := db.Jobs().PurgeJobs(t.Context(), now.Add(-30*time.Minute), 10)
		check(t, err)
		if n != 0 {
			t.Error("a job that ended just now: purged as one that ended half an hour ago, want it kept")
		}
	})
}

func TestScheduleRemovals_waits_whichever_clock_is_wrong(t *testing.T) {
	t.Parallel()
	eachClock(t, func(t *testing.T, db *DB, _ time.Duration) {
		check(t, db.Files().ScheduleRemovals(t.Context(), time.Now().Add(30*time.Minute), "a", "b/"))
		keys, err := db.Files().DueRemovals(t.Context(), 10)
		check(t, err)
		if len(keys) != 0 {
			t.Errorf("due: got %v, want nothing for half an hour", keys)
		}
	})
}

func TestSaveSession_lives_as_long_as_it_says_whichever_clock_is_wrong(t *testing.T) {
	t.Parallel()
	eachClock(t, func(t *testing.T, db *DB, _ time.Duration) {
		check(t, db.SignIns().SaveSession(t.Context(), BrowserSession{Token: "a", Data: []byte("x"), Expires: time.Now().Add(10 * time.Minute)}))
		_, found, err := db.SignIns().Session(t.Context(), "a")
		check(t, err)
		if !found {
			t.Error("a new session: got none, want it")
		}
		var left float64
		check(t, db.idb.NewRaw("SELECT extract(epoch FROM expires_at - now())::float8 FROM sessions").Scan(t.Context(), &left))
		if left > 600 {
			t.Errorf("a session of ten minutes: lives for %v s, want at most 600", left)
		}
	})
}

func TestUploadOf_uses_the_clock_that_sums_up_reservations(t *testing.T) {
	t.Parallel()
	eachClock(t, func(t *testing.T, db *DB, ahead time.Duration) {
		ctx, user := t.Context(), addUser(t, db)
		upload := model.NewUpload(user.ID, model.CreateUpload{FileName: "a.ply", FileSize: 7, ContentType: "a/b"})
		upload.ExpiresAt = model.Time{Time: time.Now().Add(15 * time.Minute)}
		check(t, db.Uploads().AddUpload(ctx, upload))
		stored, err := db.Accounts().Storage(ctx, user.ID)
		check(t, err)
		read, err := db.Uploads().UploadOf(ctx, user.ID, upload.ResourceKey)
		check(t, err)
		if got, want := read.Expired, ahead > 0; got != want {
			t.Errorf("expired: got %t, want %t", got, want)
		}
		// Either it counts as reserved, or its owner has to ask for room again.
		if got, want := stored.Reserved > 0, !read.Expired; got != want {
			t.Errorf("counts as reserved: got %t, want %t", got, want)
		}
	})
}

// After the clock was set back, a code from before does not live longer.
func TestTakeOAuthCode_refuses_a_code_from_the_future(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	code := addCode(t, db, addClient(t, db), addUser(t, db))
	for _, test := range []struct {
		left string
		want model.Code
	}{{"1 hour", model.CodeNotFound}, {"-1 second", model.CodeNotFound}, {"59 seconds", ""}} {
		asAdmin(t, db, "UPDATE oauth_codes SET expires_at = now() + ?::interval", test.left)
		_, err := db.Keys().RedeemOAuthCode(t.Context(), code.Hash)
		checkCode(t, err, test.want)
	}
}
