package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// addWebhookEvent adds an event for the account's webhooks. Call it in the transaction of the
// change that it reports. Events of one stream are delivered in the order in which they are added.
//
// It leaves out a webhook that another transaction deletes. Otherwise the foreign key of the event
// would wait for the deletion, and then fail the change.
func (db *DB) addWebhookEvent(ctx context.Context, userID, stream string, event model.WebhookEvent, data any) error {
	payload, err := model.WebhookPayload(event, model.Now(), data)
	if err != nil {
		return err
	}
	_, err = db.idb.ExecContext(ctx, `
		INSERT INTO webhook_deliveries (webhook_id, stream, type, payload)
		SELECT id, ?, ?, ? FROM webhooks WHERE `+belongsTo("?")+` AND disabled_at IS NULL AND ? = ANY(events)
		FOR KEY SHARE SKIP LOCKED`,
		stream, event, payload, userID, event)
	return translate(err)
}

// jobStream is the stream of the jobs of an account.
const jobStream = "jobs"

// addJobEvent adds the event of a job that has ended.
func (db *DB) addJobEvent(ctx context.Context, job *model.Job) error {
	return db.addWebhookEvent(ctx, job.UserID, jobStream, model.WebhookJobEnded, map[string]any{
		"jobId": job.ID, "type": job.Type, "status": job.Status, "message": job.Message,
		"resourceKey": job.ResultKey, "error": job.Error,
	})
}

// addSpaceEvent adds an event of a space as a whole.
func (db *DB) addSpaceEvent(ctx context.Context, event model.WebhookEvent, space *model.Space) error {
	return db.addWebhookEvent(ctx, space.OwnerID, space.ID, event, map[string]string{"spaceId": space.ID, "title": space.Title})
}

// maxEventIDs is the maximum number of entities that one event lists.
const maxEventIDs = 200

// addChangeEvents adds the events of a batch of changes, before they are recorded as versions
// and removed. Writers of entities pay nothing for webhooks: the change is recorded anyway.
//
// The changes of a space up to its publication are one group, and the changes after it another. Only
// the first and the last change of each entity in a group count: an entity that was created and
// deleted again is left out. A webhook that another transaction deletes is left out too, as by
// addWebhookEvent. The values of op are 1 created, 2 changed and 3 deleted (recordChanges).
//
// The parts of the statement:
//
//	taken     the changes of the batch, and whether one of them published its space
//	grouped   grp, the number of publications before each change: the group that it belongs to
//	entities  the first and the last change of each entity in a group; a path with a slash is a file
//	chunked   at most ?1 entities for an event, without those that came and went
//	events    the events, in the order of group and chunk; a publication is the last of its group,
//	          so its chunk is the largest number
const addChangeEvents = `
	WITH taken AS (
		SELECT c.space_id, c.sequence, c.at, c.target, c.op, s.owner_id, s.title,
			c.target = '' AND c.before->>'privacy' <> 'Public' AND coalesce(
				lead(c.before->>'privacy') OVER (PARTITION BY c.space_id, c.target = '' ORDER BY c.sequence),
				s.privacy) = 'Public' AS published
		FROM changes AS c JOIN spaces AS s ON s.id = c.space_id
		WHERE c.sequence = ANY(?0::bigint[])
	), grouped AS (
		SELECT *, count(*) FILTER (WHERE published) OVER (PARTITION BY space_id ORDER BY sequence)
			- published::int AS grp FROM taken
	), entities AS (
		SELECT space_id, owner_id, grp, target, max(at) AS at, min(sequence) AS sequence,
			(array_agg(op ORDER BY sequence))[1] AS first, (array_agg(op ORDER BY sequence DESC))[1] AS last
		FROM grouped WHERE target <> '' AND position('/' IN target) = 0 GROUP BY space_id, owner_id, grp, target
	), chunked AS (
		SELECT *, (row_number() OVER (PARTITION BY space_id, grp ORDER BY sequence) - 1) / ?1 AS chunk
		FROM entities WHERE NOT (first = 1 AND last = 3)
	), events AS (
		SELECT space_id, owner_id, grp, chunk, max(at) AS at, 'entity.changed' AS type, jsonb_build_object('spaceId', space_id,
			'created', coalesce(jsonb_agg(target ORDER BY sequence) FILTER (WHERE first = 1), '[]'),
			'updated', coalesce(jsonb_agg(target ORDER BY sequence) FILTER (WHERE first <> 1 AND last <> 3), '[]'),
			'deleted', coalesce(jsonb_agg(target ORDER BY sequence) FILTER (WHERE first <> 1 AND last = 3), '[]')) AS data
		FROM chunked GROUP BY space_id, owner_id, grp, chunk
		UNION ALL
		SELECT space_id, owner_id, grp, 9223372036854775807, at, 'space.published',
			jsonb_build_object('spaceId', space_id, 'title', title) FROM grouped WHERE published
	)
	INSERT INTO webhook_deliveries (webhook_id, stream, type, payload)
	SELECT w.id, e.space_id, e.type, jsonb_build_object('type', e.type, 'data', e.data,
		'timestamp', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
	FROM events AS e JOIN webhooks AS w ON w.user_id = e.owner_id AND w.disabled_at IS NULL AND e.type = ANY(w.events)
		AND e.at >= w.created_at
	ORDER BY e.space_id, e.grp, e.chunk
	FOR KEY SHARE OF w SKIP LOCKED`

func (db *DB) addChangeEvents(ctx context.Context, batch *changeBatch) error {
	_, err := db.idb.NewRaw(addChangeEvents, pgdialect.Array(batch.Changes), maxEventIDs).Exec(ctx)
	return translate(err)
}

// changedSpacesWithWebhooks starts with the spaces that were touched lately and whose owners have
// webhooks, by the index spaces_touched, and reads the changes of these only, by changes_space.
const changedSpacesWithWebhooks = `
	WITH touched AS MATERIALIZED (
		SELECT id FROM spaces AS s WHERE touched_at > now() - interval '15 seconds'
			AND EXISTS (SELECT FROM webhooks WHERE user_id = s.owner_id AND disabled_at IS NULL)
	)
	SELECT DISTINCT space_id FROM changes
	WHERE EXISTS (SELECT FROM touched) AND space_id = ANY(ARRAY(SELECT id FROM touched)) LIMIT ?`

// ChangedSpacesWithWebhooks returns up to limit spaces with changes of the last seconds that are
// not recorded yet, and whose owner has a webhook. Call it every few seconds; what it misses is
// recorded with the changes of all other spaces.
func (db *DB) ChangedSpacesWithWebhooks(ctx context.Context, limit int) (ids []string, err error) {
	err = db.idb.NewRaw(changedSpacesWithWebhooks, limit).Scan(ctx, &ids)
	return ids, translate(err)
}
