package operator

import (
	"strings"
	"testing"

	"portico/auth"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
	"portico/server"
)

// An operator whose command fails repeats it, and then needs the key.
func TestAddAccount_adds_no_account_without_a_key(t *testing.T) {
	t.Parallel()
	database, url := testdb.OpenURL(t)
	keys, err := auth.NewKeys(database, []byte("0123456789abcdef"))
	check(t, err)
	o := &Operator{&server.Program{DB: database, Keys: keys}}
	admin := postgres.Connect(t, postgres.AdminURL(t, url))
	account := model.CreateUser{Email: "ada@example.com", Name: "Ada", Plan: model.PlanFree, Quota: 1000}
	_, err = admin.ExecContext(t.Context(), "ALTER TABLE api_keys ADD CONSTRAINT no_key CHECK (false)")
	check(t, err)
	if _, _, err := o.AddAccount(t.Context(), account, ""); err == nil {
		t.Error("AddAccount while no key can be stored: got no error, want one")
	}
	_, err = admin.ExecContext(t.Context(), "ALTER TABLE api_keys DROP CONSTRAINT no_key")
	check(t, err)
	user, key, err := o.AddAccount(t.Context(), account, "")
	if err != nil || user.Email != account.Email || !strings.HasPrefix(key, auth.KeyPrefix) {
		t.Errorf("AddAccount again: got %v, %q, %v, want the account with a key", user, key, err)
	}
}
