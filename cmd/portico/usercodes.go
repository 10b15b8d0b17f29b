package main

import (
	"context"

	"portico/server"
)

// userCodesCommand groups the commands that manage one-time codes.
type userCodesCommand struct {
	Off userCodesOffCommand `cmd:"" help:"Turn one-time codes off for an account whose owner has lost the app and the recovery codes."`
}

type userCodesOffCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
}

// Run turns the codes off and prints the account. The audit trail names the command.
func (c *userCodesOffCommand) Run(ctx context.Context, in *invocation) error {
	return in.withOperator(ctx, func(o *server.Operator) error {
		user, err := o.EndOneTimeCodes(ctx, c.Account)
		if err != nil {
			return err
		}
		return printJSON(in.out, newAccount(user))
	})
}
