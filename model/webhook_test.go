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
