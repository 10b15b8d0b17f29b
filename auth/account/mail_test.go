package account

import (
	"testing"

	"portico/model"
)

// A change and its repetitions count together, so nobody floods a stranger by sending the link
// again.
func TestConfirmation_of_a_new_address_is_sent_within_the_limit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.SendsMail = true })
	caller := &model.Caller{UserID: w.addUser("ada@example.com").ID}
	check(t, w.registry.StartEmailChange(t.Context(), caller, "moved@example.com"))
	for range model.MaxMailsPerHour - 1 {
		check(t, w.registry.SendConfirmation(t.Context(), caller, "moved@example.com"))
	}
	if err := w.registry.SendConfirmation(t.Context(), caller, "moved@example.com"); model.CodeOf(err) != model.CodeRateLimited {
		t.Errorf("send again: got %v, want %s", err, model.CodeRateLimited)
	}
	if err := w.registry.StartEmailChange(t.Context(), caller, "other@example.com"); model.CodeOf(err) != model.CodeRateLimited {
		t.Errorf("change again: got %v, want %s", err, model.CodeRateLimited)
	}
	if change, err := w.db.SignIns().EmailChange(t.Context(), caller.UserID); err != nil || change == nil || change.Email != "moved@example.com" {
		t.Errorf("change: got %+v, %v, want the one to moved@example.com", change, err)
	}
}

// An account that may send no more mail does not use up the mails of other people.
func TestConfirmation_that_is_refused_does_not_count_for_its_address(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.SendsMail = true })
	caller := &model.Caller{UserID: w.addUser("ada@example.com").ID}
	for range model.MaxMailsPerHour {
		check(t, w.registry.SendConfirmation(t.Context(), caller, "ada@example.com"))
	}
	for range model.MaxMailsPerHour {
		if err := w.registry.StartEmailChange(t.Context(), caller, "bob@example.com"); model.CodeOf(err) != model.CodeRateLimited {
			t.Fatalf("change to the address of Bob: got %v, want %s", err, model.CodeRateLimited)
		}
	}
	bob := &model.Caller{UserID: w.addUser("bob@example.com").ID}
	if err := w.registry.SendConfirmation(t.Context(), bob, "bob@example.com"); err != nil {
		t.Errorf("confirmation for Bob: got %v, want it sent", err)
	}
}
