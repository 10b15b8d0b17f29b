package operator

import (
	"context"
	"strings"

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
// account can sign in only by OpenID Connect until it has a passkey.
//
// The key is created in the transaction of the account, because an operator who creates accounts
// for programs needs it, and no other command prints it.
func (o *Operator) AddAccount(ctx context.Context, in model.CreateUser, password string) (*model.User, string, error) {
	ctx = asOperator(ctx)
	var err error
	if in.PasswordHash, err = hashPassword(ctx, password); err != nil {
		return nil, "", err
	}
	if err := in.Validate(); err != nil {
		return nil, "", err
	}
	var user *model.User
	var key string
	err = o.program.DB.InTx(ctx, func(tx *db.DB) (err error) {
		if user, err = tx.Accounts().CreateUser(ctx, in); err != nil {
			return err
		}
		key, err = o.program.Keys.EnsureKeyIn(ctx, tx, user.ID)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return user, key, nil
}

// UpdateAccount changes the account with this address or id. A new password revokes the API key and
// all sessions of the account.
//
// The limits and the password change in one transaction. A running server notices the revoked
// access by its notifications.
func (o *Operator) UpdateAccount(ctx context.Context, account string, change AccountChange) (*model.User, error) {
	ctx = asOperator(ctx)
	user, err := o.account(ctx, account)
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
		if user, err = tx.Accounts().SetLimits(ctx, user.ID, plan, change.Quota); err != nil || hash == "" {
			return err
		}
		return tx.Accounts().SetPassword(ctx, user.ID, hash)
	})
	return user, err
}

// EndOneTimeCodes turns off the one-time codes of the account with this address or id. It returns
// CodeNotFound if they are off.
func (o *Operator) EndOneTimeCodes(ctx context.Context, account string) (*model.User, error) {
	ctx = asOperator(ctx)
	user, err := o.account(ctx, account)
	if err != nil {
		return nil, err
	}
	ended, err := o.program.DB.SignIns().EndOneTimeCodes(ctx, user.ID)
	if err == nil && !ended {
		err = model.NotFound(model.OneTimeCodesOff)
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
	return visitPages(page, func(page model.Page) (*model.Connection[*model.Account], error) {
		found, err := o.program.DB.Accounts().Accounts(ctx, model.AccountFilter{}, page)
		return (*model.Connection[*model.Account])(found), err
	}, visit)
}

// account returns the account with this address or id.
func (o *Operator) account(ctx context.Context, name string) (*model.User, error) {
	if !strings.Contains(name, "@") {
		return o.program.DB.Accounts().User(ctx, name)
	}
	email, err := model.NormaliseEmail(name)
	if err != nil {
		return nil, err
	}
	return o.program.DB.Accounts().UserByEmail(ctx, email)
}

// SetOperator makes the account with this address or id an operator of the console, or an ordinary
// account.
func (o *Operator) SetOperator(ctx context.Context, account string, on bool) (*model.Account, error) {
	return o.changeAccount(ctx, account, func(ctx context.Context, id string) error {
		_, err := o.program.DB.Accounts().SetOperator(ctx, id, on)
		return err
	})
}

// DisableAccount ends all access to the account with this address or id, and hides its spaces.
// Unlike an operator in the console, the command line may disable an account of an operator too.
func (o *Operator) DisableAccount(ctx context.Context, account, reason string) (*model.Account, error) {
	if err := model.CheckDisableReason(reason); err != nil {
		return nil, err
	}
	return o.changeAccount(ctx, account, func(ctx context.Context, id string) error {
		return o.program.DB.Accounts().DisableUser(ctx, id, reason)
	})
}

// EnableAccount reverses DisableAccount.
func (o *Operator) EnableAccount(ctx context.Context, account string) (*model.Account, error) {
	return o.changeAccount(ctx, account, o.program.DB.Accounts().EnableUser)
}

func (o *Operator) changeAccount(
	ctx context.Context, account string, change func(ctx context.Context, id string) error,
) (*model.Account, error) {
	ctx = asOperator(ctx)
	user, err := o.account(ctx, account)
	if err != nil {
		return nil, err
	}
	if err := change(ctx, user.ID); err != nil {
		return nil, err
	}
	return o.program.DB.Accounts().Account(ctx, user.ID)
}

// DeleteAccount deletes the account with this address or id, with everything that it owns, and
// returns its id. A running server removes its files from the store later.
func (o *Operator) DeleteAccount(ctx context.Context, account string) (string, error) {
	ctx = asOperator(ctx)
	user, err := o.account(ctx, account)
	if err != nil {
		return "", err
	}
	return user.ID, o.program.DB.Accounts().DeleteUser(ctx, user.ID, func() error { return nil })
}
