package model

import (
	"errors"
	"reflect"
	"testing"
)

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

func TestError_RenameField_changes_only_the_name(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, message, want string
	}{
		{"a message that starts with the field", "limit: no", "count: no"},
		{"a message about the field", "There is no limit", "There is no limit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cause := errors.New("cause")
			refusal := &Error{Code: CodeTooLarge, Message: test.message, Field: "limit", Reason: ReasonFileTooLarge, Err: cause}
			want := &Error{Code: CodeTooLarge, Message: test.want, Field: "count", Reason: ReasonFileTooLarge, Err: cause}
			if got := refusal.RenameField("count"); !reflect.DeepEqual(got, want) {
				t.Errorf("renamed: got %+v, want %+v", got, want)
			}
			if refusal.Field != "limit" || refusal.Message != test.message {
				t.Errorf("shared refusal: got %+v, want it unchanged", refusal)
			}
		})
	}
}
