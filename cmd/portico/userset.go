package main

import (
	"context"

	"portico/model"
	"portico/server"
)

// userSetCommand is "portico user set". Flags that are not set change nothing.
type userSetCommand struct {
	Account  string       `arg:"" name:"email" help:"E-mail address, or id."`
	Pro      bool         `xor:"plan" help:"Give the account the Pro plan."`
	Free     bool         `xor:"plan" help:"Give the account the Free plan."`
	Quota    *server.Size `help:"Storage quota." placeholder:"BYTES"`
	Password string       `help:"New password; - reads it from the first line of standard input. A new password ends the account's API key and all sessions." placeholder:"P"`
}

// Run changes the account and prints it.
//
// In the change, an empty plan or password and a nil quota mean that the account keeps its own.
func (c *userSetCommand) Run(ctx context.Context, in *invocation) error {
	password, err := readPassword(c.Password, in.in)
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
	return in.withOperator(ctx, func(o *server.Operator) error {
		user, err := o.UpdateAccount(ctx, c.Account, change)
		if err != nil {
			return err
		}
		return printJSON(in.out, newAccount(user))
	})
}
