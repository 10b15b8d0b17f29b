package db

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddWebhook stores a new webhook. It refuses more than model.MaxWebhooks of an account, and a
// caller whose access has ended.
//
// The lock on the account makes the count exact.
func (db *DB) AddWebhook(ctx context.Context, webhook *model.Webhook) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.lockAsCaller(ctx, webhook.UserID); err != nil {
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
		if err != nil {
			return translate(err)
		}
		return tx.recordWebhook(ctx, model.EventWebhookCreated, webhook)
	})
}

// lockAsCaller locks the account, and refuses a caller whose access has ended. Otherwise a request
// that was authenticated before would make or enable a webhook after everything else has ended.
func (db *DB) lockAsCaller(ctx context.Context, userID string) error {
	if _, err := db.LockUser(ctx, userID); err != nil {
		return err
	}
	return db.CheckAccess(ctx)
}

// recordWebhook adds an event about the webhook to the audit trail. The address itself may contain
// a secret of its receiver, so the title is the host.
func (db *DB) recordWebhook(ctx context.Context, kind model.SecurityEventType, webhook *model.Webhook) error {
	return db.record(ctx, kind, webhook.UserID, webhook.ID, webhook.Host())
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

// webhookMails are the mails about the events of webhooks.
var webhookMails = map[model.SecurityEventType]model.MailKind{
	model.EventWebhookCreated: model.MailWebhookCreated,
	model.EventWebhookChanged: model.MailWebhookChanged,
	model.EventWebhookDeleted: model.MailWebhookDeleted,
}

// MailWebhookChange queues a mail to the owner of the account about an event of a webhook, which was
// recorded in the same transaction. In an hour it queues at most model.MaxMailsPerHour of each kind:
// the audit trail has all events.
func (db *DB) MailWebhookChange(ctx context.Context, kind model.SecurityEventType, webhook *model.Webhook) error {
	var recent int
	err := db.idb.NewRaw("SELECT count(*) FROM audit_events WHERE type = ? AND "+belongsTo("?")+" AND created_at > now() - interval '1 hour'",
		kind, webhook.UserID).Scan(ctx, &recent)
	if err != nil || recent > model.MaxMailsPerHour {
		return translate(err)
	}
	user, err := db.User(ctx, webhook.UserID)
	if err != nil {
		return err
	}
	return db.EnqueueMail(ctx, model.Mail{
		Kind: webhookMails[kind], UserID: user.ID, To: user.Email, Host: webhook.Host(),
		Language: cmp.Or(model.OriginFrom(ctx).Language, model.MailLanguage("")),
	})
}

// UpdateWebhook changes a webhook of the account. Enabling it forgets its failures; disabling it
// gives up what waits.
func (db *DB) UpdateWebhook(ctx context.Context, userID string, in model.UpdateWebhook) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.InTx(ctx, func(tx *DB) error {
		if err := tx.lockAsCaller(ctx, userID); err != nil {
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
		if err := tx.recordWebhook(ctx, model.EventWebhookChanged, webhook); err != nil || webhook.Enabled() {
			return err
		}
		return tx.cancelDeliveries(ctx, in.WebhookID)
	})
	return webhook, err
}

// DeleteWebhook deletes a webhook of the account with its deliveries.
func (db *DB) DeleteWebhook(ctx context.Context, userID, id string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.lockAsCaller(ctx, userID); err != nil {
			return err
		}
		webhook := new(model.Webhook)
		err := tx.idb.NewRaw("DELETE FROM webhooks WHERE "+belongsTo("?")+" AND id = ? RETURNING *", userID, id).Scan(ctx, webhook)
		if err != nil {
			return translateNotFound(err, model.WebhookNotFound)
		}
		return tx.recordWebhook(ctx, model.EventWebhookDeleted, webhook)
	})
}

// RotateWebhookSecret replaces the secret of a webhook of the account. The former secret signs
// too, for as long as the overlap.
//
// A receiver accepts either signature, so it can change the secret without losing an event.
func (db *DB) RotateWebhookSecret(ctx context.Context, userID, id string, sealed []byte, overlap time.Duration) (*model.Webhook, error) {
	webhook := new(model.Webhook)
	err := db.InTx(ctx, func(tx *DB) error {
		if err := tx.lockAsCaller(ctx, userID); err != nil {
			return err
		}
		err := tx.idb.NewRaw(`
			UPDATE webhooks SET former_sealed = sealed, former_until = now() + ?::interval, sealed = ?
			WHERE `+belongsTo("?")+` AND id = ? RETURNING *`, milliseconds(overlap), sealed, userID, id).Scan(ctx, webhook)
		if err != nil {
			return translateNotFound(err, model.WebhookNotFound)
		}
		return tx.recordWebhook(ctx, model.EventWebhookChanged, webhook)
	})
	return webhook, err
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
