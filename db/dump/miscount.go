package dump

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/db"
	"portico/db/dial"
	"portico/db/migrations"
)

// Miscounts returns the miscounts of a kind.
func (s *Snapshot) Miscounts(ctx context.Context, kind string) ([]db.Miscount, error) {
	return miscountsIn(ctx, s.tx, kind)
}

func miscountsIn(ctx context.Context, tx pgx.Tx, kind string) ([]db.Miscount, error) {
	rows, err := tx.Query(ctx, db.MiscountQueries()[kind])
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[db.Miscount])
}

// Recount corrects all miscounts. Writers of spaces, entities and files wait meanwhile. The address is
// that of the owner.
func Recount(ctx context.Context, address string) error {
	pool, err := dial.OpenQueue(ctx, address, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// In the order of the locks of writers, and not for long behind one that takes its time.
		_, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '10s';
			LOCK TABLE spaces, entities, space_versions, history_usage, json_usage, files, totals IN SHARE ROW EXCLUSIVE MODE`)
		if err != nil {
			return err
		}
		for kind, correct := range map[string]func(context.Context, pgx.Tx, db.Miscount) error{
			db.TotalsMiscount: correctTotal, db.JSONMiscount: correctJSON, db.HistoryMiscount: correctHistory,
		} {
			wrong, err := miscountsIn(ctx, tx, kind)
			if err != nil {
				return err
			}
			for _, m := range wrong {
				if err := correct(ctx, tx, m); err != nil {
					return fmt.Errorf("%s of %s: %w", kind, m.ID, err)
				}
			}
		}
		return nil
	})
	return dial.ContextError(ctx, err)
}

// correctTotal replaces the parts of a total. That of a space has all parts (see keep_total).
func correctTotal(ctx context.Context, tx pgx.Tx, m db.Miscount) error {
	_, err := tx.Exec(ctx, `DELETE FROM totals WHERE list = $1`, m.ID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO totals SELECT $1, part, CASE part WHEN 0 THEN $2::bigint ELSE 0 END
		FROM (SELECT EXISTS (SELECT FROM spaces WHERE id = $1) AS is_space) AS list,
			generate_series(0, CASE WHEN is_space THEN 31 ELSE 0 END) AS part
		WHERE is_space OR $2 > 0`, m.ID, m.Counted)
	return err
}

func correctJSON(ctx context.Context, tx pgx.Tx, m db.Miscount) error {
	_, err := tx.Exec(ctx, `DELETE FROM json_usage WHERE user_id = $1`, m.ID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO json_usage SELECT id, 0, $2, $2 FROM users WHERE id = $1`, m.ID, m.Counted)
	return err
}

func correctHistory(ctx context.Context, tx pgx.Tx, m db.Miscount) error {
	_, err := tx.Exec(ctx, `INSERT INTO history_usage VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET bytes = EXCLUDED.bytes`, m.ID, m.Counted)
	return err
}

// Contradictions returns sentences about rows that contradict each other.
func (s *Snapshot) Contradictions(ctx context.Context) ([]string, error) {
	return collect[string](ctx, s.tx, `
		SELECT 'the upload ' || id || ' is confirmed, and has no file' FROM uploads AS u
		WHERE state = 'confirmed' AND NOT EXISTS (SELECT FROM files WHERE upload_id = u.id)
		UNION ALL
		SELECT 'the file ' || f.resource_key || ' has an upload that is ' || state FROM uploads AS u JOIN files AS f ON f.upload_id = u.id
		WHERE state <> 'confirmed'
		UNION ALL
		SELECT 'the upload ' || id || ' is being processed, and no job does so' FROM uploads AS u
		WHERE state = 'processing' AND NOT EXISTS (SELECT FROM jobs WHERE upload_id = u.id AND status IN ('queued', 'processing'))`)
}

// Waiting is what waits for a worker.
type Waiting struct {
	Jobs     int           // that are due
	Oldest   time.Duration // how long the oldest of them has been due
	Removals int           // of objects that should be gone for a day
}

// Waiting returns what waits for a worker. It counts the queue as QueueLengths does.
func (s *Snapshot) Waiting(ctx context.Context) (w Waiting, err error) {
	var seconds float64
	err = s.tx.QueryRow(ctx, `SELECT count(*), coalesce(extract(epoch FROM now() - min(scheduled_at)), 0)::float8,
			(SELECT count(*) FROM removals WHERE due_at < now() - interval '1 day')
		FROM river_job WHERE state = 'available' AND scheduled_at <= now()`).Scan(&w.Jobs, &seconds, &w.Removals)
	w.Oldest = time.Duration(seconds * float64(time.Second))
	return w, err
}

// OverQuota returns the ids of accounts that use more than their quota.
func (s *Snapshot) OverQuota(ctx context.Context) ([]string, error) {
	return collect[string](ctx, s.tx, `SELECT id FROM users, storage_of(id) AS s WHERE s.used > quota ORDER BY id`)
}

// Removals returns the keys of objects that are to be removed. A folder ends in a slash.
func (s *Snapshot) Removals(ctx context.Context) ([]string, error) {
	return collect[string](ctx, s.tx, `SELECT key FROM removals ORDER BY key`)
}

// Accounts returns the ids of all accounts.
func (s *Snapshot) Accounts(ctx context.Context) ([]string, error) {
	return collect[string](ctx, s.tx, `SELECT id FROM users ORDER BY id`)
}

// SealedKeys returns valid API keys of up to limit accounts, as they are encrypted, by the accounts.
func (s *Snapshot) SealedKeys(ctx context.Context, limit int) (map[string][]byte, error) {
	rows, err := s.tx.Query(ctx, `SELECT user_id, sealed FROM api_keys WHERE revoked_at IS NULL ORDER BY created_at DESC LIMIT $1`, limit)
	if err != nil {
		return nil, err
	}
	keys := map[string][]byte{}
	var account string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&account, &sealed}, func() error {
		keys[account] = append([]byte(nil), sealed...)
		return nil
	})
	return keys, err
}

// ClockDifference returns how far the clock of the database is ahead of ours. The round trip makes it
// wrong by at most uncertain.
func (s *Snapshot) ClockDifference(ctx context.Context) (ahead, uncertain time.Duration, err error) {
	var theirs time.Time
	before := time.Now()
	err = s.tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&theirs)
	trip := time.Since(before)
	return theirs.Sub(before.Add(trip / 2)), trip / 2, err
}

// CheckVersion returns an error that wraps migrations.ErrNewer if the tables are of a newer version of the
// program, and migrations.ErrOlder if migrations are missing.
func (s *Snapshot) CheckVersion(ctx context.Context) error {
	applied, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	return migrations.CheckVersion(applied)
}
