package db

import (
	"testing"

	"portico/model"
)

// The cause stays while the webhook is disabled, and ends with it.
func TestUpdateWebhook_by_its_owner_keeps_the_cause_of_the_server(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	webhook := addWebhook(t, db, user)
	disabled, enabled := false, true
	got, err := db.Webhooks().UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &disabled})
	check(t, err)
	if got.Enabled() || got.DisabledCause != "" || got.DisabledFailure != nil {
		t.Errorf("disabled by its owner: got %+v, want no cause", got)
	}
	_, err = db.root.ExecContext(ctx, `UPDATE webhooks SET disabled_cause = 'failing', disabled_failure = '{"reason": "tls"}'`)
	check(t, err)
	got, err = db.Webhooks().UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &disabled})
	check(t, err)
	if got.DisabledCause != model.WebhookFailing || got.DisabledFailure == nil {
		t.Errorf("disabled by the server, and again by its owner: got %+v, want the cause of the server", got)
	}
	got, err = db.Webhooks().UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &enabled})
	check(t, err)
	if !got.Enabled() || got.DisabledCause != "" || got.DisabledFailure != nil {
		t.Errorf("enabled: got %+v, want no cause", got)
	}
}
