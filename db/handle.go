package db

import (
	"context"
	"strconv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// handleHold is model.HandleHold as an interval.
var handleHold = "interval '" + strconv.Itoa(int(model.HandleHold.Hours())) + " hours'"

// heldHandle is the condition that a row h of handles is the name of an account, or still leads to the
// account that had it.
var heldHandle = "(h.ended_at IS NULL OR h.ended_at > now() - " + handleHold + ")"

// namesOfSpace returns expressions for the current names of a space and of its owner, which are columns
// of a statement.
func namesOfSpace(spaceID, ownerID string) string {
	return "(SELECT n.slug FROM space_slugs AS n WHERE n.space_id = " + spaceID + " AND n.ended_at IS NULL) AS slug, " + handleOf(ownerID)
}

// handleOf returns an expression for the current name of an account.
func handleOf(userID string) string {
	return "(SELECT h.handle FROM handles AS h WHERE h.user_id = " + userID + " AND h.ended_at IS NULL) AS handle"
}

// SetHandle changes the name of an account in addresses; an empty one leaves it without a name. The
// former name leads to the account for model.HandleHold, and is nobody else's. It refuses the name of
// another account, and too many changes.
//
// Of two accounts that take one name, the second waits for the first, by the primary key. All rows are
// locked in the order of their names, so that two accounts that want each other's names both wait.
func (db Handles) SetHandle(ctx context.Context, userID, handle string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.Accounts().LockUser(ctx, userID); err != nil {
			return err
		}
		var rows []struct {
			Handle  string
			Current bool
		}
		err := tx.idb.NewRaw("SELECT handle, ended_at IS NULL AND user_id = ?0 AS current FROM handles WHERE handle = ?1 OR ("+
			belongsTo("?0")+" AND ended_at IS NULL) ORDER BY handle FOR UPDATE", userID, handle).Scan(ctx, &rows)
		if err != nil {
			return translate(err)
		}
		former := ""
		for _, row := range rows {
			if row.Current {
				former = row.Handle
			}
		}
		if former == handle {
			return nil
		}
		return tx.Handles().replaceHandle(ctx, userID, former, handle)
	})
}

func (db Handles) replaceHandle(ctx context.Context, userID, former, handle string) error {
	if _, err := db.idb.ExecContext(ctx, "UPDATE handles SET ended_at = now() WHERE handle = ?", former); err != nil {
		return translate(err)
	}
	if handle != "" {
		claimed, err := rowChanged(db.idb.ExecContext(ctx, `
			INSERT INTO handles AS h (handle, user_id) VALUES (?, ?)
			ON CONFLICT (handle) DO UPDATE SET user_id = EXCLUDED.user_id, ended_at = NULL
			WHERE h.user_id = EXCLUDED.user_id OR NOT `+heldHandle, handle, userID))
		if err != nil {
			return err
		}
		if !claimed {
			return model.HandleTaken()
		}
	}
	var left int
	err := db.idb.NewRaw("SELECT count(*) FROM handles AS h WHERE h."+belongsTo("?")+" AND h.ended_at IS NOT NULL AND "+heldHandle, userID).
		Scan(ctx, &left)
	if err != nil {
		return translate(err)
	}
	if left > model.MaxFormerHandles {
		return model.InvalidField("handle", "has changed too often: you hold "+strconv.Itoa(model.MaxFormerHandles)+
			" former names, each for a year. Take one of them back, or wait")
	}
	db.Announce(UserTopic(userID))
	return db.Audit().record(ctx, model.EventHandleChanged, userID, "", handle)
}

// AccountOfHandle returns the account that a name leads to, and the name that it has now, which is
// empty for an account without one.
func (db Handles) AccountOfHandle(ctx context.Context, handle string) (userID, current string, err error) {
	err = db.idb.NewRaw("SELECT h.user_id, coalesce(c.handle, '') FROM handles AS h LEFT JOIN handles AS c ON c.user_id = h.user_id AND c.ended_at IS NULL "+
		"WHERE h.handle = ? AND h.user_id IS NOT NULL AND "+heldHandle, handle).Scan(ctx, &userID, &current)
	return userID, current, translateNotFound(err, model.UserNotFound)
}

// HandlesOf returns the current names of these accounts, by the id of the account. Accounts without
// one are missing.
func (db Handles) HandlesOf(ctx context.Context, userIDs []string) (map[string]string, error) {
	var found []struct{ UserID, Handle string }
	err := db.idb.NewRaw("SELECT user_id, handle FROM handles WHERE user_id = ANY(?::text[]) AND ended_at IS NULL", pgdialect.Array(userIDs)).
		Scan(ctx, &found)
	handles := make(map[string]string, len(found))
	for _, row := range found {
		handles[row.UserID] = row.Handle
	}
	return handles, translate(err)
}

// FormerHandles returns the names that the account has left and that still lead to it, newest first.
func (db Handles) FormerHandles(ctx context.Context, userID string) ([]string, error) {
	former := []string{}
	err := db.idb.NewRaw("SELECT h.handle FROM handles AS h WHERE h."+belongsTo("?")+" AND h.ended_at IS NOT NULL AND "+heldHandle+
		" ORDER BY h.ended_at DESC", userID).Scan(ctx, &former)
	return former, translate(err)
}

// PurgeHandles deletes up to limit names that are held no longer, and returns how many.
func (db Handles) PurgeHandles(ctx context.Context, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, "DELETE FROM handles WHERE handle IN (SELECT h.handle FROM handles AS h WHERE h.ended_at <= now() - "+
		handleHold+" ORDER BY h.ended_at LIMIT ? FOR UPDATE SKIP LOCKED)", limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// SetSlug changes the name of a space in addresses; an empty one leaves it without a name. Its former
// names, of which it keeps model.MaxFormerSlugs, lead to it until the owner gives them to another space.
func (db Handles) SetSlug(ctx context.Context, spaceID, slug string) (space *model.Space, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		if space, err = tx.Spaces().SpaceForUpdate(ctx, spaceID); err != nil {
			return err
		}
		_, err := tx.idb.ExecContext(ctx, "SELECT FROM space_slugs WHERE "+ownedBy("?")+" AND (slug = ? OR space_id = ?) ORDER BY slug FOR UPDATE",
			space.OwnerID, slug, spaceID)
		if err != nil {
			return translate(err)
		}
		_, err = tx.idb.ExecContext(ctx, "UPDATE space_slugs SET ended_at = now() WHERE space_id = ? AND ended_at IS NULL AND slug <> ?", spaceID, slug)
		if err != nil {
			return translate(err)
		}
		if slug != "" {
			claimed, err := rowChanged(tx.idb.ExecContext(ctx, `
				INSERT INTO space_slugs AS n (owner_id, slug, space_id) VALUES (?, ?, ?)
				ON CONFLICT (owner_id, slug) DO UPDATE SET space_id = EXCLUDED.space_id, ended_at = NULL
				WHERE n.space_id = EXCLUDED.space_id OR n.ended_at IS NOT NULL`, space.OwnerID, slug, spaceID))
			if err != nil {
				return err
			}
			if !claimed {
				return model.SlugTaken()
			}
		}
		_, err = tx.idb.ExecContext(ctx, `DELETE FROM space_slugs WHERE `+ownedBy("?")+` AND slug IN (
			SELECT slug FROM space_slugs WHERE space_id = ? AND ended_at IS NOT NULL ORDER BY ended_at DESC, slug OFFSET ?)`,
			space.OwnerID, spaceID, model.MaxFormerSlugs)
		tx.Announce(SpaceTopic(spaceID), SpacesTopic(space.OwnerID))
		return translate(err)
	})
	if err != nil {
		return nil, err
	}
	return space, nil
}

// SpaceOfNames returns the space that an address with these names leads to, by current or former names.
func (db Handles) SpaceOfNames(ctx context.Context, named model.Named) (*model.Space, error) {
	space := new(model.Space)
	err := db.idb.NewSelect().Model(space).ColumnExpr("?TableColumns, "+readAt).
		Where("id = (SELECT n.space_id FROM handles AS h JOIN space_slugs AS n ON n."+ownedBy("h.user_id")+
			" AND n.slug = ? WHERE h.handle = ? AND ?)", named.Slug, named.Handle, bun.Safe(heldHandle)).Scan(ctx)
	return space, translateNotFound(err, model.SpaceNotFound)
}

// NamesOfSpaces returns the current names of these spaces and of their owners, by the id of the space.
func (db Handles) NamesOfSpaces(ctx context.Context, spaceIDs []string) (map[string]model.Named, error) {
	var found []struct {
		SpaceID, Slug string
		Handle        string
	}
	err := db.idb.NewRaw("SELECT n.space_id, n.slug, coalesce(h.handle, '') AS handle FROM space_slugs AS n "+
		"LEFT JOIN handles AS h ON h.user_id = n.owner_id AND h.ended_at IS NULL WHERE n.space_id = ANY(?::text[]) AND n.ended_at IS NULL",
		pgdialect.Array(spaceIDs)).Scan(ctx, &found)
	names := make(map[string]model.Named, len(found))
	for _, row := range found {
		names[row.SpaceID] = model.Named{Handle: row.Handle, Slug: row.Slug}
	}
	return names, translate(err)
}
