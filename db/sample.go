package db

import (
	"context"
	"time"

	"portico/model"
)

// currentState selects the numbers of a sample except requests, as they are now. Its two
// parameters are the seconds in which failed jobs count.
const currentState = `SELECT f.bytes + (SELECT coalesce(sum(bytes), 0) FROM json_usage) + (SELECT coalesce(sum(bytes), 0) FROM history_usage) AS storage_bytes,
		f.files, (SELECT count(*) FROM users) AS accounts, (SELECT count(*) FROM spaces) AS spaces,
		j.waiting AS jobs_waiting, j.running AS jobs_running, j.failed AS jobs_failed
	FROM (SELECT count(*) AS files, coalesce(sum(size + derived_bytes), 0) AS bytes FROM files) AS f,
		(SELECT count(*) FILTER (WHERE status = 'queued') AS waiting, count(*) FILTER (WHERE status = 'processing') AS running,
			count(*) FILTER (WHERE status = 'failed' AND ended_at > now() - ? * interval '1 second') AS failed
			FROM jobs WHERE ended_at IS NULL OR ended_at > now() - ? * interval '1 second') AS j`

// AddSample stores the state of the server now, once in each model.SampleInterval, and deletes
// samples and counts of requests that are older than model.SampleAge. It is one statement, which
// sums the sizes of all files: run it in one process.
//
// The time is rounded down to the interval, and a taken one is left alone, so that replicas that
// run it together store one sample.
func (db *DB) AddSample(ctx context.Context) error {
	age, seconds := model.SampleAge.Seconds(), model.SampleInterval.Seconds()
	_, err := db.idb.ExecContext(ctx, `
		WITH purged AS (DELETE FROM samples WHERE at < now() - ? * interval '1 second'),
			forgotten AS (DELETE FROM request_counts WHERE at < now() - ? * interval '1 second')
		INSERT INTO samples (at, storage_bytes, files, accounts, spaces, jobs_waiting, jobs_running, jobs_failed)
		SELECT to_timestamp(floor(extract(epoch FROM now()) / ?) * ?), state.* FROM (`+currentState+`) AS state
		ON CONFLICT (at) DO NOTHING`, age, age, seconds, seconds, seconds, seconds)
	return translate(err)
}

// AddRequests adds requests that a server handled, and how many of them failed, to the counts of
// this minute.
//
// Each process adds to the same row, which it holds locked for the length of one statement.
func (db *DB) AddRequests(ctx context.Context, requests, errors int64) error {
	_, err := db.idb.ExecContext(ctx, `
		INSERT INTO request_counts (at, requests, errors) VALUES (date_trunc('minute', now()), ?, ?)
		ON CONFLICT (at) DO UPDATE SET requests = request_counts.requests + EXCLUDED.requests,
			errors = request_counts.errors + EXCLUDED.errors`, requests, errors)
	return translate(err)
}

// Samples returns the highest numbers of each of up to model.MaxSamples equal spans of time from
// since, oldest first, and then the state now. It leaves out spans without samples. It sums the
// sizes of all files: only operators may call it.
func (db *DB) Samples(ctx context.Context, since time.Time) ([]*model.Sample, error) {
	span := max(model.SampleInterval, time.Since(since)/model.MaxSamples).Seconds()
	interval := model.SampleInterval.Seconds()
	samples := []*model.Sample{}
	// A sample of 12:05 has the requests from 12:00 to 12:05, as it has the failed jobs.
	err := db.idb.NewRaw(`
		WITH counted AS (
			SELECT to_timestamp((floor(extract(epoch FROM at) / ?) + 1) * ?) AS at, sum(requests)::bigint AS requests, sum(errors)::bigint AS errors
			FROM request_counts WHERE at >= ?::timestamptz - ? * interval '1 second' GROUP BY 1),
		past AS (
			SELECT to_timestamp(floor(extract(epoch FROM at) / ?) * ?) AS at, max(storage_bytes) AS storage_bytes, max(files) AS files,
				max(accounts) AS accounts, max(spaces) AS spaces, max(jobs_waiting) AS jobs_waiting, max(jobs_running) AS jobs_running,
				max(jobs_failed) AS jobs_failed, coalesce(max(requests), 0) AS requests, coalesce(max(errors), 0) AS errors
			FROM samples LEFT JOIN counted USING (at) WHERE at >= ? GROUP BY 1 ORDER BY 1 LIMIT ?),
		latest AS (
			SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(errors), 0)::bigint AS errors
			FROM request_counts WHERE at > now() - ? * interval '1 second')
		SELECT * FROM past
		UNION ALL SELECT now(), state.*, latest.* FROM (`+currentState+`) AS state, latest
		ORDER BY at`, interval, interval, since, interval, span, span, since, model.MaxSamples+2, interval, interval, interval).Scan(ctx, &samples)
	return samples, translate(err)
}
