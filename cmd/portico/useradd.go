package main

import (
	"context"

	"portico/model"
	"portico/server"
)

// userAddCommand is "portico user add".
type userAddCommand struct {
	Email    string       `arg:"" help:"E-mail address."`
	Password string       `help:"Password to sign in with; - reads it from the first line of standard input, where lists of processes do not show it." placeholder:"P"`
	Name     string       `help:"Name that others see; the part of the address before the @ when empty." placeholder:"N"`
	Pro      bool         `help:"Give the account the Pro plan."`
	Quota    *server.Size `help:"Storage; PORTICO_DEFAULT_QUOTA when omitted." placeholder:"BYTES"`
}

// Run adds the account, and makes its key at once for the operator to hand over.
func (c *userAddCommand) Run(ctx context.Context, call *call) error {
	password, err := readPassword(c.Password, call.in)
	if err != nil {
		return err
	}
	in := model.CreateUser{Email: c.Email, Name: c.Name, Quota: int64(call.config.DefaultQuota)}
	if c.Pro {
		in.Plan = model.PlanPro
	}
	if c.Quota != nil {
		in.Quota = int64(*c.Quota)
	}
	return call.withOperator(ctx, server.OpenOperator, func(o *server.Operator) error {
		user, key, err := o.AddAccount(ctx, in, password)
		if err != nil {
			return err
		}
		printed := newAccount(user)
		printed.APIKey = key
		return printJSON(call.out, printed)
	})
}
