package model

import (
	"context"
	"errors"
	"testing"
)

// The statements of an operation check a key that nothing has checked before, and no other.
func TestCaller_has_an_unchecked_key_until_it_is_checked(t *testing.T) {
	t.Parallel()
	revoked := errors.New("revoked")
	var result error
	c := NewUncheckedCaller("alice", "key", func(context.Context) error { return result })
	for _, step := range []struct {
		result error
		want   string
	}{{revoked, "key"}, {nil, ""}, {revoked, ""}} { // after a success it is not asked again
		result = step.result
		err := c.CheckKey(t.Context())
		if got := c.UncheckedKey(); got != step.want {
			t.Errorf("key after %v: got %q, want %q", step.result, got, step.want)
		}
		if wanted := step.want != ""; (err != nil) != wanted {
			t.Errorf("CheckKey: got %v, want an error: %t", err, wanted)
		}
	}
	for _, c := range []*Caller{nil, {UserID: "alice", KeyID: "key"}} {
		if got, err := c.UncheckedKey(), c.CheckKey(t.Context()); got != "" || err != nil {
			t.Errorf("%+v: got %q, %v, want a checked caller", c, got, err)
		}
	}
}
