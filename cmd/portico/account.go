package main

import (
	"context"
	"encoding/json"
	"io"

	"portico/model"
	"portico/server"
)

// account is how the commands print a user.
// The names are those of the API where it has one.
type account struct {
	ID        string     `json:"id"`
	Email     string     `json:"email"`
	Name      string     `json:"name"`
	Plan      model.Plan `json:"plan"`
	Quota     int64      `json:"quota"`
	CreatedAt model.Time `json:"created_at"`
	// APIKey is printed when the account is added, and never again: a list of
	// accounts is not to be a list of keys.
	APIKey string `json:"api_key,omitempty"`
	// Storage is in lists only.
	Storage *storageUsage `json:"storage,omitempty"`
}

// storageUsage is in bytes, as model.Storage explains them.
type storageUsage struct {
	Used     int64 `json:"used"`
	Promised int64 `json:"promised"`
}

func newAccount(u *model.User) account {
	return account{ID: u.ID, Email: u.Email, Name: u.Name, Plan: u.Plan, Quota: u.Quota, CreatedAt: u.CreatedAt}
}

func printWithStorage(ctx context.Context, p *server.Program, user *model.User, out io.Writer) error {
	storage, err := p.DB.Storage(ctx, user.ID)
	if err != nil {
		return err
	}
	printed := newAccount(user)
	printed.Storage = &storageUsage{Used: storage.Used, Promised: storage.Promised}
	return printJSON(out, printed)
}

// printJSON writes one line, which a script reads as it comes.
func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
