// Package webhook has the operations on the webhooks of the caller.
package webhook

import (
	"context"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// Secrets makes the secrets with which deliveries are signed; *auth.Keys implements it.
type Secrets interface {
	// NewWebhookSecret returns a new secret of a webhook, in plain text and encrypted.
	NewWebhookSecret(webhookID string) (secret string, sealed []byte)
}

// Service has the operations on webhooks.
type Service struct {
	access  *access.Rules
	db      *db.DB
	secrets Secrets
	mails   func() bool
}

// New returns the operations on the webhooks of a database. mails reports whether the server sends
// mail; secrets may be nil if nobody creates or changes a webhook.
func New(rules *access.Rules, rows *db.DB, secrets Secrets, mails func() bool) *Service {
	return &Service{access: rules, db: rows, secrets: secrets, mails: mails}
}

// secretOverlap is how long deliveries are signed with both the old and the new secret of a
// webhook.
const secretOverlap = 24 * time.Hour

// Webhooks returns the webhooks of the caller's own account; nil for other accounts.
func (s *Service) Webhooks(ctx context.Context, userID string) ([]*model.Webhook, error) {
	return access.OfOwnAccount(ctx, userID, s.db.Webhooks().Webhooks)
}

// WebhookDeliveries returns a page of the log of a webhook of the caller. The webhook of another
// account is not found.
func (s *Service) WebhookDeliveries(ctx context.Context, webhook *model.Webhook, args model.Pager) (*model.WebhookDeliveryConnection, error) {
	if !access.IsCaller(model.CallerFrom(ctx), webhook.UserID) {
		return nil, model.NotFound(model.WebhookNotFound)
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return s.db.Webhooks().WebhookDeliveries(ctx, webhook.ID, page)
}

// CreateWebhook creates a webhook of the caller and returns it with its secret. No other operation
// returns the secret.
func (s *Service) CreateWebhook(ctx context.Context, in model.CreateWebhook) (*model.Webhook, string, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := in.Validate(); err != nil {
		return nil, "", err
	}
	events := model.UniqueWebhookEvents(in.Events)
	webhook := &model.Webhook{ID: model.Token(), UserID: c.UserID, URL: in.URL, Events: events, CreatedAt: model.Now()}
	secret, sealed := s.secrets.NewWebhookSecret(webhook.ID)
	webhook.Sealed = sealed
	webhook, err = s.changeWebhook(ctx, model.EventWebhookCreated, func(tx *db.DB) (*model.Webhook, error) {
		return webhook, tx.Webhooks().AddWebhook(ctx, webhook)
	})
	return webhook, secret, err
}

// changeWebhook runs a change of a webhook, and queues a mail to the owner of the account about it
// in the same transaction, if the server sends mail. The webhook may be the work of somebody else.
func (s *Service) changeWebhook(
	ctx context.Context, kind model.SecurityEventType, change func(tx *db.DB) (*model.Webhook, error),
) (webhook *model.Webhook, err error) {
	err = s.db.InTx(ctx, func(tx *db.DB) error {
		if webhook, err = change(tx); err != nil || !s.mails() {
			return err
		}
		return tx.Webhooks().MailWebhookChange(ctx, kind, webhook)
	})
	return webhook, err
}

// UpdateWebhook changes a webhook of the caller.
//
// A webhook that was disabled for its failures starts again with enabled.
func (s *Service) UpdateWebhook(ctx context.Context, in model.UpdateWebhook) (*model.Webhook, error) {
	webhook, err := s.access.OwnedWebhook(ctx, in.WebhookID)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	in.Events = model.UniqueWebhookEvents(in.Events)
	return s.changeWebhook(ctx, model.EventWebhookChanged, func(tx *db.DB) (*model.Webhook, error) {
		return tx.Webhooks().UpdateWebhook(ctx, webhook.UserID, in)
	})
}

// DeleteWebhook deletes a webhook of the caller with its log. Deliveries that wait are not sent.
func (s *Service) DeleteWebhook(ctx context.Context, id string) error {
	webhook, err := s.access.OwnedWebhook(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.changeWebhook(ctx, model.EventWebhookDeleted, func(tx *db.DB) (*model.Webhook, error) {
		return webhook, tx.Webhooks().DeleteWebhook(ctx, webhook.UserID, webhook.ID)
	})
	return err
}

// TestWebhook queues a test event for a webhook of the caller, even if the webhook is disabled.
func (s *Service) TestWebhook(ctx context.Context, id string) (*model.WebhookDelivery, error) {
	webhook, err := s.access.OwnedWebhook(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.db.Webhooks().AddTestDelivery(ctx, webhook)
}

// RotateWebhookSecret replaces the secret of a webhook of the caller and returns the new one.
func (s *Service) RotateWebhookSecret(ctx context.Context, id string) (*model.Webhook, string, error) {
	webhook, err := s.access.OwnedWebhook(ctx, id)
	if err != nil {
		return nil, "", err
	}
	secret, sealed := s.secrets.NewWebhookSecret(webhook.ID)
	webhook, err = s.changeWebhook(ctx, model.EventWebhookChanged, func(tx *db.DB) (*model.Webhook, error) {
		return tx.Webhooks().RotateWebhookSecret(ctx, webhook.UserID, webhook.ID, sealed, secretOverlap)
	})
	return webhook, secret, err
}
