package db

import (
	"testing"

	"portico/model"
)

func TestModeratedSpaces_leave_out_what_only_its_owner_could_open(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	publicSpace(t, db, user, "open")
	addSpace(t, db, user, "private")
	down := publicSpace(t, db, user, "down")
	check(t, db.Moderation().TakeDown(ctx, model.ReportSpace{SpaceID: down.ID, Reason: model.ReportHarmful}))
	for _, row := range []struct {
		takenDown *bool
		want      int
	}{{nil, 2}, {new(true), 1}, {new(false), 1}} {
		found, err := db.Moderation().ModeratedSpaces(ctx, model.ModerationFilter{TakenDown: row.takenDown}, model.Page{Limit: 10})
		if check(t, err); found.TotalCount != row.want {
			t.Errorf("spaces: got %d, want %d", found.TotalCount, row.want)
		}
	}
}
