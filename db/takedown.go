package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// TakeDown makes the space Private until it is restored, closes the reports of it, and
// notifies its owner.
func (db *DB) TakeDown(ctx context.Context, in model.ReportSpace) error {
	return db.InTx(ctx, func(tx *DB) error {
		space, err := tx.SpaceForUpdate(ctx, in.SpaceID)
		if err != nil {
			return err
		}
		added, err := rowChanged(tx.idb.ExecContext(ctx,
			"INSERT INTO takedowns (space_id, reason, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", space.ID, in.Reason, in.Text))
		if err != nil {
			return err
		}
		if !added {
			return model.Invalidf("The space is taken down already").WithReason(model.ReasonEnded)
		}
		if err := tx.hideSpaces(ctx, "id = ?", space.ID); err != nil {
			return err
		}
		if _, err := tx.closeReports(ctx, space.ID); err != nil {
			return err
		}
		if err := tx.notifyOwner(ctx, space, model.SpaceWasTakenDown, in.Text); err != nil {
			return err
		}
		return tx.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSpaceTakenDown, space.OwnerID).
			WithSubject(space.ID, space.Title).WithTakedownReason(in.Reason))
	})
}

// RestoreSpace ends the takedown of the space, which then has the privacy that its owner
// chose, and notifies the owner. The space of a disabled account stays Private until the
// account is enabled.
func (db *DB) RestoreSpace(ctx context.Context, id string) error {
	return db.InTx(ctx, func(tx *DB) error {
		space, err := tx.SpaceForUpdate(ctx, id)
		if err != nil {
			return err
		}
		removed, err := rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM takedowns WHERE space_id = ?", id))
		if err != nil {
			return err
		}
		if !removed {
			return model.Invalidf("The space is not taken down").WithReason(model.ReasonEnded)
		}
		if err := tx.showSpaces(ctx, "s.id = ?", id); err != nil {
			return err
		}
		if err := tx.notifyOwner(ctx, space, model.SpaceRestored, ""); err != nil {
			return err
		}
		return tx.record(ctx, model.EventSpaceRestored, space.OwnerID, space.ID, space.Title)
	})
}

// Takedowns returns the takedowns of the spaces with these ids, by the ids of the spaces.
func (db *DB) Takedowns(ctx context.Context, spaceIDs []string) (map[string]*model.Takedown, error) {
	var rows []*model.Takedown
	err := db.idb.NewSelect().Model(&rows).Where("space_id = ANY(?::text[])", pgdialect.Array(spaceIDs)).Scan(ctx)
	found := make(map[string]*model.Takedown, len(rows))
	for _, row := range rows {
		found[row.SpaceID] = row
	}
	return found, translate(err)
}

// notifyOwner adds a notification for the owner of the space.
func (db *DB) notifyOwner(ctx context.Context, space *model.Space, kind model.NotificationType, text string) error {
	_, err := db.idb.ExecContext(ctx, "INSERT INTO notifications (user_id, type, space_id, text) VALUES (?, ?, ?, nullif(?, ''))",
		space.OwnerID, kind, space.ID, text)
	if err == nil {
		db.Announce(UserTopic(space.OwnerID))
	}
	return translate(err)
}

// lockSpacesOf locks the spaces of the account: nobody else changes them until the transaction
// ends.
func (db *DB) lockSpacesOf(ctx context.Context, userID string) error {
	_, err := db.idb.ExecContext(ctx, "SELECT FROM spaces WHERE "+ownedBy("?")+" ORDER BY id FOR NO KEY UPDATE", userID)
	return translate(err)
}

// hideSpacesOf hides all spaces of the account. It locks them first, so that the next statement
// sees the privacy that another transaction has just committed.
func (db *DB) hideSpacesOf(ctx context.Context, userID string) error {
	if err := db.lockSpacesOf(ctx, userID); err != nil {
		return err
	}
	return db.hideSpaces(ctx, ownedBy("?"), userID)
}

// hideSpaces makes the spaces that meet the condition Private and keeps the privacy that they
// had. Their rows must be locked.
//
// A space that is hidden already keeps the privacy that was stored first, because its privacy is
// now Private for another reason.
func (db *DB) hideSpaces(ctx context.Context, condition string, arg any) error {
	_, err := db.idb.ExecContext(ctx,
		"INSERT INTO hidden_spaces (space_id, privacy) SELECT id, privacy FROM spaces WHERE "+condition+" ON CONFLICT DO NOTHING", arg)
	if err != nil {
		return translate(err)
	}
	return db.changePrivacy(ctx, `UPDATE spaces SET privacy = 'Private', version = version + 1, changed_at = now(), touched_at = now()
		WHERE `+condition+` AND `+readable+` RETURNING id, owner_id`, arg)
}

// showSpaces restores the privacy of the hidden spaces s that meet the condition, except spaces
// that were taken down or whose owner is disabled. The caller has locked the rows. A space is
// hidden for up to two reasons, and shown when both have ended.
func (db *DB) showSpaces(ctx context.Context, condition string, arg any) error {
	return db.changePrivacy(ctx, `
		WITH shown AS (
			DELETE FROM hidden_spaces AS h USING spaces AS s
			WHERE s.id = h.space_id AND `+condition+`
				AND NOT EXISTS (SELECT FROM takedowns AS t WHERE t.space_id = s.id)
				AND NOT EXISTS (SELECT FROM disabled_accounts AS d WHERE d.user_id = s.owner_id)
			RETURNING h.space_id, h.privacy
		)
		UPDATE spaces SET privacy = shown.privacy, version = version + 1, changed_at = now(), touched_at = now()
		FROM shown WHERE id = shown.space_id AND spaces.privacy <> shown.privacy RETURNING id, owner_id`, arg)
}

// changePrivacy runs a statement that returns the spaces which it changed, and announces them. The
// statement increases the version of the spaces, by which the owner's watchers find the change. So
// the history has it as a change by the server itself.
func (db *DB) changePrivacy(ctx context.Context, statement string, arg any) error {
	var spaces []struct{ ID, OwnerID string }
	if err := db.idb.NewRaw(statement, arg).Scan(ctx, &spaces); err != nil {
		return translate(err)
	}
	for _, space := range spaces {
		db.Announce(SpaceTopic(space.ID), SpacesTopic(space.OwnerID))
	}
	return nil
}
