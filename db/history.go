package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// The history of an account is the versions of all its spaces. One transaction at a time holds it,
// to record or remove versions, until the transaction ends.
//
// It is one lock for each account and not for each space, because each version also changes the row
// of the account in history_usage: transactions with several spaces would lock these rows in
// different orders. A transaction waits for the history of at most one account. If it needs several
// histories, it takes the free ones and leaves the others. So transactions never deadlock, and a
// long restore delays only its owner.

// historyLockArguments returns the arguments of the lock on the history of an account.
//
// It has two numbers, so it is in another key space than those with one (see db.go).
func historyLockArguments(owner string) string { return "hashtext('history'), hashtext(" + owner + ")" }

// LockHistory waits until no other transaction records or removes versions of the account, or of
// the owner of the space, and holds the history until the transaction ends. A transaction may call
// it for one account only.
func (db History) LockHistory(ctx context.Context, accountOrSpace string) error {
	_, err := db.idb.NewRaw("SELECT pg_advisory_xact_lock("+historyLockArguments(ownerOf("?::text"))+")", accountOrSpace).Exec(ctx)
	return translate(err)
}

// lockFreeHistories holds the histories of the accounts that no other transaction holds, and
// returns these accounts. It does not wait for them.
func (db History) lockFreeHistories(ctx context.Context, owners []string) (free []string, err error) {
	err = db.idb.NewRaw("SELECT id FROM unnest(?::text[]) AS owner (id) WHERE pg_try_advisory_xact_lock("+historyLockArguments("id")+")",
		pgdialect.Array(owners)).Scan(ctx, &free)
	return free, translate(err)
}

// lockAgainstDeletion locks the spaces so that no other transaction deletes them.
func (db History) lockAgainstDeletion(ctx context.Context, ids []string) error {
	_, err := db.idb.NewRaw("SELECT id FROM spaces WHERE id = ANY(?::text[]) ORDER BY id FOR KEY SHARE", pgdialect.Array(ids)).Exec(ctx)
	return translate(err)
}

// maxHistory is the part of the quota u.quota that the history of an account may take.
const maxHistory = "(u.quota / 2)"

// trimHistories deletes the oldest versions of those accounts that are over their quota, or whose
// history takes more than its part of it, until they are within both: old versions must not prevent
// an owner from writing. The newest version of each space stays, so that numbers are never used
// again.
//
// InTx calls it after the commit, for each account in a transaction of its own. An outer
// transaction, such as a restore, has locked what deletions of other spaces of the account wait
// for.
func (db History) trimHistories(ctx context.Context, owners []string) error {
	var full []string
	err := db.idb.NewRaw(`SELECT u.id FROM users AS u, storage_of(u.id) AS s
		WHERE u.id = ANY(?::text[]) AND (s.used + s.promised > u.quota
			OR EXISTS (SELECT FROM history_usage AS h WHERE h.`+belongsTo("u.id")+` AND h.bytes > `+maxHistory+`))`, pgdialect.Array(owners)).Scan(ctx, &full)
	if err != nil {
		return translate(err)
	}
	for _, owner := range full {
		if err := db.InTx(ctx, func(tx *DB) error { return tx.History().trimHistory(ctx, owner) }); err != nil {
			return err
		}
	}
	return nil
}

// trimHistory removes the oldest versions of an account that trimHistories has found. It locks the
// history, so it runs in a transaction.
func (db History) trimHistory(ctx context.Context, owner string) error {
	if err := db.LockHistory(ctx, owner); err != nil {
		return err
	}
	_, err := db.removeVersions(ctx, `
		WITH full_account AS (
			SELECT greatest(s.used + s.promised - u.quota, h.bytes - `+maxHistory+`) AS excess
			FROM storage_of(?0) AS s, users AS u LEFT JOIN history_usage AS h ON h.`+belongsTo("u.id")+` WHERE u.id = ?0
		), aged AS (
			SELECT v.space_id, v.sequence, a.excess,
				sum(v.bytes) OVER (ORDER BY v.ended_at, v.space_id, v.sequence) - v.bytes AS older,
				max(v.sequence) OVER (PARTITION BY v.space_id) AS newest
			FROM full_account AS a, spaces AS s JOIN space_versions AS v ON v.space_id = s.id WHERE s.`+ownedBy("?0")+`
		)
		SELECT space_id, max(sequence) AS last FROM aged WHERE older < excess AND sequence < newest
		GROUP BY space_id ORDER BY space_id`, owner)
	return err
}

// PurgeHistory removes the versions of up to maxSpaces spaces that are too old, and returns the
// number of spaces. The newest version of a space stays, so that numbers are never used again,
// unless no history is kept. It leaves out the histories that other transactions hold.
//
// What is too old when the statement starts is still too old when it holds the history.
func (db History) PurgeHistory(ctx context.Context, limits model.HistoryLimits, maxSpaces int) (int, error) {
	age, kept := limits.Age, 1
	if limits.Versions == 0 {
		age, kept = 0, 0
	}
	purged := 0
	err := db.InTx(ctx, func(tx *DB) (err error) {
		purged, err = tx.History().removeVersions(ctx, `
			WITH old AS MATERIALIZED (
				SELECT space_id, last FROM (
					SELECT o.space_id, least(max(o.sequence), (SELECT max(sequence) FROM space_versions AS n WHERE n.space_id = o.space_id) - ?) AS last
					FROM space_versions AS o WHERE o.ended_at <= now() - ?::interval GROUP BY o.space_id
				) AS o WHERE EXISTS (SELECT 1 FROM space_versions AS v WHERE v.space_id = o.space_id AND v.sequence <= o.last)
				ORDER BY space_id LIMIT ?
			)
			SELECT space_id, last FROM old WHERE pg_try_advisory_xact_lock(`+historyLockArguments(ownerOf("space_id"))+`)
			ORDER BY space_id`, kept, milliseconds(age), maxSpaces)
		return err
	})
	return purged, err
}

// removeVersions removes the versions of spaces up to a number. The query selects space_id and
// last. It returns the number of spaces.
func (db History) removeVersions(ctx context.Context, query string, args ...any) (int, error) {
	var old []struct {
		SpaceID string
		Last    int64
	}
	if err := db.idb.NewRaw(query, args...).Scan(ctx, &old); err != nil || len(old) == 0 {
		return 0, translate(err)
	}
	spaces, last := make([]string, len(old)), make([]int64, len(old))
	for i, space := range old {
		spaces[i], last[i] = space.SpaceID, space.Last
	}
	if err := db.lockAgainstDeletion(ctx, spaces); err != nil {
		return 0, err
	}
	_, err := db.idb.NewRaw(`DELETE FROM space_versions AS v USING unnest(?::text[], ?::bigint[]) AS old (space_id, last)
		WHERE v.space_id = old.space_id AND v.sequence <= old.last`, pgdialect.Array(spaces), pgdialect.Array(last)).Exec(ctx)
	return len(old), translate(err)
}

// Versions returns a page of the space's versions, newest first.
func (db History) Versions(ctx context.Context, spaceID string, page model.Page) (*model.SpaceVersionConnection, error) {
	rows := listing{table: "space_versions", newest: true, where: "space_id = ?", args: []any{spaceID}}
	found, err := list[versionRow](ctx, db.DB, rows, page)
	if err != nil {
		return nil, err
	}
	versions := &model.SpaceVersionConnection{PageInfo: found.PageInfo, TotalCount: found.TotalCount, Order: found.Order}
	for _, row := range found.Nodes {
		versions.Nodes = append(versions.Nodes, row.version())
	}
	return versions, nil
}

// versionRow is a row of space_versions.
//
// The bytes of a version are stored but not read here: only the quota counts them.
type versionRow struct {
	bun.BaseModel `bun:"space_versions"`
	model.SpaceVersion
	Origin string
}

// version returns the version, with the fields that are stored in its origin.
func (r *versionRow) version() *model.SpaceVersion {
	version, restored := &r.SpaceVersion, 0
	version.Door, version.UserID, version.IsChangeSet, restored = parseOrigin(r.Origin)
	if restored > 0 {
		version.RestoredNumber = &restored
	}
	return version
}

// NameVersion stores the name of a version and returns the version, or model.VersionNotFound.
func (db History) NameVersion(ctx context.Context, in model.NameVersion) (*model.SpaceVersion, error) {
	row := new(versionRow)
	err := db.idb.NewRaw("UPDATE space_versions SET name = ? WHERE space_id = ? AND sequence = ? RETURNING *",
		in.Name, in.SpaceID, in.Number).Scan(ctx, row)
	if err != nil {
		return nil, translateNotFound(err, model.VersionNotFound)
	}
	return row.version(), nil
}

// VersionBounds returns the numbers of the oldest and the newest version; 0 and 0 for none.
func (db History) VersionBounds(ctx context.Context, spaceID string) (oldest, newest int, err error) {
	err = db.idb.NewRaw("SELECT coalesce(min(sequence), 0), coalesce(max(sequence), 0) FROM space_versions WHERE space_id = ?",
		spaceID).Scan(ctx, &oldest, &newest)
	return oldest, newest, translate(err)
}

// setOrigin is a condition that stores where the writes of its statement come from. It is always
// true.
//
// set_config with true as its last argument ends with the transaction, so a connection of the pool
// carries no origin into the next request.
const setOrigin = "set_config('portico.origin', ?, true) IS NOT NULL"

// originOf returns where writes come from, as table changes stores it: the door, the account,
// and for a change set a token of its own. Writes with one origin and no pause between them are
// one version of the space.
func (db History) originOf(ctx context.Context) string {
	if db.origin != "" {
		return db.origin
	}
	caller := model.CallerFrom(ctx)
	if caller == nil {
		return ""
	}
	return model.OriginFrom(ctx).Door + " " + caller.UserID
}

// AsChangeSet runs fn in a transaction whose writes become a version of their own. restored is
// the number of the version that fn restores; 0 for another change set.
//
// The token makes the origin unique: what the same account writes just before or after belongs to
// other versions.
func (db History) AsChangeSet(ctx context.Context, restored int, fn func(tx *DB) error) error {
	return db.InTx(ctx, func(tx *DB) error {
		marked := *tx
		marked.origin = db.originOf(ctx) + " " + model.Token() + " " + strconv.Itoa(restored)
		if _, err := marked.idb.NewRaw("SELECT set_config('portico.origin', ?, true)", marked.origin).Exec(ctx); err != nil {
			return translate(err)
		}
		return fn(&marked)
	})
}

// parseOrigin reads an origin. Writes of the server itself have none. The format is "door user" or
// "door user token restored". Rows in space_versions keep it for as long as the version, so a
// change of the format must read the old one too.
func parseOrigin(origin string) (door, userID string, isChangeSet bool, restored int) {
	parts := strings.Split(origin, " ")
	if len(parts) > 1 {
		door, userID = parts[0], parts[1]
	}
	if len(parts) > 3 {
		isChangeSet = true
		restored, _ = strconv.Atoi(parts[3]) // of AsChangeSet
	}
	return door, userID, isChangeSet, restored
}

// The statements that only graph.RestoreVersion runs, in its order: it reads the changes since the
// version, and reverts the changes of settings and of files. It reverts the changes of entities as
// any change set changes them, by the statements of entity.go.

// ChangesSince returns all differences between the state after a version and now. It refuses
// more than maxBytes of JSON before it reads them.
func (db History) ChangesSince(ctx context.Context, spaceID string, from int, maxBytes int64) ([]*model.SpaceChange, error) {
	var size int64
	args := []any{spaceID, from, int64(PresentState) - 1, int64(PresentState) - 1} // what is not recorded yet, too
	err := db.idb.NewRaw(comparedVersions+" SELECT coalesce(sum(size), 0)::bigint FROM different", args...).Scan(ctx, &size)
	if err != nil {
		return nil, translate(err)
	}
	if size > maxBytes {
		return nil, model.TooLargef("The versions differ by more than %d bytes", maxBytes)
	}
	var changes []*model.SpaceChange
	err = db.idb.NewRaw(comparedVersions+" SELECT * FROM different ORDER BY sequence", args...).Scan(ctx, &changes)
	return changes, translate(err)
}

// RestoreSettings sets the texts and the fields of the space to the values in settings. It does not
// change the privacy.
//
// The privacy is left out because a restored version must not publish what the owner has hidden
// since then.
func (db History) RestoreSettings(ctx context.Context, spaceID string, settings model.Object) error {
	var before struct {
		model.SpaceTextInput
		Data model.Object
	}
	if err := json.Unmarshal(settings, &before); err != nil {
		return err
	}
	space, now := new(model.Space), model.Now()
	query := db.idb.NewUpdate().Model(space).Where("id = ?", spaceID).Where(setOrigin, db.originOf(ctx)).
		Set("data = ?::jsonb", before.Data).
		Set("changed_at = ?", now).Set("touched_at = greatest(touched_at, ?)", now).Set("version = version + 1").
		Returning("id, owner_id")
	setTexts(query, before.SpaceTextInput)
	err := query.Scan(ctx)
	if err != nil {
		return translateNotFound(err, model.SpaceNotFound)
	}
	db.Announce(SpaceTopic(space.ID), SpacesTopic(space.OwnerID))
	return nil
}

// RestoreSpaceFile stores the earlier file of the path again, and reports whether that file still
// exists. The file is locked until the transaction ends.
//
// KEY SHARE waits for a transaction that is deleting the file. The owner is compared, because
// before is a JSON object of the history, and not a reference that Postgres guards.
func (db History) RestoreSpaceFile(ctx context.Context, spaceID, path string, before model.Object) (bool, error) {
	result, err := db.idb.NewRaw(`
		INSERT INTO space_files (space_id, path, resource_key, sha256)
		SELECT ?0, ?1, resource_key, ?2::jsonb->>'sha256' FROM files
		WHERE resource_key = ?2::jsonb->>'resourceKey' AND `+belongsTo(ownerOf("?0"))+` FOR KEY SHARE
		ON CONFLICT (space_id, path) DO UPDATE SET resource_key = EXCLUDED.resource_key, sha256 = EXCLUDED.sha256`,
		spaceID, path, before).Exec(ctx)
	return rowChanged(result, err)
}

// EntityVersion is the current version of an entity: an opaque text that changes with
// every write to the entity.
type EntityVersion struct {
	EntityID string
	Version  string
}

// EntityVersions returns the versions of all entities of the space in the order
// of their creation, with RoomInfo. There is no limit: a watcher compares them all
// with the versions that its client has, and a version is small.
//
// Package graph reads it at most a hundred times a second for each space that is watched, however
// many subscribers there are.
func (db History) EntityVersions(ctx context.Context, spaceID string) (versions []EntityVersion, err error) {
	var all string
	err = db.rows(ctx, func(row *sql.Rows) error { return row.Scan(&all) }, entityVersions, spaceID)
	for version := range strings.SplitSeq(all, ",") {
		if id, xmin, ok := strings.Cut(version, " "); ok {
			versions = append(versions, EntityVersion{EntityID: id, Version: xmin})
		}
	}
	return versions, err
}

// entityVersions is read after each change. It returns one row, because thousands take
// longer to receive than to find. Ids have neither commas nor spaces. xmin is the id of
// the transaction that wrote the row, so every write changes it.
//
// xmin of two rows is equal if one transaction wrote both: versions are compared for one entity at
// a time. It may repeat after 2^32 transactions, which is longer than any subscription.
const entityVersions = `
	SELECT coalesce(string_agg(entity_id || ' ' || xmin::text, ',' ORDER BY sequence), '')
	FROM entities WHERE space_id = $1`

// VersionedEntity is an entity as a subscription read it. RowVersion differs after every write of
// the row.
type VersionedEntity struct {
	model.Entity
	RowVersion string
}

// VersionedEntities returns the entities with these ids that exist, in the order of their
// creation. It stops after maxBytes of JSON, but returns at least one entity.
//
// The sizes are summed before the JSON is read, so rows beyond the limit are not fetched from disk.
// The version and the row are of one snapshot.
func (db History) VersionedEntities(ctx context.Context, spaceID string, ids []string, maxBytes int) ([]VersionedEntity, error) {
	var entities []VersionedEntity
	err := db.idb.NewRaw(`
		WITH sized AS (
			SELECT entity_id, sum(bytes) OVER (ORDER BY sequence) - bytes AS before
			FROM entities WHERE space_id = ? AND entity_id = ANY(?::text[])
		)
		SELECT e.*, e.xmin::text AS row_version FROM entities AS e JOIN sized USING (entity_id)
		WHERE e.space_id = ? AND sized.before < ? ORDER BY e.sequence`,
		spaceID, pgdialect.Array(ids), spaceID, maxBytes).Scan(ctx, &entities)
	return entities, translate(err)
}

// PresentState is the number of the present state of a space, as a version.
const PresentState = math.MaxInt64

// comparedVersions selects how the state after version ?2 differs from the state after version
// ?1. The state after a version is what the first later change of each target replaced; what
// no later change replaced is there now.
//
// The parts of the statement:
//
//	log        what each later version replaced, and what is not recorded yet, as version ?3
//	earlier    the first record of each target after ?1: its state after version ?1
//	later      the first record of each target after ?2: its state after version ?2
//	compared   both states; without a later record the present row is the second
//	different  the targets whose states differ, numbered, with the bytes of both
const comparedVersions = `
	WITH log AS (
		SELECT version, 0::bigint AS place, target, type, before FROM version_changes WHERE space_id = ?0 AND version > ?1
		UNION ALL
		SELECT ?3::bigint, sequence, target, type, before FROM changes WHERE space_id = ?0 AND NOT repeated
	), earlier AS (
		SELECT DISTINCT ON (target) * FROM log ORDER BY target, version, place
	), later AS (
		SELECT DISTINCT ON (target) * FROM log WHERE version > ?2 ORDER BY target, version, place
	), compared AS (
		SELECT e.target, e.type AS before_type, e.before, coalesce(l.type, n.type) AS after_type, coalesce(l.before, n.data) AS after
		FROM earlier AS e LEFT JOIN later AS l USING (target) LEFT JOIN LATERAL (
			SELECT type, data FROM entities WHERE space_id = ?0 AND entity_id = e.target
			UNION ALL
			SELECT 'space', space_settings(s) FROM spaces AS s WHERE e.target = '' AND id = ?0
			UNION ALL
			SELECT 'file', jsonb_build_object('resourceKey', resource_key, 'sha256', sha256)
			FROM space_files WHERE space_id = ?0 AND path = e.target
		) AS n ON l.target IS NULL
		WHERE e.version <= ?2
	), different AS (
		SELECT row_number() OVER (ORDER BY target) AS sequence, count(*) OVER () AS total, *,
			coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0) AS size
		FROM compared WHERE (before_type, before, after_type, after) IS DISTINCT FROM (after_type, after, before_type, before)
	)`

// SpaceChanges returns a page of how the state after version to differs from the state after
// version from, in the order of the targets.
//
// It reads the history of one space whole: model.HistoryLimits bounds it.
func (db History) SpaceChanges(ctx context.Context, spaceID string, from, to int, page model.Page) (*model.SpaceChangeConnection, error) {
	direction := "ASC"
	if page.Backward {
		direction = "DESC"
	}
	var rows []*changeWithTotal
	err := db.idb.NewRaw(comparedVersions+`
		SELECT p.* FROM (
			SELECT *, sum(size) OVER reading AS read, row_number() OVER reading AS place FROM different
			WHERE sequence > ?4 AND (?5 = 0 OR sequence < ?5) WINDOW reading AS (ORDER BY sequence `+direction+`)
		) AS p WHERE place <= ?6 AND (read <= ?7 OR place = 1) ORDER BY sequence`,
		spaceID, from, to, int64(PresentState), page.After, page.Before, page.Limit, model.MaxPageBytes).Scan(ctx, &rows)
	if err != nil {
		return nil, translate(err)
	}
	if len(rows) == 0 {
		var total int
		err := db.idb.NewRaw(comparedVersions+" SELECT count(*) FROM different", spaceID, from, to, int64(PresentState)).Scan(ctx, &total)
		return (*model.SpaceChangeConnection)(emptyPage[*model.SpaceChange](page, total)), translate(err)
	}
	return changePage(rows, page), nil
}

// changeWithTotal is a row of the list. Total, the length of the whole list, is in every row.
type changeWithTotal struct {
	model.SpaceChange
	Total int
}

// changePage returns the page with the rows. The sequence of a change is its place in the list.
func changePage(rows []*changeWithTotal, page model.Page) *model.SpaceChangeConnection {
	changes := make([]*model.SpaceChange, len(rows))
	for i := range rows {
		changes[i] = &rows[i].SpaceChange
	}
	total := rows[0].Total
	before, after := changes[0].Sequence > 1, changes[len(changes)-1].Sequence < int64(total)
	if page.Backward {
		before, after = after, before
	}
	return (*model.SpaceChangeConnection)(model.NewOrderedPage(changes, page, after, before, total))
}
