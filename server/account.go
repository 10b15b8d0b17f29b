package server

import (
	"context"

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
	var plan *model.Plan
	if change.Plan != "" {
		plan = &change.Plan
	}
	err = o.program.DB.InTx(ctx, func(tx *db.DB) error {
		if user, err = tx.SetLimits(ctx, user.ID, plan, change.Quota); err != nil || hash == "" {
			return err
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
