package worker

import (
	"errors"
	"testing"
	"time"

	"portico/model"
)

// opensOnly makes a worker decrypt this secret only, as after a change of the server's secret.
func opensOnly(secret string) func(*Options) {
	return func(o *Options) {
		o.Webhooks.Open = func(_ string, sealed []byte) (string, error) {
			if string(sealed) != secret {
				return "", errors.New("bad secret")
			}
			return secret, nil
		}
	}
}

// The operator may restore the server's secret, so the event waits, and its owner reads why. Nobody
// may do so, and then the webhook is disabled, as if its receiver had failed for as long.
func TestDeliver_shows_the_owner_that_the_secret_cannot_be_decrypted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hook := w.addWebhook(t, "https://receiver.example")
	w.endJob(t)
	args := webhookArgs{WebhookID: hook.ID, Stream: "jobs"}
	if _, err := w.sender(t, opensOnly("another")).deliver(t.Context(), args); err != nil {
		t.Errorf("deliver: got %v, want nil", err)
	}
	lost := model.WebhookFailure{Reason: model.WebhookFailureSecret}
	if got := w.delivery(t, hook); got.Attempts != 0 || got.Failure == nil || *got.Failure != lost || got.EndedAt != nil {
		t.Errorf("delivery: got %+v, want one that waits with %+v after 0 attempts", got, lost)
	}
	w.exec(t, "UPDATE webhook_deliveries SET next_at = now()")
	impatient := w.sender(t, opensOnly("another"), func(o *Options) { o.Webhooks.DisableAfter = 0 })
	if _, err := impatient.deliver(t.Context(), args); err != nil {
		t.Errorf("deliver again: got %v, want nil", err)
	}
	got, err := w.db.Webhooks().Webhook(t.Context(), w.user.ID, hook.ID)
	if err != nil || got.Enabled() || got.DisabledFailure == nil || *got.DisabledFailure != lost {
		t.Errorf("webhook: got %+v, %v, want it disabled with %+v", got, err, lost)
	}
}

// The owner replaces the secret after the server's secret was changed. The former secret, which
// signs for a day, cannot be decrypted either.
func TestDeliver_sends_after_a_secret_that_cannot_be_decrypted_was_replaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newReceiver(t, 0)
	hook := w.addWebhook(t, r.URL)
	w.exec(t, "UPDATE webhooks SET sealed = 'lost'")
	if _, err := w.db.Webhooks().RotateWebhookSecret(t.Context(), w.user.ID, hook.ID, []byte(hookSecret), time.Hour); err != nil {
		t.Fatal(err)
	}
	w.endJob(t)
	sent, err := w.sender(t, opensOnly(hookSecret)).deliver(t.Context(), webhookArgs{WebhookID: hook.ID, Stream: "jobs"})
	if err != nil || !sent {
		t.Errorf("deliver: got %v, %v, want the event sent", sent, err)
	}
}
