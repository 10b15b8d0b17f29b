package db

import (
	"context"
	"time"

	"portico/model"
)

// AddSample stores the state of the server now, once in each model.SampleInterval, and deletes
// samples that are older than model.SampleAge. It is one statement, which sums the sizes of all
// files: run it in one process.
func (db *DB) AddSample(ctx context.Context) error {
	seconds := model.SampleInterval.Seconds()
	_, err := db.idb.ExecContext(ctx, `
		WITH purged AS (DELETE FROM samples WHERE at < now() - ? * interval '1 second')
		INSERT INTO samples (at, storage_bytes, files, accounts, spaces, jobs_waiting, jobs_running, jobs_failed)
		SELECT to_timestamp(floor(extract(epoch FROM now()) / ?) * ?),
			f.bytes + (SELECT coalesce(sum(bytes), 0) FROM json_usage) + (SELECT coalesce(sum(bytes), 0) FROM history_usage),
			f.files, (SELECT count(*) FROM users), (SELECT count(*) FROM spaces), j.waiting, j.running, j.failed
		FROM (SELECT count(*) AS files, coalesce(sum(size + derived_bytes), 0) AS bytes FROM files) AS f,
			(SELECT count(*) FILTER (WHERE status = 'queued') AS waiting, count(*) FILTER (WHERE status = 'processing') AS running,
				count(*) FILTER (WHERE status = 'failed' AND ended_at > now() - ? * interval '1 second') AS failed FROM jobs) AS j
		ON CONFLICT (at) DO NOTHING`, model.SampleAge.Seconds(), seconds, seconds, seconds)
	return translate(err)
}

// Samples returns the highest numbers of each of up to model.MaxSamples equal spans of time from
// since, oldest first. It leaves out spans without samples.
func (db *DB) Samples(ctx context.Context, since time.Time) ([]*model.Sample, error) {
	span := max(model.SampleInterval, time.Since(since)/model.MaxSamples).Seconds()
	samples := []*model.Sample{}
	err := db.idb.NewRaw(`
		SELECT to_timestamp(floor(extract(epoch FROM at) / ?) * ?) AS at, max(storage_bytes) AS storage_bytes, max(files) AS files,
			max(accounts) AS accounts, max(spaces) AS spaces, max(jobs_waiting) AS jobs_waiting,
			max(jobs_running) AS jobs_running, max(jobs_failed) AS jobs_failed
		FROM samples WHERE at >= ? GROUP BY 1 ORDER BY 1 LIMIT ?`, span, span, since, model.MaxSamples+2).Scan(ctx, &samples)
	return samples, translate(err)
}
