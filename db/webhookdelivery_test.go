package db

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// A job ends in a transaction that commits after its owner has disabled the webhook.
func TestStartDelivery_sends_only_tests_to_a_disabled_webhook(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	webhook, job := addWebhook(t, db, user), addJob(t, db, user)
	check(t, db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.Jobs().FailJob(ctx, job.ID, 0, model.JobCanceled); err != nil {
			return err
		}
		_, err := db.Webhooks().UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: new(bool)})
		return err
	}))
	sent, _, err := db.Webhooks().StartDelivery(ctx, webhook.ID, jobStream)
	check(t, err)
	if sent != nil {
		t.Errorf("event for a disabled webhook: got %+v, want none", sent)
	}
	page, err := db.Webhooks().WebhookDeliveries(ctx, webhook.ID, model.Page{Limit: 10})
	check(t, err)
	if len(page.Nodes) != 1 || page.Nodes[0].EndedAt == nil || page.Nodes[0].ErrorText() != "The webhook was disabled" {
		t.Errorf("log: got %+v, want the event, given up because the webhook was disabled", page.Nodes)
	}
	test, err := db.Webhooks().AddTestDelivery(ctx, webhook)
	check(t, err)
	sent, _, err = db.Webhooks().StartDelivery(ctx, webhook.ID, test.Stream)
	check(t, err)
	if sent == nil || sent.ID != test.ID {
		t.Errorf("test of a disabled webhook: got %+v, want %+v", sent, test)
	}
}

// The result of an attempt changes the delivery and its webhook, and so does everyone who disables
// or deletes the webhook.
func TestEndAttempt_does_not_deadlock(t *testing.T) {
	t.Parallel()
	const webhookRow, accountRow = "SELECT FROM webhooks WHERE id = ?0 FOR UPDATE", "SELECT FROM users WHERE id = ?1 FOR UPDATE"
	for _, test := range []struct {
		name   string
		held   string // the row that both wait for
		change func(ctx context.Context, db *DB, webhook *model.Webhook) error
	}{
		{"while_the_webhook_is_disabled", webhookRow, func(ctx context.Context, db *DB, webhook *model.Webhook) error {
			_, err := db.Webhooks().UpdateWebhook(ctx, webhook.UserID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: new(bool)})
			return err
		}},
		{"while_the_webhook_is_deleted", webhookRow, func(ctx context.Context, db *DB, webhook *model.Webhook) error {
			return db.Webhooks().DeleteWebhook(ctx, webhook.UserID, webhook.ID)
		}},
		{"while_the_account_is_deleted", accountRow, func(ctx context.Context, db *DB, webhook *model.Webhook) error {
			return db.Accounts().DeleteUser(ctx, webhook.UserID, func() error { return nil })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := postgres.URL(t, migrateTest)
			db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
			changer, changerID := singleConnection(t, db, url)
			worker, workerID := singleConnection(t, db, url)
			t.Cleanup(func() { check(t, errors.Join(changer.root.Close(), worker.root.Close())) })
			webhook := addWebhook(t, db, addUser(t, db))
			delivery := startFirst(t, db, webhook)
			var both sync.WaitGroup
			check(t, db.InTx(t.Context(), func(tx *DB) error {
				_, err := tx.idb.ExecContext(t.Context(), test.held, webhook.ID, webhook.UserID)
				check(t, err)
				both.Go(func() {
					if err := test.change(t.Context(), changer, webhook); err != nil {
						t.Errorf("change: %v", err)
					}
				})
				untilBlocked(t, db, changerID)
				both.Go(func() {
					gone := DeliveryResult{Status: 410, Failure: &model.WebhookFailure{Reason: model.WebhookFailureStatus, Status: 410}, Gone: true}
					if err := worker.Webhooks().EndAttempt(t.Context(), delivery, gone, time.Hour); err != nil {
						t.Errorf("EndAttempt: %v", err)
					}
				})
				untilBlocked(t, db, workerID)
				return nil
			}))
			both.Wait()
		})
	}
}

// startFirst adds an event for the webhook and starts an attempt at it.
func startFirst(t testing.TB, db *DB, webhook *model.Webhook) *model.WebhookDelivery {
	t.Helper()
	check(t, db.Webhooks().addWebhookEvent(t.Context(), webhook.UserID, jobStream, model.WebhookJobEnded, nil))
	delivery, _, err := db.Webhooks().StartDelivery(t.Context(), webhook.ID, jobStream)
	check(t, err)
	if delivery == nil {
		t.Fatal("StartDelivery: got none, want the event")
	}
	return delivery
}

func TestPurgeDeliveries_skips_a_locked_delivery(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	webhook := addWebhook(t, db, addUser(t, db))
	_, err := db.root.ExecContext(t.Context(), `INSERT INTO webhook_deliveries (webhook_id, stream, type, payload, ended_at)
		SELECT ?, 's', 'job.ended', '{}', now() - n * interval '1 day' FROM generate_series(8, 10) n`, webhook.ID)
	check(t, err)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.idb.ExecContext(t.Context(), "SELECT FROM webhook_deliveries ORDER BY ended_at LIMIT 1 FOR UPDATE")
		check(t, err)
		purged, err := db.Webhooks().PurgeDeliveries(t.Context(), 7*24*time.Hour, 5000)
		check(t, err)
		if purged != 2 {
			t.Errorf("purged: got %d, want the 2 that are not locked", purged)
		}
		return nil
	}))
}
