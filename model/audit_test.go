package model

import (
	"strings"
	"testing"
)

// Operators read these texts in a terminal, and Postgres stores no zero bytes.
func TestSecurityEvent_has_no_characters_that_a_terminal_would_execute(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Firefox\x1b[31m\x00\r\n": "Firefox[31m",
		"a\u009bb\x7fc\xffd":      "abcd",
		"Zürich":                  "Zürich",
		strings.Repeat("ü", 250):  strings.Repeat("ü", maxEventText),
	} {
		if got := new(SecurityEvent).WithSubject("", text).Detail; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The account sees what an operator did with it, but not who did it and from where.
func TestSecurityEvent_hides_the_operator_only(t *testing.T) {
	t.Parallel()
	for actor, want := range map[string]SecurityEvent{
		"alice": {Address: "192.0.2.1", RequestID: "r1"},
		"root":  {},
	} {
		ctx, _ := WithOrigin(WithRequestID(t.Context(), "r1"), Origin{Door: DoorREST, Address: "192.0.2.1"})
		event := NewSecurityEvent(WithCaller(ctx, &Caller{UserID: actor}), EventSignedIn, "alice")
		event.HideOperator()
		if event.ActorID != want.ActorID || event.Address != want.Address || event.RequestID != want.RequestID || event.UserID != "alice" {
			t.Errorf("%s: got actor %q, address %q, request %q, want %q, %q, %q", actor,
				event.ActorID, event.Address, event.RequestID, want.ActorID, want.Address, want.RequestID)
		}
	}
}
