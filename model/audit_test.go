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
		if got := new(SecurityEvent).WithSubject("", text).Title; got != want {
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
		ctx := WithOrigin(WithRequestID(t.Context(), "r1"), Origin{Door: DoorREST, Address: "192.0.2.1"})
		event := NewSecurityEvent(WithCaller(ctx, &Caller{UserID: actor}), EventSignedIn, "alice")
		event.HideOperator()
		if event.ActorID != want.ActorID || event.Address != want.Address || event.RequestID != want.RequestID || event.UserID != "alice" {
			t.Errorf("%s: got actor %q, address %q, request %q, want %q, %q, %q", actor,
				event.ActorID, event.Address, event.RequestID, want.ActorID, want.Address, want.RequestID)
		}
	}
}

// Programs and the command line show this text. Clients that speak another language have the fields.
func TestSecurityEvent_has_an_English_text(t *testing.T) {
	t.Parallel()
	texts := map[SecurityEventReason]string{
		EventReasonWrongCode:          "Wrong one-time code",
		EventReasonAccountChange:      "To change the account",
		EventReasonOtherSessions:      "All but one",
		EventReasonPasswordRemoved:    "The password was removed",
		EventReasonEmailNotVerified:   "The external provider has not verified your e-mail address",
		EventReasonEmailNotSupported:  "Your e-mail address has characters that are not supported",
		EventReasonEmailInvalid:       "Your e-mail address is not valid",
		EventReasonNoAccount:          "There is no account with your e-mail address. Ask the operator of this server for one",
		EventReasonFirstAccount:       "This server has no account yet. Create the first one with the link that the server printed when it started",
		EventReasonIdentityTaken:      "This sign-in is connected to another account",
		EventReasonOtherIdentity:      "This account is already connected to another sign-in of the same provider",
		EventReasonLaterEventsDropped: "The daily limit is reached: later events of this kind are not recorded",
	}
	for _, reason := range SecurityEventReasons() {
		event := SecurityEvent{Reason: reason}
		if got := event.Detail(); got != texts[reason] || event.StatedReason() == nil {
			t.Errorf("%q: got %q and %v, want %q and the reason", reason, got, event.StatedReason(), texts[reason])
		}
	}
	privacy := SecurityEventChange{PrivacyField, "Link Only", "Public"}
	plan, storage := SecurityEventChange{PlanField, "free", "pro"}, SecurityEventChange{StorageField, "10", "20"}
	for want, event := range map[string]*SecurityEvent{
		"":                          {},
		"Hall":                      {Title: "Hall"},
		"Hall: spam":                {Title: "Hall", TakedownReason: ReportSpam},
		"Hall: Link Only to Public": {Title: "Hall", Changes: []SecurityEventChange{privacy}},
		"Plan free to pro":          {Changes: []SecurityEventChange{plan}},
		"Storage 10 to 20 bytes":    {Changes: []SecurityEventChange{storage}},
		"Plan free to pro, storage 10 to 20 bytes": {Changes: []SecurityEventChange{plan, storage}},
		"invented": {Reason: "invented"}, // by a newer server on the same database
	} {
		if got := event.Detail(); got != want || event.StatedReason() != nil {
			t.Errorf("got %q and %v, want %q and no reason", got, event.StatedReason(), want)
		}
	}
	if before, after := privacy.BeforeConstant(), privacy.AfterConstant(); before != "LINK_ONLY" || after != "PUBLIC" {
		t.Errorf("constants: got %s and %s, want LINK_ONLY and PUBLIC", before, after)
	}
}
