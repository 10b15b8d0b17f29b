package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// IsDisabled reports whether an operator has disabled the account.
func (db *DB) IsDisabled(ctx context.Context, userID string) (bool, error) {
	var disabled bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM disabled_accounts WHERE "+belongsTo("?")+")", userID).Scan(ctx, &disabled)
	return disabled, translate(err)
}

// DisableUser ends all access to the account and hides its spaces. Nobody can sign in before
// EnableUser: the sign-in pages refuse the account, and everything else needs a session.
//
// Locks are taken in the order of all writers: rows of spaces, then the account.
func (db *DB) DisableUser(ctx context.Context, userID, reason string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.hideSpacesOf(ctx, userID); err != nil {
			return err
		}
		user, err := tx.LockUser(ctx, userID)
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
		if err := tx.record(ctx, model.EventAccountDisabled, userID, "", reason); err != nil {
			return err
		}
		return tx.RevokeAccess(ctx, user)
	})
}

// EnableUser lets the owner of a disabled account sign in again, and shows its spaces as
// before, except the spaces that were taken down.
//
// It locks in the order of DisableUser. The row in disabled_accounts goes first, because showSpaces
// leaves out the spaces of accounts that still have one.
func (db *DB) EnableUser(ctx context.Context, userID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.lockSpacesOf(ctx, userID); err != nil {
			return err
		}
		if _, err := tx.LockUser(ctx, userID); err != nil {
			return err
		}
		removed, err := rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM disabled_accounts WHERE "+belongsTo("?"), userID))
		if err != nil {
			return err
		}
		if !removed {
			return model.Invalidf("The account is not disabled").WithReason(model.ReasonEnded)
		}
		if err := tx.record(ctx, model.EventAccountEnabled, userID, "", ""); err != nil {
			return err
		}
		return tx.showSpaces(ctx, "s."+ownedBy("?"), userID)
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
func (db *DB) Accounts(ctx context.Context, filter model.AccountFilter, page model.Page) (*model.AccountConnection, error) {
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
	found, err := list[model.Account](ctx, db, rows, page)
	if err != nil {
		return nil, err
	}
	return (*model.AccountConnection)(found), db.addStorage(ctx, found.Nodes)
}

// Account returns the account with this id, as operators see it.
func (db *DB) Account(ctx context.Context, id string) (*model.Account, error) {
	account := new(model.Account)
	err := db.idb.NewRaw("SELECT * FROM "+accountRows()+" WHERE id = ?", id).Scan(ctx, account)
	if err != nil {
		return nil, translateNotFound(err, model.UserNotFound)
	}
	return account, db.addStorage(ctx, []*model.Account{account})
}

// addStorage sets the storage of the accounts, with one statement. storage_of adds up the rows of
// one account by its indexes, so the cost grows with the page and not with the number of accounts.
func (db *DB) addStorage(ctx context.Context, accounts []*model.Account) error {
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
