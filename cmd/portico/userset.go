package main

import (
	"context"

	"portico/model"
	"portico/server"
)

// userSetCommand is "portico user set": what it does not name stays.
type userSetCommand struct {
	Email    string       `arg:"" help:"E-mail address."`
	Pro      bool         `xor:"plan" help:"Give the account the Pro plan."`
	Free     bool         `xor:"plan" help:"Give the account the Free plan."`
	Quota    *server.Size `help:"Storage." placeholder:"BYTES"`
	Password string       `help:"New password; - reads it from standard input. It ends the account's API key and signs it out everywhere." placeholder:"P"`
}

// Run changes the account and prints it.
func (c *userSetCommand) Run(ctx context.Context, call *call) error {
	password, err := readPassword(c.Password, call.in)
	if err != nil {
		return err
	}
	change := server.AccountChange{Quota: (*int64)(c.Quota), Password: password}
	switch {
	case c.Pro:
		change.Plan = model.PlanPro
	case c.Free:
		change.Plan = model.PlanFree
	}
	return call.withOperator(ctx, server.OpenExisting, func(o *server.Operator) error {
		user, err := o.UpdateAccount(ctx, c.Email, change)
		if err != nil {
			return err
		}
		return printJSON(call.out, newAccount(user))
	})
}
