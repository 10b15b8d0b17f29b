package server

import (
	"context"
	"fmt"

	"portico/auth"
	"portico/db"
	"portico/model"
)

// accountPage is how many accounts are read at a time.
const accountPage = 500

// AccountChange is what UpdateAccount changes: fields with the zero value stay.
type AccountChange struct {
	Plan     model.Plan
	Quota    *int64 // in bytes
	Password string
}

// AddAccount stores a new account and returns it with its API key, which is shown this
// once. An empty password lets nobody sign in with one.
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

// apply changes everything but the password, which is no field of the account.
func (c AccountChange) apply(user *model.User) {
	if c.Plan != "" {
		user.Plan = c.Plan
	}
	if c.Quota != nil {
		user.Quota = *c.Quota
	}
}

// hashPassword returns the hash that the sign-in page compares with, or "" for no
// password.
func hashPassword(ctx context.Context, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	return auth.NewPasswords().Hash(ctx, password)
}

// Accounts calls visit with each account and its storage, in the order of the addresses,
// until visit returns an error.
func (o *Operator) Accounts(ctx context.Context, visit func(*model.User, model.Storage) error) error {
	for after := ""; ; {
		users, err := o.program.DB.Users(ctx, after, accountPage)
		if err != nil {
			return err
		}
		for _, user := range users {
			storage, err := o.program.DB.Storage(ctx, user.ID)
			if err != nil {
				return err
			}
			if err := visit(user, storage); err != nil {
				return err
			}
			after = user.Email
		}
		if len(users) < accountPage {
			return nil
		}
	}
}
