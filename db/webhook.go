package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddWebhook stores a new webhook. It refuses more than model.MaxWebhooks of an account, and a
// caller whose access has ended.
//
// The lock on the account makes the count exact.
func (db Webhooks) AddWebhook(ctx context.Context, webhook *model.Webhook) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Webhooks().lockAsCaller(ctx, webhook.UserID); err != nil {
			return err
		}
		var count int
		if err := tx.idb.NewRaw("SELECT count(*) FROM webhooks WHERE "+belongsTo("?"), webhook.UserID).Scan(ctx, &count); err != nil {
			return translate(err)
		}
		if count >= model.MaxWebhooks {
			return model.Invalidf("An account can have at most %d webhooks. Delete one first", model.MaxWebhooks)
		}
		// The webhook gets the events of later changes. A number tells them apart: a clock may be set back.
		_, err := tx.idb.NewInsert().Model(webhook).Value("created_at", "now()").
			Value("after_change", "(SELECT coalesce(max(sequence), 0) FROM changes)").Returning("created_at, after_change").Exec(ctx)
		if err != nil {
			return translate(err)
		}
		return tx.Webhooks().recordWebhook(ctx, model.EventWebhookCreated, webhook)
	})
}

// lockAsCaller locks the account, and refuses a caller whose access has ended. Otherwise a request
// that was authenticated before would make or enable a webhook after everything else has ended.
func (db Webhooks) lockAsCaller(ctx context.Context, userID string) error {
	if _, err := db.Accounts().LockUser(ctx, userID); err != nil {
		return err
	}
	return db.Keys().CheckAccess(ctx)
}

// recordWebhook adds an event about the webhook to the audit trail. The address itself may contain
// a secret of its receiver, so the title is the host.
func (db Webhooks) recordWebhook(ctx context.Context, kind model.SecurityEventType, webhook *model.Webhook) error {
	return db.Audit().record(ctx, kind, webhook.UserID, webhook.ID, webhook.Host())
}

// Webhooks returns the account's webhooks in the order of their creation.
func (db Webhooks) Webhooks(ctx context.Context, userID string) ([]*model.Webhook, error) {
	webhooks := []*model.Webhook{}
	err := db.idb.NewSelect().Model(&webhooks).Where(belongsTo("?"), userID).Order("sequence").Scan(ctx)
	return webhooks, translate(err)
}

// Webhook returns a webhook of the account, or model.WebhookNotFound.
func (db Webhooks) Webhook(ctx context.Context, userID, id string) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.idb.NewSelect().Model(webhook).Where(belongsTo("?")+" AND id = ?", userID, id).Scan(ctx)
	return webhook, translateNotFound(err, model.WebhookNotFound)
}

// webhookMails are the mails about the events of webhooks.
var webhookMails = map[model.SecurityEventType]model.MailKind{
	model.EventWebhookCreated: model.MailWebhookCreated,
	model.EventWebhookChanged: model.MailWebhookChanged,
	model.EventWebhookDeleted: model.MailWebhookDeleted,
}

// MailWebhookChange queues a mail to the owner of the account about an event of a webhook, which was
// recorded in the same transaction. In an hour it queues at most model.MaxMailsPerHour of each kind:
// the audit trail has all events.
func (db Webhooks) MailWebhookChange(ctx context.Context, kind model.SecurityEventType, webhook *model.Webhook) error {
	var recent int
	err := db.idb.NewRaw("SELECT count(*) FROM audit_events WHERE type = ? AND "+belongsTo("?")+" AND created_at > now() - interval '1 hour'",
		kind, webhook.UserID).Scan(ctx, &recent)
	if err != nil || recent > model.MaxMailsPerHour {
		return translate(err)
	}
	user, err := db.Accounts().User(ctx, webhook.UserID)
	if err != nil {
		return err
	}
	return db.Queue().EnqueueMail(ctx, model.Mail{
		Kind: webhookMails[kind], UserID: user.ID, To: user.Email, Host: webhook.Host(),
		Language: cmp.Or(model.OriginFrom(ctx).Language, model.PreferredLanguage("")),
	})
}

// UpdateWebhook changes a webhook of the account. Enabling it forgets its failures; disabling it
// gives up what waits.
func (db Webhooks) UpdateWebhook(ctx context.Context, userID string, in model.UpdateWebhook) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.InTx(ctx, func(tx *DB) error {
		if err := tx.Webhooks().lockAsCaller(ctx, userID); err != nil {
			return err
		}
		query := tx.idb.NewUpdate().Model(webhook).Where(belongsTo("?")+" AND id = ?", userID, in.WebhookID).Set("user_id = user_id").Returning("*")
		setIf(query, "url", in.URL)
		if in.Events != nil {
			query.Set("events = ?", pgdialect.Array(in.Events))
		}
		switch enabled := in.Enabled; {
		case enabled != nil && *enabled:
			query.Set("disabled_at = NULL, disabled_cause = NULL, disabled_failure = NULL, failing_since = NULL")
		case enabled != nil:
			query.Set("disabled_at = coalesce(disabled_at, now())")
		}
		if err := query.Scan(ctx); err != nil {
			return translateNotFound(err, model.WebhookNotFound)
		}
		if err := tx.Webhooks().recordWebhook(ctx, model.EventWebhookChanged, webhook); err != nil || webhook.Enabled() {
			return err
		}
		return tx.Webhooks().cancelDeliveries(ctx, in.WebhookID)
	})
	return webhook, err
}

// DeleteWebhook deletes a webhook of the account with its deliveries.
func (db Webhooks) DeleteWebhook(ctx context.Context, userID, id string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Webhooks().lockAsCaller(ctx, userID); err != nil {
			return err
		}
		webhook := new(model.Webhook)
		err := tx.idb.NewRaw("DELETE FROM webhooks WHERE "+belongsTo("?")+" AND id = ? RETURNING *", userID, id).Scan(ctx, webhook)
		if err != nil {
			return translateNotFound(err, model.WebhookNotFound)
		}
		return tx.Webhooks().recordWebhook(ctx, model.EventWebhookDeleted, webhook)
	})
}

// RotateWebhookSecret replaces the secret of a webhook of the account. The former secret signs
// too, for as long as the overlap.
//
// A receiver accepts either signature, so it can change the secret without losing an event.
func (db Webhooks) RotateWebhookSecret(ctx context.Context, userID, id string, sealed []byte, overlap time.Duration) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.InTx(ctx, func(tx *DB) error {
		if err := tx.Webhooks().lockAsCaller(ctx, userID); err != nil {
			return err
		}
		err := tx.idb.NewRaw(`
			UPDATE webhooks SET former_sealed = sealed, former_until = now() + ?::interval, sealed = ?
			WHERE `+belongsTo("?")+` AND id = ? RETURNING *`, milliseconds(overlap), sealed, userID, id).Scan(ctx, webhook)
		if err != nil {
			return translateNotFound(err, model.WebhookNotFound)
		}
		return tx.Webhooks().recordWebhook(ctx, model.EventWebhookChanged, webhook)
	})
	return webhook, err
}

// WebhookDeliveries returns a page of the deliveries of a webhook, newest first.
func (db Webhooks) WebhookDeliveries(ctx context.Context, webhookID string, page model.Page) (*model.WebhookDeliveryConnection, error) {
	rows := listing{
		table: "webhook_deliveries", newest: true, where: "webhook_id = ?", args: []any{webhookID}, size: "octet_length(payload)",
	}
	deliveries, err := list[model.WebhookDelivery](ctx, db.DB, rows, page)
	return (*model.WebhookDeliveryConnection)(deliveries), err
}

// AddTestDelivery adds a test event for the webhook, even if the webhook is disabled.
//
// A test has a stream of its own, so it waits for no other event.
func (db Webhooks) AddTestDelivery(ctx context.Context, webhook *model.Webhook) (*model.WebhookDelivery, error) {
	payload, err := model.WebhookPayload(model.WebhookTest, model.Now(), map[string]string{"webhookId": webhook.ID})
	if err != nil {
		return nil, err
	}
	delivery := new(model.WebhookDelivery)
	err = db.idb.NewRaw(`
		INSERT INTO webhook_deliveries (webhook_id, stream, type, payload)
		VALUES (?, 'test-' || gen_random_uuid(), ?, ?) RETURNING *`, webhook.ID, model.WebhookTest, payload).Scan(ctx, delivery)
	return delivery, translate(err)
}

// The limits of one webhook: deliveries in its log, deliveries that wait, and the size of the
// waiting ones.
//
// A receiver that is down for long must not fill the disk: DisableFullWebhooks acts on the last
// two.
const (
	maxDeliveryLog  = 1000
	maxWaiting      = 10_000
	maxWaitingBytes = 16 << 20
)

// StartDelivery starts an attempt at the oldest event of a stream, if it is due, and returns it
// with its webhook; nil for none. Only the oldest event that has not ended is considered, whether
// it is due or not: a receiver gets the events of a stream in order, so later events wait for the
// retries of an earlier one. The attempt is counted before the request is sent, so an attempt whose
// process was killed counts too.
//
// A disabled webhook gets tests only. Its other events are given up: a transaction that added one
// may commit after the one that disabled the webhook.
//
// River runs one job for each stream, and a job that was rescued may overlap with the paused
// worker. EndAttempt recognises the current one by the number of attempts.
func (db Webhooks) StartDelivery(ctx context.Context, webhookID, stream string) (*model.WebhookDelivery, *model.Webhook, error) {
	delivery, webhook := new(model.WebhookDelivery), new(model.Webhook)
	err := db.idb.NewRaw(`
		UPDATE webhook_deliveries SET attempts = attempts + 1, attempted_at = now()
		WHERE sequence = (SELECT sequence FROM webhook_deliveries
			WHERE webhook_id = ?0 AND stream = ?1 AND ended_at IS NULL ORDER BY sequence LIMIT 1)
			AND ended_at IS NULL AND next_at <= now()
			AND (type = ?2 OR EXISTS (SELECT FROM webhooks WHERE id = ?0 AND disabled_at IS NULL))
		RETURNING *`, webhookID, stream, model.WebhookTest).Scan(ctx, delivery)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, db.cancelDeliveries(ctx, webhookID)
	}
	if err != nil {
		return nil, nil, translate(err)
	}
	err = db.idb.NewSelect().Model(webhook).Where("id = ?", webhookID).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) { // deleted meanwhile, with its deliveries
		return nil, nil, nil
	}
	return delivery, webhook, translate(err)
}

// UncountAttempt takes back the count of an attempt that this server did not finish, because of its
// own failure or because it stops. Otherwise such attempts would use up the retries of a receiver
// that was not at fault. It does nothing if another attempt has started.
func (db Webhooks) UncountAttempt(ctx context.Context, d *model.WebhookDelivery) error {
	_, err := db.idb.ExecContext(ctx, `UPDATE webhook_deliveries SET attempts = attempts - 1
		WHERE sequence = ? AND attempts = ? AND ended_at IS NULL`, d.Sequence, d.Attempts)
	return translate(err)
}

// DeliveryResult is how an attempt to deliver an event ended.
type DeliveryResult struct {
	Delivered bool
	// Retry is the wait before the next attempt; 0 means no further attempt. It is ignored for an
	// event that was delivered, because its delivery ends.
	Retry time.Duration
	// Status is the HTTP status of the response; 0 for none.
	Status int
	// Failure is for the owner of the webhook; nil for an event that was delivered.
	Failure  *model.WebhookFailure
	Duration time.Duration
	// Gone disables the webhook: the receiver answered that it is permanently gone.
	Gone bool
	// Uncounted takes back the count of the attempt, as UncountAttempt does: the receiver was not
	// at fault.
	Uncounted bool
}

// EndAttempt stores the result of an attempt. It disables a webhook that has failed for as long as
// disableAfter, and notifies its owner. It does nothing where another attempt has started: the
// number of attempts identifies the attempt, so a worker that was paused cannot overwrite the
// result of the worker that replaced it.
func (db Webhooks) EndAttempt(ctx context.Context, d *model.WebhookDelivery, result DeliveryResult, disableAfter time.Duration) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Webhooks().lockWebhook(ctx, d.WebhookID); err != nil {
			return err
		}
		current, err := rowChanged(tx.idb.ExecContext(ctx, `
			UPDATE webhook_deliveries SET delivered = ?, response_status = ?, failure = ?::jsonb, duration_ms = ?,
				next_at = now() + ?::interval, ended_at = CASE WHEN ? OR ? THEN now() END,
				attempts = attempts - CASE WHEN ? THEN 1 ELSE 0 END
			WHERE sequence = ? AND attempts = ? AND ended_at IS NULL`,
			result.Delivered, result.Status, result.Failure, result.Duration.Milliseconds(), milliseconds(result.Retry),
			result.Delivered, result.Retry == 0, result.Uncounted, d.Sequence, d.Attempts))
		if err != nil || !current {
			return err
		}
		if _, err := tx.idb.ExecContext(ctx, `
			DELETE FROM webhook_deliveries WHERE webhook_id = ? AND ended_at IS NOT NULL AND sequence <= (
				SELECT sequence FROM webhook_deliveries WHERE webhook_id = ? ORDER BY sequence DESC OFFSET ? LIMIT 1)`,
			d.WebhookID, d.WebhookID, maxDeliveryLog); err != nil {
			return translate(err)
		}
		return tx.Webhooks().recordHealth(ctx, d, result, disableAfter)
	})
}

// lockWebhook locks a webhook, if it exists, and before it its account, which disableWebhook
// notifies. A transaction that changes deliveries calls it first. Otherwise it would wait for the
// webhook while a transaction that disables or deletes the webhook waits for the deliveries.
func (db Webhooks) lockWebhook(ctx context.Context, id string) error {
	if err := db.Accounts().preventUserDeletion(ctx, "SELECT user_id FROM webhooks WHERE id = ?", id); err != nil {
		return err
	}
	_, err := db.idb.ExecContext(ctx, "SELECT FROM webhooks WHERE id = ? FOR NO KEY UPDATE", id)
	return translate(err)
}

// recordHealth stores since when the webhook fails. A failed test does not count.
func (db Webhooks) recordHealth(ctx context.Context, d *model.WebhookDelivery, result DeliveryResult, disableAfter time.Duration) error {
	if result.Delivered {
		_, err := db.idb.ExecContext(ctx, "UPDATE webhooks SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL", d.WebhookID)
		return translate(err)
	}
	if d.Type == model.WebhookTest {
		return nil
	}
	var failing bool
	err := db.idb.NewRaw(`UPDATE webhooks SET failing_since = coalesce(failing_since, now()) WHERE id = ?
		RETURNING failing_since <= now() - ?::interval`, d.WebhookID, milliseconds(disableAfter)).Scan(ctx, &failing)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return translate(err)
	case result.Gone:
		return db.disableWebhook(ctx, d.WebhookID, model.WebhookGone, nil)
	case failing:
		return db.disableWebhook(ctx, d.WebhookID, model.WebhookFailing, result.Failure)
	}
	return nil
}

// disableWebhook disables a webhook, gives up what waits for it, and notifies its owner. With the
// cause model.WebhookFailing, last is its last failure. Call it in a transaction that has called
// lockWebhook.
func (db Webhooks) disableWebhook(ctx context.Context, id string, cause model.WebhookDisabledCause, last *model.WebhookFailure) error {
	var owners []string
	err := db.idb.NewRaw(`
		WITH disabled AS (
			UPDATE webhooks SET disabled_at = now(), disabled_cause = ?, disabled_failure = ?::jsonb
			WHERE id = ? AND disabled_at IS NULL RETURNING user_id, url
		)
		INSERT INTO notifications (user_id, type, text) SELECT user_id, ?, url FROM disabled RETURNING user_id`,
		cause, last, id, model.WebhookDisabled).Scan(ctx, &owners)
	if err != nil || len(owners) == 0 {
		return translate(err)
	}
	db.Announce(UserTopic(owners[0]))
	return db.cancelDeliveries(ctx, id)
}

// cancelDeliveries gives up the events that wait for a webhook, if it is disabled. Tests go on. It
// locks the webhook before the deliveries, as every transaction does that changes several of them.
//
// The row stays in the log with the reason, for the owner.
func (db Webhooks) cancelDeliveries(ctx context.Context, webhookID string) error {
	_, err := db.idb.NewRaw(`
		WITH disabled AS (
			SELECT FROM webhooks WHERE id = ?0 AND disabled_at IS NOT NULL FOR NO KEY UPDATE
		)
		UPDATE webhook_deliveries SET ended_at = now(), failure = ?2::jsonb
		WHERE webhook_id = ?0 AND ended_at IS NULL AND type <> ?1 AND EXISTS (SELECT FROM disabled)`,
		webhookID, model.WebhookTest, &model.WebhookFailure{Reason: model.WebhookFailureDisabled}).Exec(ctx)
	return translate(err)
}

// PurgeDeliveries deletes up to limit deliveries that ended longer ago than keep, and returns how
// many. It skips the rows that EndAttempt, a deletion of the webhook or another replica deletes at
// the same time: each may lock them in another order.
func (db Webhooks) PurgeDeliveries(ctx context.Context, keep time.Duration, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, `
		DELETE FROM webhook_deliveries WHERE sequence IN (
			SELECT sequence FROM webhook_deliveries WHERE ended_at < now() - ?::interval ORDER BY ended_at LIMIT ?
			FOR UPDATE SKIP LOCKED)`,
		milliseconds(keep), limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// DisableFullWebhooks disables the webhooks that have too many undelivered events, and returns how
// many. The events of an account must not fill the disk.
func (db Webhooks) DisableFullWebhooks(ctx context.Context) (int, error) {
	var ids []string
	err := db.idb.NewRaw(`SELECT webhook_id FROM webhook_deliveries WHERE ended_at IS NULL
		GROUP BY webhook_id HAVING count(*) > ? OR sum(octet_length(payload)) > ?`, maxWaiting, maxWaitingBytes).Scan(ctx, &ids)
	if err != nil {
		return 0, translate(err)
	}
	for _, id := range ids {
		err := db.InTx(ctx, func(tx *DB) error {
			if err := tx.Webhooks().lockWebhook(ctx, id); err != nil {
				return err
			}
			return tx.Webhooks().disableWebhook(ctx, id, model.WebhookFull, nil)
		})
		if err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// addWebhookEvent adds an event for the account's webhooks. Call it in the transaction of the
// change that it reports. Events of one stream are delivered in the order in which they are added.
//
// It leaves out a webhook that another transaction deletes. Otherwise the foreign key of the event
// would wait for the deletion, and then fail the change.
func (db Webhooks) addWebhookEvent(ctx context.Context, userID, stream string, event model.WebhookEvent, data any) error {
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
func (db Webhooks) addJobEvent(ctx context.Context, job *model.Job) error {
	return db.addWebhookEvent(ctx, job.UserID, jobStream, model.WebhookJobEnded, map[string]any{
		"jobId": job.ID, "type": job.Type, "status": job.Status, "message": job.Message,
		"resourceKey": job.ResultKey, "error": job.Error,
	})
}

// addSpaceEvent adds an event of a space as a whole.
func (db Webhooks) addSpaceEvent(ctx context.Context, event model.WebhookEvent, space *model.Space) error {
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
		SELECT space_id, owner_id, grp, target, max(at) AS at, min(sequence) AS sequence, max(sequence) AS newest,
			(array_agg(op ORDER BY sequence))[1] AS first, (array_agg(op ORDER BY sequence DESC))[1] AS last
		FROM grouped WHERE target <> '' AND position('/' IN target) = 0 GROUP BY space_id, owner_id, grp, target
	), chunked AS (
		SELECT *, (row_number() OVER (PARTITION BY space_id, grp ORDER BY sequence) - 1) / ?1 AS chunk
		FROM entities WHERE NOT (first = 1 AND last = 3)
	), events AS (
		SELECT space_id, owner_id, grp, chunk, max(at) AS at, max(newest) AS newest, 'entity.changed' AS type, jsonb_build_object('spaceId', space_id,
			'created', coalesce(jsonb_agg(target ORDER BY sequence) FILTER (WHERE first = 1), '[]'),
			'updated', coalesce(jsonb_agg(target ORDER BY sequence) FILTER (WHERE first <> 1 AND last <> 3), '[]'),
			'deleted', coalesce(jsonb_agg(target ORDER BY sequence) FILTER (WHERE first <> 1 AND last = 3), '[]')) AS data
		FROM chunked GROUP BY space_id, owner_id, grp, chunk
		UNION ALL
		SELECT space_id, owner_id, grp, 9223372036854775807, at, sequence, 'space.published',
			jsonb_build_object('spaceId', space_id, 'title', title) FROM grouped WHERE published
	)
	INSERT INTO webhook_deliveries (webhook_id, stream, type, payload)
	SELECT w.id, e.space_id, e.type, jsonb_build_object('type', e.type, 'data', e.data,
		'timestamp', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
	FROM events AS e JOIN webhooks AS w ON w.user_id = e.owner_id AND w.disabled_at IS NULL AND e.type = ANY(w.events)
		AND e.newest > w.after_change
	ORDER BY e.space_id, e.grp, e.chunk
	FOR KEY SHARE OF w SKIP LOCKED`

func (db Webhooks) addChangeEvents(ctx context.Context, batch *changeBatch) error {
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
func (db Webhooks) ChangedSpacesWithWebhooks(ctx context.Context, limit int) (ids []string, err error) {
	err = db.idb.NewRaw(changedSpacesWithWebhooks, limit).Scan(ctx, &ids)
	return ids, translate(err)
}
