package db

import (
	"slices"
	"testing"
	"time"

	"portico/model"
)

// One sample is stored in an interval, and a plot has the highest numbers of each span.
func TestSamples_keeps_the_highest_numbers_of_each_span(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	addJob(t, db, user)
	_, err := db.Files().StoreFile(ctx, model.NewFile(addUpload(t, db, user, 77, time.Hour)), model.UploadPending)
	check(t, err)
	check(t, db.Operations().AddSample(ctx))
	if got := number(t, db, "SELECT count(*) FROM samples WHERE files = 1 AND storage_bytes >= 77 AND accounts = 1 AND jobs_waiting = 1"); got != 1 {
		t.Errorf("samples of this state: got %d, want 1", got)
	}
	first, err := db.Operations().Samples(ctx, time.Now().Add(time.Hour))
	check(t, err)
	if len(first) != 1 || first[0].StorageBytes < 77 || first[0].Files != 1 || first[0].JobsWaiting != 1 {
		t.Errorf("samples before the first interval has ended: got %+v, want the state of now", first)
	}
	_, err = db.idb.ExecContext(ctx, `DELETE FROM samples;
		INSERT INTO samples SELECT now() - n * interval '5 minutes', n + 100, n + 0, 1, 2, 3, 4, 5 FROM generate_series(1, 3000) AS n;
		INSERT INTO samples VALUES (now() - interval '100 days', 1, 1, 1, 1, 1, 1, 1)`)
	check(t, err)
	for range 2 { // in one interval, or just before and after its end
		check(t, db.Operations().AddSample(ctx))
	}
	if got := number(t, db, "SELECT count(*) FROM samples WHERE at < now() - interval '91 days'"); got != 0 {
		t.Errorf("old samples: got %d, want none", got)
	}
	day, err := db.Operations().Samples(ctx, time.Now().Add(-24*time.Hour))
	check(t, err)
	if len(day) < 280 || len(day) > 296 || !day[0].At.Before(day[1].At.Time) {
		t.Errorf("samples of a day: got %d, want one for each interval, oldest first", len(day))
	}
	all, err := db.Operations().Samples(ctx, time.Now().Add(-11*24*time.Hour))
	check(t, err)
	if last := all[len(all)-1]; last.StorageBytes >= 3000 || last.Files != 1 || time.Since(last.At.Time) > time.Hour {
		t.Errorf("the last of the samples: got %+v, want the state of now", last)
	}
	if len(all) > model.MaxSamples+3 || len(all) < model.MaxSamples-100 || all[0].StorageBytes < 3000 {
		t.Errorf("samples of eleven days: got %d from %+v, want at most %d", len(all), all[0], model.MaxSamples)
	}
}

// Requests of all servers are counted by minute, and a sample has the requests of the five minutes
// before it.
func TestSamples_count_requests(t *testing.T) {
	t.Parallel()
	db, ctx := testDB(t), t.Context()
	check(t, db.Operations().AddRequests(ctx, 5, 1))
	check(t, db.Operations().AddRequests(ctx, 2, 0))
	from := time.Now().UTC().Truncate(model.SampleInterval).Add(-time.Hour)
	minute := func(n int) time.Time { return from.Add(time.Duration(n) * time.Minute) }
	_, err := db.idb.ExecContext(ctx, `
		INSERT INTO samples VALUES (?, 0, 0, 0, 0, 0, 0, 0), (?, 0, 0, 0, 0, 0, 0, 0);
		INSERT INTO request_counts VALUES (?, 1000, 1000), (?, 10, 1), (?, 20, 2), (?, 40, 4), (now() - interval '100 days', 1, 1)`,
		minute(5), minute(10), minute(-1), minute(0), minute(4), minute(5))
	check(t, err)
	samples, err := db.Operations().Samples(ctx, from)
	check(t, err)
	got := [][2]int64{}
	for _, sample := range samples {
		got = append(got, [2]int64{sample.Requests, sample.Errors})
	}
	if want := [][2]int64{{30, 3}, {40, 4}, {7, 1}}; !slices.Equal(got, want) {
		t.Errorf("requests and errors of two samples and now: got %v, want %v", got, want)
	}
	check(t, db.Operations().AddSample(ctx))
	if got := number(t, db, "SELECT count(*) FROM request_counts WHERE at < now() - interval '91 days'"); got != 0 {
		t.Errorf("old counts of requests: got %d, want none", got)
	}
}
