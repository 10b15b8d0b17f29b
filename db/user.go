package db

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"portico/model"
)

// CreateUser adds an account with a random id.
//
// The id has eight digits (contract: userId is a decimal string of 8 digits), and is random, so
// that it reveals neither how many accounts there are nor how old one is.
func (db *DB) CreateUser(ctx context.Context, in model.CreateUser) (*model.User, error) {
	now := model.Now()
	user := &model.User{
		Email: in.Email, Name: in.Name, PasswordHash: in.PasswordHash,
		Plan: in.Plan, Quota: in.Quota, CreatedAt: now, ChangedAt: now,
	}
	// A random id may be taken. Ten taken ids in a row are likely only when nearly all of the 90
	// million are taken.
	for range 10 {
		id, err := newUserID()
		if err != nil {
			return nil, err
		}
		user.ID = id
		former, err := db.isFormerUser(ctx, id)
		if err != nil {
			return nil, err
		}
		if former {
			continue
		}
		added, err := db.addUser(ctx, user)
		if err != nil || added {
			return user, err
		}
	}
	return nil, errors.New("create user: no free id found")
}

// addUser stores the account, and reports whether its id was free. A taken id is not an error of
// Postgres, after which the transaction of the caller could not try another one.
func (db *DB) addUser(ctx context.Context, user *model.User) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		if added, err = rowChanged(tx.idb.NewInsert().Model(user).On("CONFLICT (id) DO NOTHING").Exec(ctx)); err != nil || !added {
			return err
		}
		return tx.record(ctx, model.EventAccountCreated, user.ID, "", "")
	})
	return added, err
}

// isFormerUser reports whether an account with this id was deleted and its folder in the
// store will still be removed. A new account must not have the id: it would lose its files.
func (db *DB) isFormerUser(ctx context.Context, id string) (bool, error) {
	var former bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM removals WHERE key = ?)", model.UserFolder(id)).Scan(ctx, &former)
	return former, translate(err)
}

// newUserID returns 8 random digits, the first of which is not 0.
func newUserID() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(90_000_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%08d", n.Int64()+10_000_000), nil
}

// User returns the account with this id, or model.UserNotFound.
func (db *DB) User(ctx context.Context, id string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).Where("id = ?", id).Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// UserByEmail returns the account with this normalised address.
func (db *DB) UserByEmail(ctx context.Context, email string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).Where("email = ?", email).Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// Users returns up to limit accounts in the order of their addresses, starting after the address
// after.
func (db *DB) Users(ctx context.Context, after string, limit int) ([]*model.User, error) {
	var users []*model.User
	err := db.idb.NewSelect().Model(&users).Where("email > ?", after).
		Order("email").Limit(int64(limit)).Scan(ctx)
	return users, translate(err)
}

// UpdateUser stores the account's name, plan and quota. SetPassword stores the
// password.
func (db *DB) UpdateUser(ctx context.Context, user *model.User) error {
	user.ChangedAt = model.Now()
	ok, err := rowChanged(db.idb.NewUpdate().Model(user).
		Column("name", "plan", "quota", "changed_at").WherePK().Exec(ctx))
	if err == nil && !ok {
		return model.NotFound(model.UserNotFound)
	}
	return err
}

// SetLimits changes the plan and the quota of the account. Nil fields keep their values.
func (db *DB) SetLimits(ctx context.Context, id string, plan *model.Plan, quota *int64) (*model.User, error) {
	var user *model.User
	err := db.InTx(ctx, func(tx *DB) (err error) {
		if user, err = tx.LockUser(ctx, id); err != nil {
			return err
		}
		before := *user
		if plan != nil {
			user.Plan = *plan
		}
		if quota != nil {
			user.Quota = *quota
		}
		changes := limitChanges(&before, user)
		if changes == nil {
			return nil
		}
		if err := tx.UpdateUser(ctx, user); err != nil {
			return err
		}
		return tx.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventAccountChanged, id).WithChanges(changes...))
	})
	return user, err
}

// limitChanges returns the changes of the plan and the quota for the audit trail; nil for none.
func limitChanges(before, after *model.User) (changes []model.SecurityEventChange) {
	if before.Plan != after.Plan {
		changes = append(changes, model.SecurityEventChange{Field: model.PlanField, Before: string(before.Plan), After: string(after.Plan)})
	}
	if before.Quota != after.Quota {
		changes = append(changes, model.SecurityEventChange{
			Field: model.StorageField, Before: strconv.FormatInt(before.Quota, 10), After: strconv.FormatInt(after.Quota, 10),
		})
	}
	return changes
}

// RenameUser sets the name of the account.
func (db *DB) RenameUser(ctx context.Context, id, name string) error {
	ok, err := rowChanged(db.idb.ExecContext(ctx, "UPDATE users SET name = ?, changed_at = ? WHERE id = ?", name, model.Now(), id))
	if err == nil && !ok {
		return model.NotFound(model.UserNotFound)
	}
	return err
}

// Storage returns how much of the account's quota is used. It calls the function
// storage_of of the database, which also decides whether a write of JSON exceeds the
// quota.
func (db *DB) Storage(ctx context.Context, userID string) (model.Storage, error) {
	var s model.Storage
	err := db.idb.NewRaw("SELECT s.used, s.promised, u.quota FROM users AS u, storage_of(u.id) AS s WHERE u.id = ?", userID).
		Scan(ctx, &s.Used, &s.Reserved, &s.Quota)
	return s, translateNotFound(err, model.UserNotFound)
}

// LockStorage is Storage for a transaction that uses some of the free storage: no other
// transaction can use it until this one ends. The transaction must not write entities or
// spaces of the account afterwards: count_json, which counts their JSON, locks the account
// last.
//
// It also waits for count_json of other transactions that look at the quota, and they wait for it.
func (db *DB) LockStorage(ctx context.Context, userID string) (model.Storage, error) {
	// A separate statement: one that also sums would use a snapshot from before it waited
	// for the lock.
	var id string
	err := db.idb.NewRaw("SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE", userID).Scan(ctx, &id)
	if err != nil {
		return model.Storage{}, translateNotFound(err, model.UserNotFound)
	}
	return db.Storage(ctx, userID)
}
