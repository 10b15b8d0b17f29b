package graph

import (
	"context"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// secretOverlap is how long deliveries are signed with both the old and the new secret of a
// webhook.
const secretOverlap = 24 * time.Hour

// webhooks returns the webhooks of the caller's own account; nil for other accounts.
func (r *Resolver) webhooks(ctx context.Context, userID string) ([]*model.Webhook, error) {
	return access.OfOwnAccount(ctx, userID, r.db.Webhooks().Webhooks)
}

// webhookDeliveries returns a page of the log of a webhook of the caller. The webhook of another
// account is not found.
func (r *Resolver) webhookDeliveries(ctx context.Context, webhook *model.Webhook, args pager) (*model.WebhookDeliveryConnection, error) {
	if !access.IsCaller(model.CallerFrom(ctx), webhook.UserID) {
		return nil, model.NotFound(model.WebhookNotFound)
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.db.Webhooks().WebhookDeliveries(ctx, webhook.ID, page)
}

// createWebhook creates a webhook of the caller and returns it with its secret. No other operation
// returns the secret.
func (r *Resolver) createWebhook(ctx context.Context, in model.CreateWebhook) (*model.Webhook, string, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := in.Validate(); err != nil {
		return nil, "", err
	}
	events := model.UniqueWebhookEvents(in.Events)
	webhook := &model.Webhook{ID: model.Token(), UserID: c.UserID, URL: in.URL, Events: events, CreatedAt: model.Now()}
	secret, sealed := r.keys.NewWebhookSecret(webhook.ID)
	webhook.Sealed = sealed
	webhook, err = r.changeWebhook(ctx, model.EventWebhookCreated, func(tx *db.DB) (*model.Webhook, error) {
		return webhook, tx.Webhooks().AddWebhook(ctx, webhook)
	})
	return webhook, secret, err
}

// changeWebhook runs a change of a webhook, and queues a mail to the owner of the account about it
// in the same transaction, if the server sends mail. The webhook may be the work of somebody else.
func (r *Resolver) changeWebhook(
	ctx context.Context, kind model.SecurityEventType, change func(tx *db.DB) (*model.Webhook, error),
) (webhook *model.Webhook, err error) {
	err = r.db.InTx(ctx, func(tx *db.DB) error {
		if webhook, err = change(tx); err != nil || !r.sendsMail() {
			return err
		}
		return tx.Webhooks().MailWebhookChange(ctx, kind, webhook)
	})
	return webhook, err
}

// updateWebhook changes a webhook of the caller.
//
// A webhook that was disabled for its failures starts again with enabled.
func (r *Resolver) updateWebhook(ctx context.Context, in model.UpdateWebhook) (*model.Webhook, error) {
	webhook, err := r.access.OwnedWebhook(ctx, in.WebhookID)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	in.Events = model.UniqueWebhookEvents(in.Events)
	return r.changeWebhook(ctx, model.EventWebhookChanged, func(tx *db.DB) (*model.Webhook, error) {
		return tx.Webhooks().UpdateWebhook(ctx, webhook.UserID, in)
	})
}

// deleteWebhook deletes a webhook of the caller with its log. Deliveries that wait are not sent.
func (r *Resolver) deleteWebhook(ctx context.Context, id string) error {
	webhook, err := r.access.OwnedWebhook(ctx, id)
	if err != nil {
		return err
	}
	_, err = r.changeWebhook(ctx, model.EventWebhookDeleted, func(tx *db.DB) (*model.Webhook, error) {
		return webhook, tx.Webhooks().DeleteWebhook(ctx, webhook.UserID, webhook.ID)
	})
	return err
}

// testWebhook queues a test event for a webhook of the caller, even if the webhook is disabled.
func (r *Resolver) testWebhook(ctx context.Context, id string) (*model.WebhookDelivery, error) {
	webhook, err := r.access.OwnedWebhook(ctx, id)
	if err != nil {
		return nil, err
	}
	return r.db.Webhooks().AddTestDelivery(ctx, webhook)
}

// rotateWebhookSecret replaces the secret of a webhook of the caller and returns the new one.
func (r *Resolver) rotateWebhookSecret(ctx context.Context, id string) (*model.Webhook, string, error) {
	webhook, err := r.access.OwnedWebhook(ctx, id)
	if err != nil {
		return nil, "", err
	}
	secret, sealed := r.keys.NewWebhookSecret(webhook.ID)
	webhook, err = r.changeWebhook(ctx, model.EventWebhookChanged, func(tx *db.DB) (*model.Webhook, error) {
		return tx.Webhooks().RotateWebhookSecret(ctx, webhook.UserID, webhook.ID, sealed, secretOverlap)
	})
	return webhook, secret, err
}
