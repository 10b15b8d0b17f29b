package main

import (
	"context"

	"portico/model"
	"portico/server"
)

type userAddCommand struct {
	Email    string       `arg:"" help:"E-mail address."`
	Password string       `help:"Password for signing in; - reads it from the first line of standard input, so that it is not in the list of processes." placeholder:"P"`
	Name     string       `help:"Name that others see. Default: the part of the address before the @." placeholder:"N"`
	Pro      bool         `help:"Give the account the Pro plan."`
	Quota    *server.Size `help:"Storage quota. Default: PORTICO_DEFAULT_QUOTA." placeholder:"BYTES"`
}

// Run adds the account and prints it with its API key, for the operator to pass on.
//
// The flags win over the settings of new accounts, PORTICO_DEFAULT_QUOTA and the plan.
func (c *userAddCommand) Run(ctx context.Context, in *invocation) error {
	password, err := readPassword(c.Password, in.in)
	if err != nil {
		return err
	}
	account := model.CreateUser{Email: c.Email, Name: c.Name, Quota: int64(in.config.DefaultQuota), Plan: model.Plan(in.config.Plan)}
	if c.Pro {
		account.Plan = model.PlanPro
	}
	if c.Quota != nil {
		account.Quota = int64(*c.Quota)
	}
	return in.withOperator(ctx, func(o *server.Operator) error {
		user, key, err := o.AddAccount(ctx, account, password)
		if err != nil {
			return err
		}
		printed := newAccount(user)
		printed.APIKey = key
		return printJSON(in.out, printed)
	})
}
