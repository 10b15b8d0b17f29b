package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// quietLimit is how long the queue may take to empty: a job that was killed
	// waits for its lease, and maybe for its turn.
	quietLimit = 5 * time.Minute
	// sweepLimit is how long leftovers may stay once everything was started anew.
	sweepLimit = 30 * time.Second
)

// audit waits until all work is done, and looks whether everything that was
// published is there and nothing else is. The services run, and have no reason to
// fail any more; they are started anew on the way.
func (w *world) audit(ctx context.Context, users []*client, all []*published, services ...*service) error {
	if err := w.quiet(ctx); err != nil {
		return err
	}
	for _, s := range services {
		if err := s.stop(); err != nil {
			w.complain("%v", err)
		}
	}
	if err := begin(ctx, services...); err != nil {
		return err
	}
	if err := probe(ctx, services...); err != nil {
		return err
	}
	if err := w.age(ctx); err != nil {
		return err
	}
	return errors.Join(w.compare(ctx, users, all), w.checkLeftovers(ctx))
}

// probe asks servers whether they are ready, as whoever watches over them does all the
// time. A probe writes a small object and removes it; where that was broken off, the
// next one removes it.
func probe(ctx context.Context, services ...*service) error {
	for _, s := range services {
		if s.url == "" {
			continue
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if err := answer.Body.Close(); err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("probe %s: %s", s.name, answer.Status)
		}
	}
	return nil
}

// compare looks once at the store, the tables, and what was published.
func (w *world) compare(ctx context.Context, users []*client, all []*published) error {
	sizes, err := w.shelf.sizes(ctx)
	if err != nil {
		return err
	}
	rows, err := w.rows(ctx)
	if err != nil {
		return err
	}
	w.checkStore(rows, sizes)
	return errors.Join(w.checkTables(ctx), w.checkPublished(ctx, rows, sizes, all), w.checkUsed(ctx, users, sizes))
}

// quiet waits until no job waits or runs.
func (w *world) quiet(ctx context.Context) error {
	return eventually(ctx, quietLimit, "the queue is empty", func() (bool, error) {
		left, err := w.database.number(ctx, `
			SELECT (SELECT count(*) FROM jobs WHERE status IN ('queued', 'processing'))
				+ (SELECT count(*) FROM river_job WHERE kind <> 'purge' AND finalized_at IS NULL)`)
		return left == 0, err
	})
}

// age makes every promise two days older, and has purged what is due then: what no
// row speaks for, such as a zip that was unpacked, and what was never confirmed.
func (w *world) age(ctx context.Context) error {
	err := w.database.exec(ctx, "UPDATE uploads SET expires_at = expires_at - interval '2 days'",
		"UPDATE removals SET due_at = due_at - interval '2 days'")
	if err != nil {
		return err
	}
	return eventually(ctx, time.Minute, "the purge has removed all that is due", func() (bool, error) {
		// As River's own, which comes every 30 s.
		err := w.database.exec(ctx, `
			INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
			SELECT '{}', 'purge', 1, 1, 'purge', 'available', now()
			WHERE NOT EXISTS (SELECT FROM river_job WHERE kind = 'purge' AND finalized_at IS NULL)`,
			// What was discarded just now is due a day after its address expired.
			"UPDATE removals SET due_at = now() WHERE due_at > now()")
		if err != nil {
			return false, err
		}
		left, err := w.database.number(ctx, "SELECT (SELECT count(*) FROM removals) + (SELECT count(*) FROM uploads WHERE state = 'pending')")
		return left == 0, err
	})
}

// fileRow is what the database knows of a file, by the names of its columns, which
// pgx finds the fields by.
type fileRow struct {
	UserID, ResourceKey, UploadID, UploadKey string
	Size, DerivedBytes                       int64
	Objects                                  int
	PosterKey, ViewKey                       string
	Looked                                   bool
}

// root returns the folder of the file's objects; "" for one that is an object
// itself.
func (r fileRow) root() string {
	if r.ResourceKey == r.UploadKey {
		return ""
	}
	return r.UserID + "/" + strings.TrimSuffix(r.UploadKey, path.Ext(r.UploadKey)) + "/"
}

// rows returns all files, by their resource keys.
func (w *world) rows(ctx context.Context) (map[string]fileRow, error) {
	rows := map[string]fileRow{}
	err := w.database.with(ctx, func(conn *pgx.Conn) error {
		found, err := conn.Query(ctx, `
			SELECT f.user_id, f.resource_key, f.upload_id, u.resource_key AS upload_key, f.size, f.derived_bytes, f.objects,
				coalesce(f.poster_key, '') AS poster_key, coalesce(f.view_key, '') AS view_key, f.facts IS NOT NULL AS looked
			FROM files f JOIN uploads u ON u.id = f.upload_id`)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(found, pgx.RowToStructByName[fileRow])
		for _, row := range all {
			rows[row.ResourceKey] = row
		}
		return err
	})
	return rows, err
}

// checkStore compares the store with the files: each has as many objects and bytes
// as its row says, what was made of it is counted, and every object is some file's.
func (w *world) checkStore(rows map[string]fileRow, sizes map[string]int64) {
	spoken := map[string]bool{}
	for _, row := range rows {
		own := w.checkWhole(row, sizes)
		derived, bytes := keysOf("", row.UserID+"/derived/"+row.UploadID+"/", sizes)
		if bytes != row.DerivedBytes {
			w.complain("file %s: %d bytes are stored of what was made of it (%q), and %d are counted", row.ResourceKey, bytes, derived, row.DerivedBytes)
		}
		for _, key := range []string{row.PosterKey, row.ViewKey} {
			if _, there := sizes[row.UserID+"/"+key]; key != "" && !there {
				w.lose("file %s: its %s is not stored", row.ResourceKey, key)
			}
		}
		if !row.Looked {
			w.add("files never looked into", 1)
		}
		for _, key := range append(own, derived...) {
			spoken[key] = true
		}
	}
	for key, size := range sizes {
		if !spoken[key] {
			w.complain("orphan object of %d bytes: %s", size, key)
		}
	}
	w.add("files", len(rows))
	w.add("objects", len(sizes))
}

// checkWhole compares what is stored of a file with its row, and returns the keys.
func (w *world) checkWhole(row fileRow, sizes map[string]int64) (own []string) {
	own, bytes := keysOf(row.UserID+"/"+row.ResourceKey, row.root(), sizes)
	if len(own) != row.Objects || bytes != row.Size {
		w.lose("file %s: %d objects of %d bytes are stored, want %d of %d", row.ResourceKey, len(own), bytes, row.Objects, row.Size)
	}
	return own
}

// keysOf returns what is stored at the key or, where there is one, in the folder,
// and its bytes.
func keysOf(key, root string, sizes map[string]int64) (keys []string, bytes int64) {
	if root == "" {
		if size, there := sizes[key]; there {
			return []string{key}, size
		}
		return nil, 0
	}
	for key, size := range sizes {
		if strings.HasPrefix(key, root) {
			keys = append(keys, key)
			bytes += size
		}
	}
	return keys, bytes
}

// checkTables looks for rows that do not fit together, which no constraint of the
// database could refuse, and for jobs that failed for no good reason.
func (w *world) checkTables(ctx context.Context) error {
	for what, query := range map[string]string{
		"upload that is confirmed without a file": `SELECT id FROM uploads u WHERE state = 'confirmed' AND NOT EXISTS (SELECT FROM files WHERE upload_id = u.id)`,
		"upload that is %s with a file":           `SELECT state || ' ' || id FROM uploads u WHERE state <> 'confirmed' AND EXISTS (SELECT FROM files WHERE upload_id = u.id)`,
		"upload that is processed by nobody":      `SELECT id FROM uploads WHERE state = 'processing'`,
		"job that is completed without a file":    `SELECT id FROM jobs j WHERE status = 'completed' AND NOT EXISTS (SELECT FROM files WHERE resource_key = j.result_key)`,
	} {
		found, err := w.database.texts(ctx, query)
		if err != nil {
			return err
		}
		for _, each := range found {
			w.complain("%s: %s", what, each)
		}
	}
	tries, err := w.database.number(ctx, "SELECT coalesce(sum(tries - 1), 0) FROM jobs")
	if err != nil {
		return err
	}
	w.add("jobs begun again", tries)
	failed, err := w.database.texts(ctx, "SELECT error FROM jobs WHERE status <> 'completed'")
	for _, reason := range failed {
		if !slices.Contains(w.excused, reason) {
			w.complain("a job failed: %s", reason)
		}
	}
	return err
}

// countJSON adds up the JSON of an account past the triggers that count every change:
// each entity and each space, in whole units of 256 bytes (docs/rest.md, Account).
const countJSON = `
SELECT coalesce(sum(greatest(1, ceil(bytes / 256.0)) * 256), 0)::bigint FROM (
	SELECT octet_length(data::text || title || description) AS bytes FROM spaces WHERE owner_id = '%[1]s'
	UNION ALL
	SELECT octet_length(e.data::text || e.state::text) FROM entities AS e JOIN spaces AS s ON s.id = e.space_id
	WHERE s.owner_id = '%[1]s'
) AS texts`

// checkUsed compares the storage that accounts use with the objects and the JSON that
// are stored.
func (w *world) checkUsed(ctx context.Context, users []*client, sizes map[string]int64) error {
	for _, c := range users {
		var me struct{ Storage struct{ Used int64 } }
		if err := c.call(ctx, http.MethodGet, "/v1/user/me", nil, &me, http.StatusOK); err != nil {
			return err
		}
		kept, err := w.database.number(ctx, fmt.Sprintf(countJSON, c.id))
		if err != nil {
			return err
		}
		_, stored := keysOf("", c.id+"/", sizes)
		if stored += int64(kept); me.Storage.Used != stored {
			w.complain("account %s uses %d bytes, and %d are stored", c.id, me.Storage.Used, stored)
		}
	}
	return nil
}

// checkLeftovers looks for what was being written, or worked on, by processes that
// were killed.
func (w *world) checkLeftovers(ctx context.Context) error {
	var left []string
	err := eventually(ctx, sweepLimit, "leftovers are gone", func() (bool, error) {
		entries, err := os.ReadDir(filepath.Join(w.data, "work"))
		if err := ignoreMissing(err); err != nil {
			return false, err
		}
		if left, err = w.shelf.halves(ctx); err != nil {
			return false, err
		}
		for _, entry := range entries {
			left = append(left, entry.Name())
		}
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %q", err, left)
	}
	return nil
}
