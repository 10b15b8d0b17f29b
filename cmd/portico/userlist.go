package main

import (
	"context"

	"portico/model"
	"portico/server"
)

// userListCommand is "portico user list". Accounts are sorted by address.
type userListCommand struct{}

// Run prints the accounts.
func (userListCommand) Run(ctx context.Context, in *invocation) error {
	return in.withOperator(ctx, server.OpenExisting, func(o *server.Operator) error {
		return o.Accounts(ctx, func(user *model.User, storage model.Storage) error {
			printed := newAccount(user)
			printed.Storage = &storageUsage{Used: storage.Used, Promised: storage.Promised}
			return printJSON(in.out, printed)
		})
	})
}
