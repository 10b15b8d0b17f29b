package main

import (
	"context"
	"fmt"

	"portico/db"
	"portico/model"
	"portico/server"
)

// userCommand groups the commands that an operator manages accounts with.
type userCommand struct {
	Add  userAdd  `cmd:"" help:"Add an account and print it, with its API key, as JSON."`
	Set  userSet  `cmd:"" help:"Change an account and print it as JSON."`
	List userList `cmd:"" help:"Print all accounts, one JSON object a line."`
}

// userAdd is "portico user add".
type userAdd struct {
	Email    string       `arg:"" help:"E-mail address."`
	Password string       `help:"Password to sign in with; - reads it from the first line of standard input, which keeps it from those who list processes." placeholder:"P"`
	Name     string       `help:"Name that others see; the address's first part when empty." placeholder:"N"`
	Pro      bool         `help:"Give the account the plan Pro."`
	Quota    *server.Size `help:"Storage; PORTICO_DEFAULT_QUOTA when omitted." placeholder:"BYTES"`
}

// userSet is "portico user set": what is not named is kept.
type userSet struct {
	Email    string       `arg:"" help:"E-mail address."`
	Pro      bool         `xor:"plan" help:"Give the account the plan Pro."`
	Free     bool         `xor:"plan" help:"Give the account the plan Free."`
	Quota    *server.Size `help:"Storage." placeholder:"BYTES"`
	Password string       `help:"New password; - reads it from standard input. It ends the account's API key and signs it out everywhere." placeholder:"P"`
}

// userList is "portico user list", in the order of the addresses.
type userList struct{}

// run adds the account. The key is made at once: it is what the operator hands
// to the new user.
func (c *userAdd) run(ctx context.Context, p *server.Program, call call) error {
	in := model.CreateUser{Email: c.Email, Name: c.Name, Quota: int64(p.Config.DefaultQuota)}
	if c.Pro {
		in.Plan = model.PlanPro
	}
	if c.Quota != nil {
		in.Quota = int64(*c.Quota)
	}
	var err error
	if in.PasswordHash, err = hashPassword(ctx, c.Password, call.in); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	user, err := p.DB.CreateUser(ctx, in)
	if err != nil {
		return err
	}
	printed := newAccount(user)
	if printed.APIKey, err = p.Keys.Key(ctx, user.ID); err != nil {
		return err
	}
	return printJSON(call.out, printed)
}

// run changes the account.
func (c *userSet) run(ctx context.Context, p *server.Program, call call) error {
	email, err := model.NormalizeEmail(c.Email)
	if err != nil {
		return err
	}
	user, err := p.DB.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	hash, err := hashPassword(ctx, c.Password, call.in)
	if err != nil {
		return err
	}
	before := *user
	c.change(user)
	err = p.DB.InTx(ctx, func(tx *db.DB) error {
		if err := tx.UpdateUser(ctx, user); err != nil {
			return err
		}
		if before.Plan != user.Plan || before.Quota != user.Quota {
			changes := fmt.Sprintf("Plan %s to %s, storage %d to %d bytes", before.Plan, user.Plan, before.Quota, user.Quota)
			event := model.NewSecurityEvent(ctx, model.EventAccountChanged, user.ID).About("", changes)
			if err := tx.AddSecurityEvent(ctx, event); err != nil {
				return err
			}
		}
		if hash == "" {
			return nil
		}
		return tx.SetPassword(ctx, user.ID, hash)
	})
	if err != nil {
		return err
	}
	return printJSON(call.out, newAccount(user))
}

// change lays the flags over the account as it is, but for the password.
func (c *userSet) change(user *model.User) {
	switch {
	case c.Pro:
		user.Plan = model.PlanPro
	case c.Free:
		user.Plan = model.PlanFree
	}
	if c.Quota != nil {
		user.Quota = int64(*c.Quota)
	}
}

// run prints the accounts, a page at a time.
func (userList) run(ctx context.Context, p *server.Program, call call) error {
	const page = 500
	for after := ""; ; {
		users, err := p.DB.Users(ctx, after, page)
		if err != nil {
			return err
		}
		for _, user := range users {
			if err := printWithStorage(ctx, p, user, call.out); err != nil {
				return err
			}
			after = user.Email
		}
		if len(users) < page {
			return nil
		}
	}
}
