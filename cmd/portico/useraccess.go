package main

import (
	"context"
	"errors"

	"portico/model"
	"portico/server"
)

type userOperatorCommand struct {
	Account string        `arg:"" name:"email" help:"E-mail address, or id."`
	Switch  server.Switch `arg:"" name:"on|off" help:"Whether the account may operate the server in the console: on or off."`
}

// Run makes the account an operator, or an ordinary account, and prints it.
func (c *userOperatorCommand) Run(ctx context.Context, in *invocation) error {
	return in.changeAccount(ctx, func(o *server.Operator) (*model.Account, error) {
		return o.SetOperator(ctx, c.Account, c.Switch.On())
	})
}

type userDisableCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
	Reason  string `help:"Reason, for other operators." placeholder:"TEXT"`
}

// Run disables the account and prints it.
func (c *userDisableCommand) Run(ctx context.Context, in *invocation) error {
	return in.changeAccount(ctx, func(o *server.Operator) (*model.Account, error) {
		return o.DisableAccount(ctx, c.Account, c.Reason)
	})
}

type userEnableCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
}

// Run enables the account and prints it.
func (c *userEnableCommand) Run(ctx context.Context, in *invocation) error {
	return in.changeAccount(ctx, func(o *server.Operator) (*model.Account, error) {
		return o.EnableAccount(ctx, c.Account)
	})
}

func (c *invocation) changeAccount(ctx context.Context, change func(*server.Operator) (*model.Account, error)) error {
	return c.withOperator(ctx, func(o *server.Operator) error {
		changed, err := change(o)
		if err != nil {
			return err
		}
		return printJSON(c.out, newListedAccount(changed))
	})
}

type userDeleteCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
	Yes     bool   `help:"Confirm that the account, its spaces and its files are deleted permanently."`
}

// Run deletes the account and prints its id.
func (c *userDeleteCommand) Run(ctx context.Context, in *invocation) error {
	if !c.Yes {
		return errors.New("this deletes the account, its spaces and its files for good: add --yes")
	}
	return in.withOperator(ctx, func(o *server.Operator) error {
		id, err := o.DeleteAccount(ctx, c.Account)
		if err != nil {
			return err
		}
		return printJSON(in.out, struct {
			Deleted string `json:"deleted"`
		}{id})
	})
}
