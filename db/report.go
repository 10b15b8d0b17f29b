package db

import (
	"context"

	"portico/model"
)

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
// The lock has two numbers, so it is in another space than the locks of advisorylock.go. Two
// reporters with one hash only wait for each other. The conditions read reports_by_reporter and
// reports_open.
func (db *DB) AddReport(ctx context.Context, in model.ReportSpace, reporter string) (bool, error) {
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
func (db *DB) CloseReports(ctx context.Context, spaceID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		space, err := tx.SpaceForUpdate(ctx, spaceID)
		if err != nil {
			return err
		}
		closed, err := tx.closeReports(ctx, spaceID)
		if err != nil || !closed {
			return err
		}
		return tx.record(ctx, model.EventReportsClosed, space.OwnerID, space.ID, space.Title)
	})
}

// closeReports closes the open reports about a space, and reports whether there was one.
func (db *DB) closeReports(ctx context.Context, spaceID string) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, "UPDATE reports SET closed_at = now() WHERE space_id = ? AND closed_at IS NULL", spaceID))
}
