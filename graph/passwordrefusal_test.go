package graph_test

import (
	"context"
	"strings"
	"testing"

	"portico/auth"
	"portico/graph/door"
	"portico/model"
)

// hashing accepts every proof, and every password that package auth accepts.
type hashing struct{ proven }

func (hashing) SetPassword(ctx context.Context, _ *model.Caller, password string) error {
	_, err := auth.NewPasswords().Hash(ctx, password)
	return err
}

func TestChangePassword_names_the_field_of_a_refused_password(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, door.HandlerOptions{Session: sessionOf})
	w.useAccounts(hashing{})
	for password, message := range map[string]string{
		"short":    "Password must have at least 8 characters",
		"iloveyou": "Password is one of the most common ones. Choose another",
	} {
		got := w.askAs(w.bob.id, `mutation { changePassword(input: {newPassword: "`+password+`"}) { user { id } } }`)
		if !strings.Contains(got, `"message":"`+message+`"`) || !strings.Contains(got, `"field":["input","newPassword"]`) {
			t.Errorf("%q: got %s, want %q of the field newPassword", password, got, message)
		}
	}
}
