package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// moderated selects all spaces, with what operators see of them.
//
// Private spaces of accounts are none of the operators' business: ModeratedSpaces leaves them out
// unless somebody has reported them, which means that they were readable.
const moderated = `(SELECT s.id, s.owner_id, u.name AS owner_name, u.email AS owner_email, s.sequence, s.title, s.privacy,
	s.visit_count, s.created_at, (SELECT count(*) FROM reports AS r WHERE r.space_id = s.id AND closed_at IS NULL) AS open_reports,
	t.created_at AS taken_down_at, coalesce(t.reason, '') AS takedown_reason, coalesce(t.text, '') AS takedown_text
	FROM spaces AS s JOIN users AS u ON u.id = s.owner_id LEFT JOIN takedowns AS t ON t.space_id = s.id) AS moderated`

// ModeratedSpaces returns a page of the spaces that operators moderate, newest first.
func (db Moderation) ModeratedSpaces(ctx context.Context, filter model.ModerationFilter, page model.Page) (*model.ModeratedSpaceConnection, error) {
	spaces := listing{table: moderated, newest: true, where: "(" + readable + " OR taken_down_at IS NOT NULL OR open_reports > 0)"}
	if filter.Reported != nil {
		spaces.addCondition("(open_reports > 0) = ?", *filter.Reported)
	}
	if filter.TakenDown != nil {
		spaces.addCondition("(taken_down_at IS NOT NULL) = ?", *filter.TakenDown)
	}
	if filter.Search != "" {
		spaces.addCondition("(title ILIKE ? OR id = ? OR "+ownedBy("?")+")", "%"+likeEscaper.Replace(filter.Search)+"%", filter.Search, filter.Search)
	}
	found, err := list[model.ModeratedSpace](ctx, db.DB, spaces, page)
	if err != nil {
		return nil, err
	}
	return (*model.ModeratedSpaceConnection)(found), db.addReports(ctx, found.Nodes)
}

// ModeratedSpace returns the space with this id, as operators see it.
func (db Moderation) ModeratedSpace(ctx context.Context, id string) (*model.ModeratedSpace, error) {
	space := new(model.ModeratedSpace)
	if err := db.idb.NewRaw("SELECT * FROM "+moderated+" WHERE id = ?", id).Scan(ctx, space); err != nil {
		return nil, translateNotFound(err, model.SpaceNotFound)
	}
	return space, db.addReports(ctx, []*model.ModeratedSpace{space})
}

// maxShownReports is the maximum number of open reports of a space that operators see.
const maxShownReports = 20

// addReports sets the latest open reports of the spaces, with one statement.
//
// LATERAL reads the index reports_open for each space, so a space with many reports costs no more
// than maxShownReports rows.
func (db Moderation) addReports(ctx context.Context, spaces []*model.ModeratedSpace) error {
	byID := make(map[string]*model.ModeratedSpace, len(spaces))
	var ids []string
	for _, space := range spaces {
		byID[space.ID], space.Reports = space, []*model.Report{}
		if space.OpenReports > 0 {
			ids = append(ids, space.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var reports []*model.Report
	err := db.idb.NewRaw(`
		SELECT r.id, sequence, space_id, reason, text, created_at FROM unnest(?::text[]) AS of (id), LATERAL (
			SELECT * FROM reports WHERE space_id = of.id AND closed_at IS NULL ORDER BY sequence DESC LIMIT ?) AS r
		ORDER BY sequence DESC`, pgdialect.Array(ids), maxShownReports).Scan(ctx, &reports)
	for _, report := range reports {
		space := byID[report.SpaceID]
		space.Reports = append(space.Reports, report)
	}
	return translate(err)
}

// The limits of reports, so that nobody can fill the database or the list of operators.
const (
	// maxReportsByReporter is how many spaces a reporter can report within a day.
	maxReportsByReporter = 20
	// maxReportsOfSpace is the maximum number of open reports of a space: one more would not
	// show the operator anything new.
	maxReportsOfSpace = 100
)

// AddReport stores a report of the space, unless the reporter has reported the space within a
// day, or a limit is reached. It reports whether it was stored.
//
// The lock has two numbers, so it is in another space than those with one (see db.go). Two
// reporters with one hash only wait for each other. The conditions read reports_by_reporter and
// reports_open.
func (db Moderation) AddReport(ctx context.Context, in model.ReportSpace, reporter string) (bool, error) {
	added := false
	err := db.InTx(ctx, func(tx *DB) (err error) {
		// Reports of one reporter wait for each other, so that two at once count as two.
		if _, err = tx.idb.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext('report'), hashtext(?))", reporter); err != nil {
			return translate(err)
		}
		added, err = rowChanged(tx.idb.ExecContext(ctx, `
			INSERT INTO reports (space_id, reporter, reason, text)
			SELECT id, ?, ?, ? FROM spaces WHERE id = ?
				AND NOT EXISTS (SELECT FROM reports WHERE reporter = ? AND space_id = ? AND created_at > now() - interval '1 day')
				AND (SELECT count(*) FROM reports WHERE reporter = ? AND created_at > now() - interval '1 day') < ?
				AND (SELECT count(*) FROM reports WHERE space_id = ? AND closed_at IS NULL) < ?`,
			reporter, in.Reason, in.Text, in.SpaceID, reporter, in.SpaceID, reporter, maxReportsByReporter, in.SpaceID, maxReportsOfSpace))
		return err
	})
	return added, err
}

// CloseReports closes the open reports of the space without a takedown.
func (db Moderation) CloseReports(ctx context.Context, spaceID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		space, err := tx.Spaces().SpaceForUpdate(ctx, spaceID)
		if err != nil {
			return err
		}
		closed, err := tx.Moderation().closeReports(ctx, spaceID)
		if err != nil || !closed {
			return err
		}
		return tx.Audit().record(ctx, model.EventReportsClosed, space.OwnerID, space.ID, space.Title)
	})
}

// closeReports closes the open reports about a space, and reports whether there was one.
func (db Moderation) closeReports(ctx context.Context, spaceID string) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, "UPDATE reports SET closed_at = now() WHERE space_id = ? AND closed_at IS NULL", spaceID))
}

// TakeDown makes the space Private until it is restored, closes the reports of it, and
// notifies its owner.
func (db Moderation) TakeDown(ctx context.Context, in model.ReportSpace) error {
	return db.InTx(ctx, func(tx *DB) error {
		space, err := tx.Spaces().SpaceForUpdate(ctx, in.SpaceID)
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
		if err := tx.Moderation().hideSpaces(ctx, "id = ?", space.ID); err != nil {
			return err
		}
		if _, err := tx.Moderation().closeReports(ctx, space.ID); err != nil {
			return err
		}
		if err := tx.Moderation().notifyOwner(ctx, space, model.SpaceWasTakenDown, in.Text); err != nil {
			return err
		}
		return tx.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSpaceTakenDown, space.OwnerID).
			WithSubject(space.ID, space.Title).WithTakedownReason(in.Reason))
	})
}

// RestoreSpace ends the takedown of the space, which then has the privacy that its owner
// chose, and notifies the owner. The space of a disabled account stays Private until the
// account is enabled.
func (db Moderation) RestoreSpace(ctx context.Context, id string) error {
	return db.InTx(ctx, func(tx *DB) error {
		space, err := tx.Spaces().SpaceForUpdate(ctx, id)
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
		if err := tx.Moderation().showSpaces(ctx, "s.id = ?", id); err != nil {
			return err
		}
		if err := tx.Moderation().notifyOwner(ctx, space, model.SpaceRestored, ""); err != nil {
			return err
		}
		return tx.Audit().record(ctx, model.EventSpaceRestored, space.OwnerID, space.ID, space.Title)
	})
}

// Takedowns returns the takedowns of the spaces with these ids, by the ids of the spaces.
func (db Moderation) Takedowns(ctx context.Context, spaceIDs []string) (map[string]*model.Takedown, error) {
	var rows []*model.Takedown
	err := db.idb.NewSelect().Model(&rows).Where("space_id = ANY(?::text[])", pgdialect.Array(spaceIDs)).Scan(ctx)
	found := make(map[string]*model.Takedown, len(rows))
	for _, row := range rows {
		found[row.SpaceID] = row
	}
	return found, translate(err)
}

// notifyOwner adds a notification for the owner of the space.
func (db Moderation) notifyOwner(ctx context.Context, space *model.Space, kind model.NotificationType, text string) error {
	_, err := db.idb.ExecContext(ctx, "INSERT INTO notifications (user_id, type, space_id, text) VALUES (?, ?, ?, nullif(?, ''))",
		space.OwnerID, kind, space.ID, text)
	if err == nil {
		db.Announce(UserTopic(space.OwnerID))
	}
	return translate(err)
}

// lockSpacesOf locks the spaces of the account: nobody else changes them until the transaction
// ends.
func (db Moderation) lockSpacesOf(ctx context.Context, userID string) error {
	_, err := db.idb.ExecContext(ctx, "SELECT FROM spaces WHERE "+ownedBy("?")+" ORDER BY id FOR NO KEY UPDATE", userID)
	return translate(err)
}

// hideSpacesOf hides all spaces of the account. It locks them first, so that the next statement
// sees the privacy that another transaction has just committed.
func (db Moderation) hideSpacesOf(ctx context.Context, userID string) error {
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
func (db Moderation) hideSpaces(ctx context.Context, condition string, arg any) error {
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
func (db Moderation) showSpaces(ctx context.Context, condition string, arg any) error {
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
func (db Moderation) changePrivacy(ctx context.Context, statement string, arg any) error {
	var spaces []struct{ ID, OwnerID string }
	if err := db.idb.NewRaw(statement, arg).Scan(ctx, &spaces); err != nil {
		return translate(err)
	}
	for _, space := range spaces {
		db.Announce(SpaceTopic(space.ID), SpacesTopic(space.OwnerID))
	}
	return nil
}
