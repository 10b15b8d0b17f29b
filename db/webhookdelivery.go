package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"portico/model"
)

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
func (db *DB) StartDelivery(ctx context.Context, webhookID, stream string) (*model.WebhookDelivery, *model.Webhook, error) {
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
func (db *DB) UncountAttempt(ctx context.Context, d *model.WebhookDelivery) error {
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
func (db *DB) EndAttempt(ctx context.Context, d *model.WebhookDelivery, result DeliveryResult, disableAfter time.Duration) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.lockWebhook(ctx, d.WebhookID); err != nil {
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
		return tx.recordHealth(ctx, d, result, disableAfter)
	})
}

// lockWebhook locks a webhook, if it exists, and before it its account, which disableWebhook
// notifies. A transaction that changes deliveries calls it first. Otherwise it would wait for the
// webhook while a transaction that disables or deletes the webhook waits for the deliveries.
func (db *DB) lockWebhook(ctx context.Context, id string) error {
	if err := db.preventUserDeletion(ctx, "SELECT user_id FROM webhooks WHERE id = ?", id); err != nil {
		return err
	}
	_, err := db.idb.ExecContext(ctx, "SELECT FROM webhooks WHERE id = ? FOR NO KEY UPDATE", id)
	return translate(err)
}

// recordHealth stores since when the webhook fails. A failed test does not count.
func (db *DB) recordHealth(ctx context.Context, d *model.WebhookDelivery, result DeliveryResult, disableAfter time.Duration) error {
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
func (db *DB) disableWebhook(ctx context.Context, id string, cause model.WebhookDisabledCause, last *model.WebhookFailure) error {
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
func (db *DB) cancelDeliveries(ctx context.Context, webhookID string) error {
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
func (db *DB) PurgeDeliveries(ctx context.Context, keep time.Duration, limit int) (int, error) {
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
func (db *DB) DisableFullWebhooks(ctx context.Context) (int, error) {
	var ids []string
	err := db.idb.NewRaw(`SELECT webhook_id FROM webhook_deliveries WHERE ended_at IS NULL
		GROUP BY webhook_id HAVING count(*) > ? OR sum(octet_length(payload)) > ?`, maxWaiting, maxWaitingBytes).Scan(ctx, &ids)
	if err != nil {
		return 0, translate(err)
	}
	for _, id := range ids {
		err := db.InTx(ctx, func(tx *DB) error {
			if err := tx.lockWebhook(ctx, id); err != nil {
				return err
			}
			return tx.disableWebhook(ctx, id, model.WebhookFull, nil)
		})
		if err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}
