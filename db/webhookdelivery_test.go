package db

import (
	"testing"

	"portico/model"
)

// A job ends in a transaction that commits after its owner has disabled the webhook.
func TestStartDelivery_sends_only_tests_to_a_disabled_webhook(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	webhook, job := addWebhook(t, db, user), addJob(t, db, user)
	check(t, db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.FailJob(ctx, job.ID, 0, model.JobCanceled); err != nil {
			return err
		}
		_, err := db.UpdateWebhook(ctx, user.ID, webhook.ID, WebhookChange{Enabled: new(bool)})
		return err
	}))
	sent, _, err := db.StartDelivery(ctx, webhook.ID, jobStream)
	check(t, err)
	if sent != nil {
		t.Errorf("event for a disabled webhook: got %+v, want none", sent)
	}
	page, err := db.WebhookDeliveries(ctx, webhook.ID, model.Page{Limit: 10})
	check(t, err)
	if len(page.Nodes) != 1 || page.Nodes[0].EndedAt == nil || page.Nodes[0].Error != "The webhook was disabled" {
		t.Errorf("log: got %+v, want the event, given up because the webhook was disabled", page.Nodes)
	}
	test, err := db.AddTestDelivery(ctx, webhook)
	check(t, err)
	sent, _, err = db.StartDelivery(ctx, webhook.ID, test.Stream)
	check(t, err)
	if sent == nil || sent.ID != test.ID {
		t.Errorf("test of a disabled webhook: got %+v, want %+v", sent, test)
	}
}
