package graph_test

import (
	"strings"
	"testing"

	"portico/model"
)

func TestWebhooks_belong_to_their_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := w.alice.ctx
	all := []model.WebhookEvent{model.WebhookEntityChanged, model.WebhookJobEnded}
	webhook, secret, err := w.Webhooks().CreateWebhook(ctx, model.CreateWebhook{URL: "https://example.com/hook", Events: all})
	check(t, err)
	if !strings.HasPrefix(secret, "whsec_") || strings.Contains(string(webhook.Sealed), secret) {
		t.Errorf("secret: got %q stored as %q, want it sealed", secret, webhook.Sealed)
	}
	opened, err := w.keys.OpenWebhookSecret(webhook.ID, webhook.Sealed)
	check(t, err)
	equal(t, "secret", opened, secret)
	if _, err := w.keys.OpenWebhookSecret("another", webhook.Sealed); err == nil {
		t.Error("secret in the row of another webhook: got it opened, want an error")
	}
	for name, do := range map[string]func(account) error{
		"update": func(who account) error {
			_, err := w.Webhooks().UpdateWebhook(who.ctx, model.UpdateWebhook{WebhookID: webhook.ID})
			return err
		},
		"test": func(who account) error { _, err := w.Webhooks().TestWebhook(who.ctx, webhook.ID); return err },
		"rotate": func(who account) error {
			_, _, err := w.Webhooks().RotateWebhookSecret(who.ctx, webhook.ID)
			return err
		},
		"delete": func(who account) error { return w.Webhooks().DeleteWebhook(who.ctx, webhook.ID) },
		"read the log": func(who account) error {
			_, err := w.Webhooks().WebhookDeliveries(who.ctx, webhook, pageOf(nil, nil))
			return err
		},
	} {
		if got := model.CodeOf(do(w.bob)); got != model.CodeNotFound {
			t.Errorf("%s by another user: got %v, want it not found", name, got)
		}
	}
	read := `{ user(id: "` + w.alice.id + `") { webhooks { url events enabled deliveries { totalCount nodes { event state } } } } }`
	equal(t, "for others", w.query(w.bob, read, nil), `{"user":{"webhooks":null}}`)
	_, err = w.Webhooks().TestWebhook(ctx, webhook.ID)
	check(t, err)
	equal(t, "for the owner", w.query(w.alice, read, nil), `{"user":{"webhooks":[{"url":"https://example.com/hook",`+
		`"events":["JOB_ENDED","ENTITY_CHANGED"],"enabled":true,"deliveries":{"totalCount":1,"nodes":[{"event":"TEST","state":"WAITING"}]}}]}}`)
	rotated, next, err := w.Webhooks().RotateWebhookSecret(ctx, webhook.ID)
	check(t, err)
	former, err := w.keys.OpenWebhookSecret(webhook.ID, rotated.FormerSealed)
	check(t, err)
	if former != secret || next == secret {
		t.Errorf("rotated: got %q after %q, want a new secret beside the former one", next, former)
	}
}

// Clients say in their own language why a webhook fails, so it is data.
func TestWebhooks_say_why_they_fail_as_data(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	webhook, _, err := w.Webhooks().CreateWebhook(w.alice.ctx, model.CreateWebhook{
		URL: "https://example.com/hook", Events: []model.WebhookEvent{model.WebhookJobEnded},
	})
	check(t, err)
	read := func() string {
		return w.query(w.alice, `{ viewer { webhooks { disabledCause lastFailure { reason status seconds } disabledReason
			deliveries { nodes { failure { reason status seconds } error } } } } }`, nil)
	}
	w.exec(`INSERT INTO webhook_deliveries (webhook_id, stream, type, payload, failure) VALUES
		($1, 's', 'job.ended', '{}', '{"reason": "status", "status": 503}'),
		($1, 's', 'job.ended', '{}', NULL)`, webhook.ID)
	equal(t, "deliveries", read(), `{"viewer":{"webhooks":[{"disabledCause":null,"lastFailure":null,"disabledReason":"","deliveries":{"nodes":[`+
		`{"failure":null,"error":""},`+
		`{"failure":{"reason":"STATUS","status":503,"seconds":null},"error":"The receiver answered 503 Service Unavailable"}]}}]}}`)
	w.exec("DELETE FROM webhook_deliveries")
	w.exec("UPDATE webhooks SET disabled_at = now(), disabled_cause = 'full'")
	equal(t, "disabled, too many events", read(), `{"viewer":{"webhooks":[{"disabledCause":"FULL","lastFailure":null,`+
		`"disabledReason":"Too many events waited for it","deliveries":{"nodes":[]}}]}}`)
	w.exec(`UPDATE webhooks SET disabled_cause = 'failing', disabled_failure = '{"reason": "timeout", "seconds": 15}'`)
	equal(t, "disabled", read(), `{"viewer":{"webhooks":[{"disabledCause":"FAILING","lastFailure":{"reason":"TIMEOUT","status":null,"seconds":15},`+
		`"disabledReason":"Every attempt failed for too long. The last error: The receiver did not answer within 15s","deliveries":{"nodes":[]}}]}}`)
}

func TestCreateWebhook_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	jobs := []model.WebhookEvent{model.WebhookJobEnded}
	for _, test := range []struct {
		url    string
		events []model.WebhookEvent
	}{
		{"ftp://example.com", jobs},
		{"example.com", jobs},
		{"https://", jobs},
		{"https://ann:secret@example.com", jobs},
		{"https://example.com/#part", jobs},
		{"https://example.com/" + strings.Repeat("a", 2000), jobs},
		{"https://example.com/\x00", jobs},
		{"https://example.com", nil},
		{"https://example.com", []model.WebhookEvent{model.WebhookTest}},
	} {
		in := model.CreateWebhook{URL: test.url, Events: test.events}
		if _, _, err := w.Webhooks().CreateWebhook(w.alice.ctx, in); model.CodeOf(err) != model.CodeInvalid {
			t.Errorf("%.40q %v: got %v, want it refused", test.url, test.events, err)
		}
	}
	in := model.CreateWebhook{URL: "https://example.com", Events: jobs}
	if _, _, err := w.Webhooks().CreateWebhook(t.Context(), in); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("a stranger: got %v, want it refused", err)
	}
}
