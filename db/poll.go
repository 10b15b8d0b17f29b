package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/internal/background"
	"portico/model"
)

// PollInterval is the usual time between two polls: the maximum delay that a lost announcement
// causes.
const PollInterval = 5 * time.Second

// poller finds changes whose announcement was lost, and wakes the watchers of their topics. A poll
// is one statement for each kind of topic that this process watches, however many topics there are.
//
// A poll compares versions: texts that change with every write that watchers must see. It returns
// the topics whose version differs from the version of the previous poll, so an idle server
// receives no rows. The first poll of a topic always wakes: its watcher may have read before the
// last change.
type poller struct {
	root     *bun.DB
	listener *listener
	log      *slog.Logger
	interval time.Duration

	seen   map[Topic]string // the versions of the last poll; only run uses it
	outage background.OutageLog
}

func newPoller(root *bun.DB, listener *listener, o Options) *poller {
	return &poller{root: root, listener: listener, log: o.Logger, interval: o.PollInterval}
}

// run polls at intervals until ctx ends.
func (p *poller) run(ctx context.Context) {
	for ctx.Err() == nil {
		background.Pause(ctx, p.interval)
		p.poll(ctx)
	}
}

// poll wakes the watchers of every topic that has another version than at the previous poll. If a
// statement fails, the topics of its kind keep their versions, so the next poll finds the changes.
// A poll without a statement does not show whether an outage has ended.
func (p *poller) poll(ctx context.Context) {
	watched := p.listener.watched()
	if len(watched) == 0 {
		p.seen = nil
		return
	}
	seen := map[Topic]string{}
	var failure error
	for kind, ids := range watched {
		versions := make([]string, len(ids))
		for i, id := range ids {
			topic := topicOf(kind, id)
			versions[i] = p.seen[topic]
			seen[topic] = versions[i]
		}
		changed, err := changedRows(ctx, p.root, kind, ids, versions)
		if ctx.Err() != nil {
			return
		}
		if err != nil { // the database is unavailable: the next poll compares again
			failure = fmt.Errorf("%s: %w", kind, err)
		}
		for _, row := range changed {
			topic := topicOf(kind, row.ID)
			seen[topic] = row.Version
			p.listener.wake(topic)
		}
	}
	p.seen = seen
	p.outage.Record(p.log, failure, "poll for changes", "the polls for changes succeed again")
}

// watched returns the ids of the watched topics that a poll can compare, by their kind.
func (l *listener) watched() map[string][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	byKind := map[string][]string{}
	for topic := range l.watchers {
		if kind, id, _ := strings.Cut(string(topic), ":"); versionOf(kind) != "" {
			byKind[kind] = append(byKind[kind], id)
		}
	}
	return byKind
}

// changedRows returns the ids whose version is not the given one, with their new versions. An empty
// version is never the current one.
//
// Each version is the result of an aggregate, which Postgres computes for one id after the other,
// by an index: it never reads a whole table, however many ids there are.
func changedRows(ctx context.Context, idb bun.IDB, kind string, ids, versions []string) (changed []RowVersion, err error) {
	err = idb.NewRaw(`
		SELECT watched.id, latest.version
		FROM unnest(?::text[], ?::text[]) AS watched (id, version), LATERAL (`+versionOf(kind)+`) AS latest
		WHERE latest.version <> watched.version`,
		pgdialect.Array(ids), pgdialect.Array(versions)).Scan(ctx, &changed)
	return changed, translate(err)
}

// versionOf returns the query of the version of watched.id, for a kind of topic; "" for a kind
// whose watchers do not depend on polls.
//
// The version of a user is the last notification. An older transaction may still add one before it,
// but the read that the last one causes is repeated until that transaction has ended
// (NotificationsAfter). The version of a space is of its row and of all its entities, because package
// graph broadcasts both.
func versionOf(kind string) string {
	switch kind {
	case jobKind:
		return versionOfRows("xmin::text", "jobs WHERE id = watched.id")
	case jobsKind:
		return versionOfRows("id || ' ' || xmin::text", "jobs WHERE "+belongsTo("watched.id"))
	case filesKind:
		return versionOfRows("resource_key || ' ' || xmin::text", "files WHERE "+belongsTo("watched.id"))
	case spacesKind:
		return versionOfRows("id || ' ' || version", "spaces WHERE "+ownedBy("watched.id"))
	case spaceKind:
		return versionOfRows("written", `(
			SELECT id || ' ' || xmin::text AS written FROM spaces WHERE id = watched.id
			UNION ALL
			SELECT entity_id || ' ' || xmin::text FROM entities WHERE space_id = watched.id) AS rows`)
	case userKind:
		return `SELECT coalesce((
			SELECT n.transaction::text || ' ' || n.sequence FROM notifications AS n
			WHERE n.` + belongsTo("watched.id") + ` ORDER BY n.transaction DESC, n.sequence DESC LIMIT 1), 'none') AS version`
	}
	return ""
}

// versionOfRows returns the query of a version that changes when a row is added, written or
// deleted. row is the expression of a text that changes with every write of a row; from are the
// rows.
//
// The sum does not depend on the order of the rows, so they need no sort.
func versionOfRows(row, from string) string {
	return "SELECT count(*) || ' ' || coalesce(sum(hashtextextended(" + row + ", 0)), 0) AS version FROM " + from
}

// RowVersion is the current version of a row: an opaque text that changes with every write that
// watchers must see.
//
// Watchers compare versions for equality only.
type RowVersion struct{ ID, Version string }

// FileRowVersions returns the versions of all files of the user, oldest first.
func (db Watched) FileRowVersions(ctx context.Context, userID string) ([]RowVersion, error) {
	// xmin is the id of the transaction that wrote the row, so every write changes it.
	return db.rowVersions(ctx, "resource_key", "xmin::text", "files WHERE "+belongsTo("?"), userID)
}

// VersionedFile is a file as a subscription read it. RowVersion differs after every write of the
// row.
type VersionedFile struct {
	model.File
	RowVersion string
}

// VersionedFiles returns the files with these keys that exist, oldest first.
func (db Watched) VersionedFiles(ctx context.Context, keys []string) ([]VersionedFile, error) {
	var files []VersionedFile
	err := db.idb.NewRaw(`SELECT *, xmin::text AS row_version FROM files WHERE resource_key = ANY(?::text[]) ORDER BY sequence`,
		pgdialect.Array(keys)).Scan(ctx, &files)
	return files, translate(err)
}

// SpaceRowVersions returns the versions of all spaces of the owner, oldest first. Visits and
// changes of entities do not change the version of a space.
func (db Watched) SpaceRowVersions(ctx context.Context, ownerID string) ([]RowVersion, error) {
	return db.rowVersions(ctx, "id", "version", "spaces WHERE "+ownedBy("?"), ownerID)
}

// rowVersions returns the ids and the versions of the rows. There is no limit: a watcher compares
// them all with the versions that its client has. Postgres returns them as one row, because
// thousands take longer to receive than to find. Ids have no line breaks.
func (db Watched) rowVersions(ctx context.Context, id, version, from, owner string) (versions []RowVersion, err error) {
	var all string
	err = db.idb.NewRaw("SELECT coalesce(string_agg("+id+" || ' ' || "+version+", chr(10) ORDER BY sequence), '') FROM "+from, owner).
		Scan(ctx, &all)
	for row := range strings.SplitSeq(all, "\n") {
		if end := strings.LastIndexByte(row, ' '); end >= 0 {
			versions = append(versions, RowVersion{ID: row[:end], Version: row[end+1:]})
		}
	}
	return versions, translate(err)
}

// LimitedSpaces returns the spaces with these ids that exist, oldest first. It stops after
// maxBytes of what their owner chose, but returns at least one space.
func (db Watched) LimitedSpaces(ctx context.Context, ids []string, maxBytes int) ([]*model.Space, error) {
	var spaces []*model.Space
	err := db.idb.NewRaw(`
		WITH sized AS (
			SELECT id, sum(`+spaceSize()+`) OVER (ORDER BY sequence) - (`+spaceSize()+`) AS before
			FROM spaces WHERE id = ANY(?::text[])
		)
		SELECT s.*, `+readAt+` FROM spaces AS s JOIN sized USING (id) WHERE sized.before < ? ORDER BY s.sequence`,
		pgdialect.Array(ids), maxBytes).Scan(ctx, &spaces)
	return spaces, translate(err)
}

// announceFile announces a change of a file to its owner, and to those who follow a space
// that shows it. Call it in the transaction of the change.
//
// It finds the entities by the id of the upload, which is in every address of a file, because an
// entity may show the view or the file. The trigger of entities stores it in a column of its own,
// of which entities_by_upload is the index.
func (db Watched) announceFile(ctx context.Context, userID, uploadID string) error {
	db.Announce(FilesTopic(userID))
	var rows []struct {
		SpaceID   string // of a marked entity
		SkippedID int64  // the id in skipped_entities of an entity that was not marked
	}
	// The update changes no value. It gives the entities a new xmin, by which their watchers find
	// them. A locked entity is skipped, because waiting for it could be a deadlock. The transaction
	// that has locked it may roll back, so it is marked after the commit. The insert is part of the
	// transaction, so that a crash after the commit loses no mark.
	err := db.idb.NewRaw(`
		WITH shown AS (
			SELECT e.space_id, e.entity_id FROM spaces AS s JOIN entities AS e ON e.space_id = s.id
			WHERE s.`+ownedBy("?0")+` AND e.upload_id = ?1
		), locked AS (
			SELECT space_id, entity_id FROM shown JOIN entities AS e USING (space_id, entity_id)
			FOR NO KEY UPDATE OF e SKIP LOCKED
		), marked AS (
			UPDATE entities AS e SET changed_at = e.changed_at FROM locked
			WHERE e.space_id = locked.space_id AND e.entity_id = locked.entity_id RETURNING e.space_id
		), skipped AS (
			INSERT INTO skipped_entities (space_id, entity_id, upload_id)
			SELECT space_id, entity_id, ?1 FROM (SELECT * FROM shown EXCEPT SELECT * FROM locked) AS rest RETURNING id
		)
		SELECT space_id, 0 AS skipped_id FROM marked UNION SELECT '', id FROM skipped`, userID, uploadID).Scan(ctx, &rows)
	for _, row := range rows {
		if row.SkippedID == 0 {
			db.Announce(SpaceTopic(row.SpaceID))
		} else if db.afterCommit != nil {
			db.afterCommit.skippedEntities = append(db.afterCommit.skippedEntities, row.SkippedID)
		}
	}
	return translate(err)
}

// MarkSkippedEntities marks up to limit of the entities that announceFile has skipped and that the
// transaction has not marked after its commit, because its process was killed, the response to the
// commit was lost, or the entity stayed locked. It returns how many it found.
func (db Watched) MarkSkippedEntities(ctx context.Context, limit int) (int, error) {
	var ids []int64
	if err := db.idb.NewRaw("SELECT id FROM skipped_entities ORDER BY id LIMIT ?", limit).Scan(ctx, &ids); err != nil {
		return 0, translate(err)
	}
	return len(ids), db.markSkipped(ctx, ids)
}

// markSkipped does for these rows of skipped_entities what announceFile does for the entities that
// it can lock, and deletes the rows. Call it after the commit. An entity that it cannot mark keeps
// its row and does not stop the others.
//
// Each statement waits for one entity and holds no other, so that it is part of no deadlock. It
// marks nothing if the other transaction has deleted the entity, or has it show another file.
func (db Watched) markSkipped(ctx context.Context, ids []int64) error {
	var errs []error
	for _, id := range ids {
		var spaceIDs []string // one, or none
		err := db.idb.NewRaw(`
			WITH skipped AS (DELETE FROM skipped_entities WHERE id = ? RETURNING space_id, entity_id, upload_id)
			UPDATE entities AS e SET changed_at = e.changed_at FROM skipped AS s
			WHERE e.space_id = s.space_id AND e.entity_id = s.entity_id AND e.upload_id = s.upload_id RETURNING e.space_id`, id).
			Scan(ctx, &spaceIDs)
		if err != nil {
			errs = append(errs, translate(err))
		}
		for _, spaceID := range spaceIDs {
			db.Announce(SpaceTopic(spaceID))
		}
	}
	return errors.Join(errs...)
}
