package db

import (
	"fmt"
	"testing"

	"portico/model"
)

// A reporter counts once for a space and day, and nobody can fill the list.
func TestAddReport_counts_a_reporter_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	space := publicSpace(t, db, user, "reported")
	add := func(space *model.Space, reporter string, want bool) {
		t.Helper()
		in := model.ReportSpace{SpaceID: space.ID, Reason: model.ReportSpam, Text: "from " + reporter}
		if got, err := db.Moderation().AddReport(ctx, in, reporter); err != nil || got != want {
			t.Errorf("report of %s by %s: got %v, %v, want %v", space.Title, reporter, got, err, want)
		}
	}
	add(space, "visitor-a", true)
	add(space, "visitor-a", false)
	add(space, "visitor-b", true)
	for i := range maxReportsByReporter - 1 {
		add(publicSpace(t, db, user, fmt.Sprint("space ", i)), "visitor-a", true)
	}
	add(publicSpace(t, db, user, "one more"), "visitor-a", false)
	for i := range maxReportsOfSpace - 2 {
		add(space, fmt.Sprint("visitor-", i), true)
	}
	add(space, "visitor-late", false)

	isTrue := true
	filter := model.ModerationFilter{Reported: &isTrue, Search: "reported"}
	found, err := db.Moderation().ModeratedSpaces(ctx, filter, model.Page{Limit: 10})
	check(t, err)
	if len(found.Nodes) != 1 || found.Nodes[0].OpenReports != maxReportsOfSpace || len(found.Nodes[0].Reports) != maxShownReports {
		t.Fatalf("reported spaces: got %v, want the one with all its reports counted", found.Nodes)
	}
	if found.Nodes[0].OwnerEmail != user.Email || found.Nodes[0].Takedown() != nil {
		t.Errorf("space: got %+v, want its owner and no takedown", found.Nodes[0])
	}
	check(t, db.Moderation().CloseReports(ctx, space.ID))
	check(t, db.Moderation().CloseReports(ctx, space.ID))
	if found, err = db.Moderation().ModeratedSpaces(ctx, filter, model.Page{Limit: 10}); err != nil || found.TotalCount != 0 {
		t.Errorf("after closing: got %v, %v, want none", found, err)
	}
}
