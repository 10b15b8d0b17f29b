package db

import (
	"testing"

	"portico/model"
)

// A server of an earlier version, during its replacement, enables a webhook but keeps its cause.
func TestUpdateWebhook_by_its_owner_has_no_cause(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	webhook := addWebhook(t, db, user)
	_, err := db.root.ExecContext(ctx, `UPDATE webhooks SET disabled_cause = 'failing', disabled_failure = '{"reason": "tls"}'`)
	check(t, err)
	disabled := false
	got, err := db.UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &disabled})
	check(t, err)
	if got.Enabled() || got.DisabledCause != "" || got.DisabledFailure != nil {
		t.Errorf("disabled by its owner: got %+v, want no cause", got)
	}
	_, err = db.root.ExecContext(ctx, `UPDATE webhooks SET disabled_cause = 'gone'`)
	check(t, err)
	got, err = db.UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &disabled})
	check(t, err)
	if got.DisabledCause != model.WebhookGone {
		t.Errorf("disabled by the server, and again by its owner: got %q, want %q", got.DisabledCause, model.WebhookGone)
	}
}
