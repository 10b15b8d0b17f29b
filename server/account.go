package server

import (
	"context"
	"fmt"

	"portico/auth"
	"portico/db"
	"portico/model"
)

// accountPageSize is the number of accounts that one query reads.
const accountPageSize = 500

// AccountChange describes an update of an account. Fields with the zero value change
// nothing.
type AccountChange struct {
	Plan     model.Plan
	Quota    *int64 // in bytes; a pointer, because 0 is a valid quota
	Password string
}

// AddAccount creates an account and returns it with a new API key. Without a password the
// account can sign in by OpenID Connect only.
func (o *Operator) AddAccount(ctx context.Context, in model.CreateUser, password string) (*model.User, string, error) {
	ctx = asOperator(ctx)
	var err error
	if in.PasswordHash, err = hashPassword(ctx, password); err != nil {
		return nil, "", err
	}
	if err := in.Validate(); err != nil {
		return nil, "", err
	}
	user, err := o.program.DB.CreateUser(ctx, in)
	if err != nil {
		return nil, "", err
	}
	key, err := o.program.Keys.Key(ctx, user.ID)
	return user, key, err
}

// UpdateAccount changes the account with this address. A new password ends the
// account's API key and signs it out everywhere.
func (o *Operator) UpdateAccount(ctx context.Context, email string, change AccountChange) (*model.User, error) {
	ctx = asOperator(ctx)
	email, err := model.NormalizeEmail(email)
	if err != nil {
		return nil, err
	}
	user, err := o.program.DB.UserByEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	hash, err := hashPassword(ctx, change.Password)
	if err != nil {
		return nil, err
	}
	before := *user
	change.apply(user)
	err = o.program.DB.InTx(ctx, func(tx *db.DB) error {
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
	return user, err
}

// EndOneTimeCodes turns the one-time codes of the account with this address off. It returns
// CodeNotFound if they are off already.
func (o *Operator) EndOneTimeCodes(ctx context.Context, email string) (*model.User, error) {
	ctx = asOperator(ctx)
	email, err := model.NormalizeEmail(email)
	if err != nil {
		return nil, err
	}
	user, err := o.program.DB.UserByEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	ended, err := o.program.DB.EndOneTimeCodes(ctx, user.ID)
	if err == nil && !ended {
		err = model.NotFound("One-time codes are off")
	}
	return user, err
}

// apply changes the fields of the account. The password is none: db.SetPassword stores its
// hash and ends all access.
func (c AccountChange) apply(user *model.User) {
	if c.Plan != "" {
		user.Plan = c.Plan
	}
	if c.Quota != nil {
		user.Quota = *c.Quota
	}
}

// hashPassword returns the hash that the sign-in page compares with, or "" for an empty
// password.
func hashPassword(ctx context.Context, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	return auth.NewPasswords().Hash(ctx, password)
}

// Accounts calls visit with each account whose address or name contains the text or that has
// this id, newest first, until visit returns an error.
func (o *Operator) Accounts(ctx context.Context, search string, visit func(*model.Account) error) error {
	page := model.Page{Limit: accountPageSize, Search: search}
	for {
		found, err := o.program.DB.Accounts(ctx, model.AccountFilter{}, page)
		if err != nil {
			return err
		}
		for _, account := range found.Nodes {
			if err := visit(account); err != nil {
				return err
			}
			page.After, page.AfterValue = account.Key(model.OrderByDate)
		}
		if !found.PageInfo.HasNextPage {
			return nil
		}
	}
}
