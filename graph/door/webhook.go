package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// Webhooks returns the webhooks of the caller's own account; nil for other accounts.
func (r userFields) Webhooks(ctx context.Context, user *model.Profile) ([]*model.Webhook, error) {
	return r.core.Webhooks().Webhooks(ctx, user.ID)
}

// Deliveries returns a page of the log of a webhook of the caller.
func (r webhookFields) Deliveries(
	ctx context.Context, webhook *model.Webhook, first *int, after *string, last *int, before *string,
) (*model.WebhookDeliveryConnection, error) {
	return r.core.Webhooks().WebhookDeliveries(ctx, webhook, connection(ctx, first, after, last, before))
}

// CreateWebhook creates a webhook. Only this response has its secret.
func (r mutationFields) CreateWebhook(ctx context.Context, in schema.CreateWebhookInput) (*schema.CreateWebhookPayload, error) {
	webhook, secret, err := r.core.Webhooks().CreateWebhook(ctx, model.CreateWebhook(in))
	if err != nil {
		return nil, err
	}
	return &schema.CreateWebhookPayload{Webhook: webhook, Secret: secret}, nil
}

// UpdateWebhook changes the fields of a webhook of the caller that the input sets. Enabling it
// forgets its failures.
func (r mutationFields) UpdateWebhook(ctx context.Context, in schema.UpdateWebhookInput) (*schema.UpdateWebhookPayload, error) {
	webhook, err := r.core.Webhooks().UpdateWebhook(ctx, model.UpdateWebhook(in))
	if err != nil {
		return nil, err
	}
	return &schema.UpdateWebhookPayload{Webhook: webhook}, nil
}

// DeleteWebhook deletes a webhook with its log. Deliveries that wait are not sent.
func (r mutationFields) DeleteWebhook(ctx context.Context, in schema.DeleteWebhookInput) (*schema.DeleteWebhookPayload, error) {
	if err := r.core.Webhooks().DeleteWebhook(ctx, in.WebhookID); err != nil {
		return nil, err
	}
	return &schema.DeleteWebhookPayload{DeletedWebhookID: in.WebhookID}, nil
}

// TestWebhook sends a test event.
func (r mutationFields) TestWebhook(ctx context.Context, in schema.TestWebhookInput) (*schema.TestWebhookPayload, error) {
	delivery, err := r.core.Webhooks().TestWebhook(ctx, in.WebhookID)
	if err != nil {
		return nil, err
	}
	return &schema.TestWebhookPayload{Delivery: delivery}, nil
}

// RotateWebhookSecret replaces the secret of a webhook of the caller. Only this response has the
// new one.
func (r mutationFields) RotateWebhookSecret(ctx context.Context, in schema.RotateWebhookSecretInput) (*schema.RotateWebhookSecretPayload, error) {
	webhook, secret, err := r.core.Webhooks().RotateWebhookSecret(ctx, in.WebhookID)
	if err != nil {
		return nil, err
	}
	return &schema.RotateWebhookSecretPayload{Webhook: webhook, Secret: secret}, nil
}
