package model

import "testing"

// Requests at the same time return the same refusal.
func TestError_WithField_leaves_a_shared_refusal_as_it_is(t *testing.T) {
	t.Parallel()
	shared := Invalidf("No")
	got := shared.WithField("title").WithReason(ReasonTaken)
	if got.Field != "title" || got.Reason != ReasonTaken || got.Message != "No" {
		t.Errorf("copy: got %+v, want the field and the reason", got)
	}
	if shared.Field != "" || shared.Reason != "" {
		t.Errorf("shared refusal: got %+v, want it unchanged", shared)
	}
}
