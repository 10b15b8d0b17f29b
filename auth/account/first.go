package account

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"

	"portico/db"
	"portico/model"
)

// firstCodeLength is the length of the code in characters. With 32 possible characters, the code
// has 130 bits.
const firstCodeLength = 26

// FirstCode returns the code that is required to create the first account of a server that other
// machines can reach. It is derived from the server's secret, so that all replicas accept it, even
// after a restart. It is useless once there is an account.
func FirstCode(secret []byte) (string, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "portico first account", firstCodeLength)
	if err != nil {
		return "", fmt.Errorf("derive the code of the first account: %w", err)
	}
	const characters = "abcdefghijkmnpqrstuvwxyz23456789"
	for i, b := range key {
		key[i] = characters[int(b)%len(characters)]
	}
	return string(key), nil
}

// ErrNeedsFirstCode refuses to create the first account without its code.
var ErrNeedsFirstCode error = model.RefusedSignIn(model.EventReasonFirstAccount)

// FirstCode returns the code that is required to create the first account, or "" if none is.
func (r *Registry) FirstCode() string { return r.firstCode }

// IsEmpty reports whether the server has no account yet. Once an account was seen, it no longer
// queries the database.
func (r *Registry) IsEmpty(ctx context.Context) (bool, error) {
	if r.hasAccounts.Load() {
		return false, nil
	}
	some, err := r.db.Accounts().HasUsers(ctx)
	if some {
		r.hasAccounts.Store(true)
	}
	return !some, err
}

// requireFirst returns ErrNeedsFirstCode if creating an account requires the code, because it is the
// first account.
func (r *Registry) requireFirst(ctx context.Context) error {
	if r.firstCode == "" {
		return nil
	}
	empty, err := r.IsEmpty(ctx)
	if err == nil && empty {
		err = ErrNeedsFirstCode
	}
	return err
}

// CreateFirst creates the first account, even if sign-up is off. Its owner has set the server up, and
// so operates it, and has the Pro plan whatever the plan of new accounts is. For a wrong code it returns this
// problem alone, and otherwise all problems, as SignUp does. It returns CodeConflict if there is an
// account.
//
// The transaction holds a lock, so that concurrent calls cannot both create an account.
func (r *Registry) CreateFirst(ctx context.Context, code string, a Applicant) (*model.User, Problems, error) {
	if subtle.ConstantTimeCompare([]byte(code), []byte(r.firstCode)) != 1 {
		return nil, Problems{"code": model.Forbidden("This is not the code that the server printed").WithField("code")}, nil
	}
	return r.create(ctx, a, func(tx *db.DB, in model.CreateUser) (*model.User, error) {
		if err := tx.Accounts().LockFirstUser(ctx); err != nil {
			return nil, err
		}
		in.Plan = model.PlanPro
		user, err := r.addUnproven(ctx, tx, in)
		if err != nil {
			return nil, err
		}
		_, err = tx.Accounts().SetOperator(ctx, user.ID, true)
		return user, err
	})
}
