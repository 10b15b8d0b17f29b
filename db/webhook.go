package db

import (
	"context"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddWebhook stores a new webhook. It refuses more than model.MaxWebhooks of an account.
//
// The lock on the account makes the count exact.
func (db *DB) AddWebhook(ctx context.Context, webhook *model.Webhook) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.LockUser(ctx, webhook.UserID); err != nil {
			return err
		}
		var count int
		if err := tx.idb.NewRaw("SELECT count(*) FROM webhooks WHERE "+belongsTo("?"), webhook.UserID).Scan(ctx, &count); err != nil {
			return translate(err)
		}
		if count >= model.MaxWebhooks {
			return model.Invalidf("An account can have at most %d webhooks. Delete one first", model.MaxWebhooks)
		}
		// The clock of the database, with which the events are compared.
		_, err := tx.idb.NewInsert().Model(webhook).Value("created_at", "now()").Returning("created_at").Exec(ctx)
		return translate(err)
	})
}

// Webhooks returns the account's webhooks in the order of their creation.
func (db *DB) Webhooks(ctx context.Context, userID string) ([]*model.Webhook, error) {
	webhooks := []*model.Webhook{}
	err := db.idb.NewSelect().Model(&webhooks).Where(belongsTo("?"), userID).Order("sequence").Scan(ctx)
	return webhooks, translate(err)
}

// Webhook returns a webhook of the account, or model.WebhookNotFound.
func (db *DB) Webhook(ctx context.Context, userID, id string) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.idb.NewSelect().Model(webhook).Where(belongsTo("?")+" AND id = ?", userID, id).Scan(ctx)
	return webhook, translateNotFound(err, model.WebhookNotFound)
}

// UpdateWebhook changes a webhook of the account. Enabling it forgets its failures; disabling it
// gives up what waits.
func (db *DB) UpdateWebhook(ctx context.Context, userID string, in model.UpdateWebhook) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.InTx(ctx, func(tx *DB) error {
		query := tx.idb.NewUpdate().Model(webhook).Where(belongsTo("?")+" AND id = ?", userID, in.WebhookID).Set("url = url").Returning("*")
		setIf(query, "url", in.URL)
		if in.Events != nil {
			query.Set("events = ?", pgdialect.Array(in.Events))
		}
		switch enabled := in.Enabled; {
		case enabled != nil && *enabled:
			query.Set("disabled_at = NULL, disabled_reason = '', disabled_cause = NULL, disabled_failure = NULL, failing_since = NULL")
		case enabled != nil:
			// An earlier version may have enabled the webhook without clearing the cause.
			query.Set(`disabled_at = coalesce(disabled_at, now()),
				disabled_cause = CASE WHEN disabled_at IS NOT NULL THEN disabled_cause END,
				disabled_failure = CASE WHEN disabled_at IS NOT NULL THEN disabled_failure END`)
		}
		if err := query.Scan(ctx); err != nil {
			return translateNotFound(err, model.WebhookNotFound)
		}
		if webhook.Enabled() {
			return nil
		}
		return tx.cancelDeliveries(ctx, in.WebhookID)
	})
	return webhook, err
}

// DeleteWebhook deletes a webhook of the account with its deliveries.
func (db *DB) DeleteWebhook(ctx context.Context, userID, id string) error {
	found, err := rowChanged(db.idb.ExecContext(ctx, "DELETE FROM webhooks WHERE "+belongsTo("?")+" AND id = ?", userID, id))
	if err == nil && !found {
		err = model.NotFound(model.WebhookNotFound)
	}
	return err
}

// RotateWebhookSecret replaces the secret of a webhook of the account. The former secret signs
// too, for as long as the overlap.
//
// A receiver accepts either signature, so it can change the secret without losing an event.
func (db *DB) RotateWebhookSecret(ctx context.Context, userID, id string, sealed []byte, overlap time.Duration) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.idb.NewRaw(`
		UPDATE webhooks SET former_sealed = sealed, former_until = now() + ?::interval, sealed = ?
		WHERE `+belongsTo("?")+` AND id = ? RETURNING *`, milliseconds(overlap), sealed, userID, id).Scan(ctx, webhook)
	return webhook, translateNotFound(err, model.WebhookNotFound)
}

// WebhookDeliveries returns a page of the deliveries of a webhook, newest first.
func (db *DB) WebhookDeliveries(ctx context.Context, webhookID string, page model.Page) (*model.WebhookDeliveryConnection, error) {
	rows := listing{
		table: "webhook_deliveries", newest: true, where: "webhook_id = ?", args: []any{webhookID}, size: "octet_length(payload)",
	}
	deliveries, err := list[model.WebhookDelivery](ctx, db, rows, page)
	return (*model.WebhookDeliveryConnection)(deliveries), err
}

// AddTestDelivery adds a test event for the webhook, even if the webhook is disabled.
//
// A test has a stream of its own, so it waits for no other event.
func (db *DB) AddTestDelivery(ctx context.Context, webhook *model.Webhook) (*model.WebhookDelivery, error) {
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
