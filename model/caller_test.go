package model

import (
	"context"
	"errors"
	"testing"
)

// The statements of an operation check a key that nothing has confirmed, and no other.
func TestCaller_has_an_unconfirmed_key_until_it_is_confirmed(t *testing.T) {
	t.Parallel()
	revoked := errors.New("revoked")
	var answer error
	c := NewUnconfirmedCaller("alice", "key", func(context.Context) error { return answer })
	for _, step := range []struct {
		answer error
		want   string
	}{{revoked, "key"}, {nil, ""}, {revoked, ""}} { // after a success it is not asked again
		answer = step.answer
		err := c.Confirm(t.Context())
		if got := c.UnconfirmedKey(); got != step.want {
			t.Errorf("key after %v: got %q, want %q", step.answer, got, step.want)
		}
		if wanted := step.want != ""; (err != nil) != wanted {
			t.Errorf("Confirm: got %v, want an error: %t", err, wanted)
		}
	}
	for _, c := range []*Caller{nil, {UserID: "alice", KeyID: "key"}} {
		if got, err := c.UnconfirmedKey(), c.Confirm(t.Context()); got != "" || err != nil {
			t.Errorf("%+v: got %q, %v, want a confirmed caller", c, got, err)
		}
	}
}
