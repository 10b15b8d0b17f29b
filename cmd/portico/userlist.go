package main

import (
	"context"

	"portico/model"
	"portico/server"
)

// userListCommand is "portico user list". It prints the newest account first.
type userListCommand struct {
	Search string `help:"Only accounts whose address or name contains TEXT, or whose id is TEXT." placeholder:"TEXT"`
}

// Run prints the accounts.
func (c *userListCommand) Run(ctx context.Context, in *invocation) error {
	return in.withOperator(ctx, func(o *server.Operator) error {
		return o.Accounts(ctx, c.Search, func(account *model.Account) error {
			return printJSON(in.out, newListedAccount(account))
		})
	})
}
