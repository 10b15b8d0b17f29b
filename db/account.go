package db

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// IsDisabled reports whether an operator has disabled the account.
func (db Accounts) IsDisabled(ctx context.Context, userID string) (bool, error) {
	var disabled bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM disabled_accounts WHERE "+belongsTo("?")+")", userID).Scan(ctx, &disabled)
	return disabled, translate(err)
}

// DisableUser ends all access to the account and hides its spaces. Nobody can sign in before
// EnableUser: the sign-in pages refuse the account, and everything else needs a session.
//
// Locks are taken in the order of all writers: rows of spaces, then the account.
func (db Accounts) DisableUser(ctx context.Context, userID, reason string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Moderation().hideSpacesOf(ctx, userID); err != nil {
			return err
		}
		user, err := tx.Accounts().LockUser(ctx, userID)
		if err != nil {
			return err
		}
		added, err := rowChanged(tx.idb.ExecContext(ctx,
			"INSERT INTO disabled_accounts (user_id, reason) VALUES (?, ?) ON CONFLICT DO NOTHING", userID, reason))
		if err != nil {
			return err
		}
		if !added {
			return model.Invalidf("The account is disabled already").WithReason(model.ReasonEnded)
		}
		if err := tx.Audit().record(ctx, model.EventAccountDisabled, userID, "", reason); err != nil {
			return err
		}
		return tx.Accounts().RevokeAccess(ctx, user)
	})
}

// EnableUser lets the owner of a disabled account sign in again, and shows its spaces as
// before, except the spaces that were taken down.
//
// It locks in the order of DisableUser. The row in disabled_accounts goes first, because showSpaces
// leaves out the spaces of accounts that still have one.
func (db Accounts) EnableUser(ctx context.Context, userID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Moderation().lockSpacesOf(ctx, userID); err != nil {
			return err
		}
		if _, err := tx.Accounts().LockUser(ctx, userID); err != nil {
			return err
		}
		removed, err := rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM disabled_accounts WHERE "+belongsTo("?"), userID))
		if err != nil {
			return err
		}
		if !removed {
			return model.Invalidf("The account is not disabled").WithReason(model.ReasonEnded)
		}
		if err := tx.Audit().record(ctx, model.EventAccountEnabled, userID, "", ""); err != nil {
			return err
		}
		return tx.Moderation().showSpaces(ctx, "s."+ownedBy("?"), userID)
	})
}

// accountRows returns the query that selects what operators see of accounts.
//
// It is a subquery with a name, so that list can add its own columns and conditions to it. The id
// of an account has eight digits, so it serves as the sequence by which pages continue. Ids are
// random, so that order means nothing to people: Accounts sorts by the date of creation.
func accountRows() string {
	return `(SELECT u.id, email, name, plan, quota, access_version, u.created_at, changed_at, u.id::bigint AS sequence,
		o.user_id IS NOT NULL AS operator, d.created_at AS disabled_at, coalesce(d.reason, '') AS disabled_reason,
		(SELECT count(*) FROM spaces WHERE ` + ownedBy("u.id") + `) AS space_count
		FROM users AS u LEFT JOIN operators AS o ON o.user_id = u.id LEFT JOIN disabled_accounts AS d ON d.user_id = u.id) AS accounts`
}

// Accounts returns a page of the accounts that pass the filter and whose address, name or id
// contains page.Search, newest first, with their storage.
//
// No index serves a search for any part of an address, so it reads all accounts. Only operators
// search, and rarely.
func (db Accounts) Accounts(ctx context.Context, filter model.AccountFilter, page model.Page) (*model.AccountConnection, error) {
	page.Order = model.Order{Field: model.OrderByDate, Direction: model.Descending}
	rows := listing{table: accountRows(), newest: true, where: "TRUE"}
	if filter.Disabled != nil {
		rows.addCondition("disabled_at IS NOT NULL = ?", *filter.Disabled)
	}
	if filter.Operator != nil {
		rows.addCondition("operator = ?", *filter.Operator)
	}
	if page.Search != "" {
		pattern := "%" + likeEscaper.Replace(page.Search) + "%"
		rows.addCondition("(email ILIKE ? OR name ILIKE ? OR id = ?)", pattern, pattern, page.Search)
	}
	found, err := list[model.Account](ctx, db.DB, rows, page)
	if err != nil {
		return nil, err
	}
	return (*model.AccountConnection)(found), db.addStorage(ctx, found.Nodes)
}

// Account returns the account with this id, as operators see it.
func (db Accounts) Account(ctx context.Context, id string) (*model.Account, error) {
	account := new(model.Account)
	err := db.idb.NewRaw("SELECT * FROM "+accountRows()+" WHERE id = ?", id).Scan(ctx, account)
	if err != nil {
		return nil, translateNotFound(err, model.UserNotFound)
	}
	return account, db.addStorage(ctx, []*model.Account{account})
}

// addStorage sets the storage of the accounts, with one statement. storage_of adds up the rows of
// one account by its indexes, so the cost grows with the page and not with the number of accounts.
func (db Accounts) addStorage(ctx context.Context, accounts []*model.Account) error {
	ids := make([]string, len(accounts))
	for i, account := range accounts {
		ids[i] = account.ID
	}
	var rows []struct {
		ID             string
		Used, Reserved int64
	}
	err := db.idb.NewRaw("SELECT id, s.used, s.promised AS reserved FROM unnest(?::text[]) AS account (id), storage_of(id) AS s",
		pgdialect.Array(ids)).Scan(ctx, &rows)
	if err != nil {
		return translate(err)
	}
	storage := make(map[string]*model.Storage, len(rows))
	for _, row := range rows {
		storage[row.ID] = &model.Storage{Used: row.Used, Reserved: row.Reserved}
	}
	for _, account := range accounts {
		account.Storage = storage[account.ID]
		account.Storage.Quota = account.Quota
	}
	return nil
}

// CreateUser adds an account with a random id.
//
// The id has eight digits (contract: userId is a decimal string of 8 digits), and is random, so
// that it reveals neither how many accounts there are nor how old one is.
func (db Accounts) CreateUser(ctx context.Context, in model.CreateUser) (*model.User, error) {
	now := model.Now()
	user := &model.User{
		Email: in.Email, PasswordHash: in.PasswordHash,
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
		user.Name = cmp.Or(in.Name, model.UnnamedAccount(id))
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
func (db Accounts) addUser(ctx context.Context, user *model.User) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		if added, err = rowChanged(tx.idb.NewInsert().Model(user).On("CONFLICT (id) DO NOTHING").Exec(ctx)); err != nil || !added {
			return err
		}
		return tx.Audit().record(ctx, model.EventAccountCreated, user.ID, "", "")
	})
	return added, err
}

// isFormerUser reports whether an account with this id was deleted and its folder in the
// store will still be removed. A new account must not have the id: it would lose its files.
func (db Accounts) isFormerUser(ctx context.Context, id string) (bool, error) {
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
func (db Accounts) User(ctx context.Context, id string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).Where("id = ?", id).Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// UserByEmail returns the account with this normalised address.
func (db Accounts) UserByEmail(ctx context.Context, email string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).Where("email = ?", email).Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// Users returns up to limit accounts in the order of their addresses, starting after the address
// after.
func (db Accounts) Users(ctx context.Context, after string, limit int) ([]*model.User, error) {
	var users []*model.User
	err := db.idb.NewSelect().Model(&users).Where("email > ?", after).
		Order("email").Limit(int64(limit)).Scan(ctx)
	return users, translate(err)
}

// UpdateUser stores the account's name, plan and quota. SetPassword stores the
// password.
func (db Accounts) UpdateUser(ctx context.Context, user *model.User) error {
	user.ChangedAt = model.Now()
	ok, err := rowChanged(db.idb.NewUpdate().Model(user).
		Column("name", "plan", "quota", "changed_at").WherePK().Exec(ctx))
	if err == nil && !ok {
		return model.NotFound(model.UserNotFound)
	}
	return err
}

// SetLimits changes the plan and the quota of the account. Nil fields keep their values.
func (db Accounts) SetLimits(ctx context.Context, id string, plan *model.Plan, quota *int64) (*model.User, error) {
	var user *model.User
	err := db.InTx(ctx, func(tx *DB) (err error) {
		if user, err = tx.Accounts().LockUser(ctx, id); err != nil {
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
		if err := tx.Accounts().UpdateUser(ctx, user); err != nil {
			return err
		}
		return tx.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventAccountChanged, id).WithChanges(changes...))
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
func (db Accounts) RenameUser(ctx context.Context, id, name string) error {
	ok, err := rowChanged(db.idb.ExecContext(ctx, "UPDATE users SET name = ?, changed_at = ? WHERE id = ?", name, model.Now(), id))
	if err == nil && !ok {
		return model.NotFound(model.UserNotFound)
	}
	return err
}

// Storage returns how much of the account's quota is used. It calls the function
// storage_of of the database, which also decides whether a write of JSON exceeds the
// quota.
func (db Accounts) Storage(ctx context.Context, userID string) (model.Storage, error) {
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
func (db Accounts) LockStorage(ctx context.Context, userID string) (model.Storage, error) {
	// A separate statement: one that also sums would use a snapshot from before it waited
	// for the lock.
	var id string
	err := db.idb.NewRaw("SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE", userID).Scan(ctx, &id)
	if err != nil {
		return model.Storage{}, translateNotFound(err, model.UserNotFound)
	}
	return db.Storage(ctx, userID)
}

// SetAccountPicture makes the stored object the picture of the account, and schedules the removal
// of the previous picture. An empty key removes the picture. It undoes the removal that was scheduled
// for the new object before it was stored.
//
// The lock on the account makes two changes of one picture run one after the other, so the second
// change removes the object that the first change stored. If the process dies before the commit,
// that scheduled removal stays, and deletes the new object after its grace period.
func (db Accounts) SetAccountPicture(ctx context.Context, userID, key string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.Accounts().LockUser(ctx, userID); err != nil {
			return err
		}
		var before []string
		err := tx.idb.NewRaw("DELETE FROM account_pictures WHERE "+belongsTo("?")+" RETURNING storage_key", userID).Scan(ctx, &before)
		if err != nil {
			return translate(err)
		}
		if err := tx.Files().ScheduleRemovals(ctx, time.Now(), before...); err != nil || key == "" {
			return err
		}
		_, err = tx.idb.ExecContext(ctx, `WITH kept AS (DELETE FROM removals WHERE key = ?1)
			INSERT INTO account_pictures (user_id, storage_key) VALUES (?0, ?1)`, userID, key)
		return translate(err)
	})
}

// AccountPictures returns the storage keys of the pictures of these accounts, by the id of the
// account. Accounts without a picture are missing.
func (db Accounts) AccountPictures(ctx context.Context, userIDs []string) (map[string]string, error) {
	var found []struct{ UserID, StorageKey string }
	err := db.idb.NewRaw("SELECT user_id, storage_key FROM account_pictures WHERE user_id = ANY(?::text[])", pgdialect.Array(userIDs)).
		Scan(ctx, &found)
	pictures := make(map[string]string, len(found))
	for _, picture := range found {
		pictures[picture.UserID] = picture.StorageKey
	}
	return pictures, translate(err)
}

// IsOperator reports whether the account may operate the server.
func (db Accounts) IsOperator(ctx context.Context, userID string) (bool, error) {
	var isOperator bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM operators WHERE "+belongsTo("?")+")", userID).Scan(ctx, &isOperator)
	return isOperator, translate(err)
}

// SetOperator makes the account an operator, or takes the right away. It reports whether
// anything changed.
//
// The INSERT selects from users, so an unknown account changes nothing. Only the command line calls
// it: nobody can become an operator over the network.
func (db Accounts) SetOperator(ctx context.Context, userID string, on bool) (changedRole bool, err error) {
	statement, event := "INSERT INTO operators (user_id) SELECT id FROM users WHERE id = ? ON CONFLICT DO NOTHING", model.EventOperatorAdded
	if !on {
		statement, event = "DELETE FROM operators WHERE "+belongsTo("?"), model.EventOperatorRemoved
	}
	err = db.InTx(ctx, func(tx *DB) error {
		if changedRole, err = rowChanged(tx.idb.ExecContext(ctx, statement, userID)); err != nil || !changedRole {
			return err
		}
		return tx.Audit().record(ctx, event, userID, "", "")
	})
	return changedRole, err
}

// HasUsers reports whether there is any account. Before the first, the server offers to create it.
func (db Accounts) HasUsers(ctx context.Context) (bool, error) {
	var some bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM users)").Scan(ctx, &some)
	return some, translate(err)
}

// LockFirstUser waits until no other transaction creates the first account, and returns
// CodeConflict if there is an account. The lock ends with the transaction.
//
// A unique index cannot express that there is only one first account, so it is an advisory lock. It
// is taken only while the server has no account, and so costs nothing later.
func (db Accounts) LockFirstUser(ctx context.Context) error {
	// A separate statement: one that also reads would use a snapshot from before it waited.
	if _, err := db.idb.NewRaw("SELECT pg_advisory_xact_lock(?)", int64(firstUserLock)).Exec(ctx); err != nil {
		return translate(err)
	}
	some, err := db.HasUsers(ctx)
	if err == nil && some {
		err = &model.Error{Code: model.CodeConflict, Message: "There is an account already"}
	}
	return err
}

// followedByViewer selects whether the viewer follows the account u. Its argument is the viewer.
const followedByViewer = "EXISTS (SELECT FROM follows WHERE user_id = u.id AND follower_id = ?) AS followed"

// Profile returns the account with this id as the viewer sees it.
func (db Accounts) Profile(ctx context.Context, userID, viewerID string) (*model.Profile, error) {
	profile := new(model.Profile)
	err := db.idb.NewRaw(`
		SELECT u.id, u.name, `+followedByViewer+`
		FROM users AS u WHERE u.id = ?`, viewerID, userID).Scan(ctx, profile)
	return profile, translateNotFound(err, model.UserNotFound)
}

// Profiles returns the accounts with these ids that exist, as the viewer sees them, by id.
//
// The subquery reads the primary key of follows for each account. An empty viewer follows nobody.
func (db Accounts) Profiles(ctx context.Context, ids []string, viewerID string) (map[string]*model.Profile, error) {
	var found []*model.Profile
	err := db.idb.NewRaw(`
		SELECT u.id, u.name, `+followedByViewer+`
		FROM users AS u WHERE u.id = ANY(?::text[])`, viewerID, pgdialect.Array(ids)).Scan(ctx, &found)
	profiles := make(map[string]*model.Profile, len(found))
	for _, profile := range found {
		profiles[profile.ID] = profile
	}
	return profiles, translate(err)
}

// Following returns up to limit accounts that the follower follows, in the order of their ids,
// starting after the id after.
func (db Accounts) Following(ctx context.Context, followerID, after string, limit int) ([]*model.Profile, error) {
	var found []*model.Profile
	err := db.idb.NewRaw(`
		SELECT u.id, u.name, true AS followed FROM follows AS f JOIN users AS u ON u.id = f.user_id
		WHERE f.follower_id = ? AND u.id > ? ORDER BY u.id LIMIT ?`, followerID, after, limit).Scan(ctx, &found)
	return found, translate(err)
}

// Follow makes the follower follow the user. It is idempotent.
//
// Who follows whom needs no lock: the primary key lets one of two requests insert the row. The user
// is looked up by the foreign key, so a follow needs one round trip.
func (db Accounts) Follow(ctx context.Context, userID, followerID string) error {
	_, err := db.idb.ExecContext(ctx,
		"INSERT INTO follows (user_id, follower_id) VALUES (?, ?) ON CONFLICT DO NOTHING", userID, followerID)
	return translate(err)
}

// Unfollow is the reverse of Follow. It is idempotent.
func (db Accounts) Unfollow(ctx context.Context, userID, followerID string) error {
	_, err := db.idb.ExecContext(ctx,
		"DELETE FROM follows WHERE "+belongsTo("?")+" AND follower_id = ?", userID, followerID)
	return translate(err)
}

// FollowerPage returns a page of the accounts that follow the user, in the order of their ids.
//
// Each row also reports whether the user follows the follower back. The sequence of the pages is
// the account's id as a number.
func (db Accounts) FollowerPage(ctx context.Context, userID string, page model.Page) (*model.UserConnection, error) {
	return db.profilePage(ctx, listing{
		table: `(SELECT u.id, u.name, u.id::bigint AS sequence, f.user_id AS whose,
			EXISTS (SELECT FROM follows WHERE user_id = u.id AND follower_id = f.user_id) AS followed
			FROM follows AS f JOIN users AS u ON u.id = f.follower_id) AS people`,
		where: "whose = ?", args: []any{userID},
	}, page)
}

// FollowedPage returns a page of the accounts that the user follows, in the order of their ids.
func (db Accounts) FollowedPage(ctx context.Context, userID string, page model.Page) (*model.UserConnection, error) {
	return db.profilePage(ctx, listing{
		table: `(SELECT u.id, u.name, u.id::bigint AS sequence, f.follower_id AS whose, true AS followed
			FROM follows AS f JOIN users AS u ON u.id = f.user_id) AS people`,
		where: "whose = ?", args: []any{userID},
	}, page)
}

// profilePage returns a page of the accounts that the listing selects.
func (db Accounts) profilePage(ctx context.Context, rows listing, page model.Page) (*model.UserConnection, error) {
	profiles, err := list[model.Profile](ctx, db.DB, rows, page)
	return (*model.UserConnection)(profiles), err
}

// firstUserLock is the advisory lock of transactions that create the first account. Never change it
// (see migrations.migrationLock).
const firstUserLock = 7_165_430_218
