package web

import (
	"testing"

	"portico/model"
)

// A change and its repetitions count together, so nobody floods a stranger by sending the link again.
func TestConfirmation_of_a_new_address_is_sent_within_the_limit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sendsMail)
	caller := &model.Caller{UserID: w.addUser("ada@example.com").ID}
	check(t, w.site.StartEmailChange(t.Context(), caller, "moved@example.com"))
	for range model.MaxMailsPerHour - 1 {
		check(t, w.site.SendConfirmation(t.Context(), caller, "moved@example.com"))
	}
	if err := w.site.SendConfirmation(t.Context(), caller, "moved@example.com"); model.CodeOf(err) != model.CodeRateLimited {
		t.Errorf("send again: got %v, want %s", err, model.CodeRateLimited)
	}
	if err := w.site.StartEmailChange(t.Context(), caller, "other@example.com"); model.CodeOf(err) != model.CodeRateLimited {
		t.Errorf("change again: got %v, want %s", err, model.CodeRateLimited)
	}
	if change, err := w.db.EmailChange(t.Context(), caller.UserID); err != nil || change == nil || change.Email != "moved@example.com" {
		t.Errorf("change: got %+v, %v, want the one to moved@example.com", change, err)
	}
}
