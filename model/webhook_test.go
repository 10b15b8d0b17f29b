package model

import (
	"slices"
	"testing"
)

func TestUpdateWebhook_validates_what_changes(t *testing.T) {
	t.Parallel()
	address, without := "https://example.com/hook", "example.com"
	for _, test := range []struct {
		name string
		in   UpdateWebhook
		want string
	}{
		{"nothing", UpdateWebhook{}, ""},
		{"an address", UpdateWebhook{URL: &address}, ""},
		{"events", UpdateWebhook{Events: []WebhookEvent{WebhookJobEnded}}, ""},
		{"an address without a scheme", UpdateWebhook{URL: &without}, "url"},
		{"no events", UpdateWebhook{Events: []WebhookEvent{}}, "events"},
		{"the event of the test button", UpdateWebhook{URL: &address, Events: []WebhookEvent{WebhookJobEnded, WebhookTest}}, "events"},
	} {
		field := ""
		if err := test.in.Validate(); err != nil {
			field = AsError(err).Field
		}
		if field != test.want {
			t.Errorf("%s: got the invalid field %q, want %q", test.name, field, test.want)
		}
	}
}

func TestCreateWebhook_says_which_events_are_allowed(t *testing.T) {
	t.Parallel()
	address := "https://example.com/hook"
	const only = "events must contain only JOB_ENDED, SPACE_PUBLISHED, SPACE_DELETED, ENTITY_CHANGED"
	for _, test := range []struct {
		events []WebhookEvent
		want   string
	}{
		{nil, "events must not be empty"},
		{[]WebhookEvent{WebhookTest}, only},
		{[]WebhookEvent{WebhookJobEnded, WebhookTest}, only},
	} {
		checkInvalid(t, CreateWebhook{URL: address, Events: test.events}.Validate(), test.want)
	}
}

func TestUniqueWebhookEvents_lists_each_event_once_in_order(t *testing.T) {
	t.Parallel()
	sent := []WebhookEvent{WebhookEntityChanged, WebhookJobEnded, WebhookEntityChanged}
	if got, want := UniqueWebhookEvents(sent), []WebhookEvent{WebhookJobEnded, WebhookEntityChanged}; !slices.Equal(got, want) {
		t.Errorf("events: got %v, want %v", got, want)
	}
	if got := UniqueWebhookEvents(nil); got != nil {
		t.Errorf("no events: got %v, want nil, which changes nothing", got)
	}
}

// Programs show these texts, so they stay as they are. Clients that speak another language have the
// fields.
func TestWebhookFailure_has_an_English_text(t *testing.T) {
	t.Parallel()
	texts := map[WebhookFailureReason]string{
		WebhookFailureStatus:      "The receiver answered 503 Service Unavailable",
		WebhookFailureRedirect:    "The receiver answered with a redirect (503), which is not followed. Set its final address",
		WebhookFailureTimeout:     "The receiver did not answer within 15s",
		WebhookFailureCertificate: "The receiver's certificate is not valid",
		WebhookFailureTLS:         "The TLS handshake with the receiver failed. Its port must serve https, with TLS 1.2 or later",
		WebhookFailureUnreachable: "The receiver cannot be reached: its name has no public address, or nothing answers there",
		WebhookFailureSecret:      "The server cannot decrypt the secret of the webhook. Replace the secret",
		WebhookFailureDisabled:    "The webhook was disabled",
	}
	for _, reason := range WebhookFailureReasons() {
		delivery := WebhookDelivery{Failure: &WebhookFailure{Reason: reason, Status: 503, Seconds: 15}}
		if got := delivery.ErrorText(); got != texts[reason] {
			t.Errorf("%s: got %q, want %q", reason, got, texts[reason])
		}
	}
	causes := map[WebhookDisabledCause]string{
		WebhookGone:        "The receiver answered 410 Gone",
		WebhookFailing:     "Every attempt failed for too long. The last error: The webhook was disabled",
		WebhookFull:        "Too many events waited for it",
		WebhookAccessEnded: "The API key was replaced or revoked, or the password was changed. Enable the webhook again if it is yours",
	}
	for _, cause := range WebhookDisabledCauses() {
		webhook := Webhook{DisabledAt: &Time{}, DisabledCause: cause, DisabledFailure: &WebhookFailure{Reason: WebhookFailureDisabled}}
		if got := webhook.DisabledReason(); got != causes[cause] {
			t.Errorf("%s: got %q, want %q", cause, got, causes[cause])
		}
	}
	enabled := new(Webhook)
	if enabled.DisabledReason() != "" || enabled.StatedDisabledCause() != nil {
		t.Errorf("enabled: got %q and %v, want no cause", enabled.DisabledReason(), enabled.StatedDisabledCause())
	}
	if got := (&WebhookDelivery{Delivered: true}).ErrorText(); got != "" {
		t.Errorf("delivered: got %q, want nothing", got)
	}
}
