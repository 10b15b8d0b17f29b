package main

import (
	"portico/model"
)

// userCommand groups the commands that manage accounts.
type userCommand struct {
	Add      userAddCommand      `cmd:"" help:"Add an account and print it, with its API key, as JSON."`
	Set      userSetCommand      `cmd:"" help:"Change an account and print it as JSON."`
	List     userListCommand     `cmd:"" help:"Print all accounts, one JSON object per line."`
	Operator userOperatorCommand `cmd:"" help:"Allow or forbid an account to operate the server in the console."`
	Disable  userDisableCommand  `cmd:"" help:"Disable an account: its key, sessions and apps stop working immediately, and its spaces become Private."`
	Enable   userEnableCommand   `cmd:"" help:"Enable a disabled account. Its spaces get their privacy back."`
	Delete   userDeleteCommand   `cmd:"" help:"Delete an account and everything in it."`

	Codes userCodesCommand `cmd:"" help:"Manage the one-time codes of an account."`
}

// account is the JSON form of an account. Fields that the API also has use its names. Sizes are in
// bytes.
type account struct {
	ID        string     `json:"id"`
	Email     string     `json:"email"`
	Name      string     `json:"name"`
	Plan      model.Plan `json:"plan"`
	Quota     int64      `json:"quota"`
	CreatedAt model.Time `json:"created_at"`
	// APIKey is set only when the account is added, because a list of accounts must not be a
	// list of keys.
	APIKey string `json:"api_key,omitempty"`
	// The fields below are set only in lists.
	Storage        *storageUsage `json:"storage,omitempty"`
	Operator       bool          `json:"operator,omitempty"`
	DisabledAt     *model.Time   `json:"disabled_at,omitempty"`
	DisabledReason string        `json:"disabled_reason,omitempty"`
}

// storageUsage is the storage of an account in bytes; see model.Storage.
type storageUsage struct {
	Used int64 `json:"used"`
	// Reserved is for uploads that have started and are not complete. Its name is GraphQL's.
	Reserved int64 `json:"promised"`
}

// newAccount returns the JSON form of an account, without its key and storage.
func newAccount(u *model.User) account {
	return account{ID: u.ID, Email: u.Email, Name: u.Name, Plan: u.Plan, Quota: u.Quota, CreatedAt: u.CreatedAt}
}

// newListedAccount returns the JSON form of an account in a list.
func newListedAccount(a *model.Account) account {
	printed := newAccount(&a.User)
	printed.Storage = &storageUsage{Used: a.Storage.Used, Reserved: a.Storage.Reserved}
	printed.Operator, printed.DisabledReason = a.Operator, a.DisabledReason
	if !a.DisabledAt.IsZero() {
		printed.DisabledAt = &a.DisabledAt
	}
	return printed
}
