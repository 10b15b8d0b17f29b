package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"portico/graph/access"
	"portico/model"
)

// trail returns what is recorded about the account, newest first, from its key on.
func (w *world) trail(who account) (events []string) {
	w.t.Helper()
	page, err := w.db.Audit().SecurityEvents(w.t.Context(), who.id, model.Page{Limit: 200})
	check(w.t, err)
	for _, event := range page.Nodes {
		if event.Type == model.EventKeyCreated { // the world's own
			break
		}
		events = append(events, strings.Join([]string{string(event.Type), event.Subject, event.Detail()}, "|"))
	}
	return events
}

func TestTrail_of_what_is_deleted_and_published(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	title, open := "Hall", model.Public
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: &title}})
	check(t, err)
	file := w.file(w.alice, "a.glb")
	_, err = w.Mutation().UpdateSpacePrivacy(w.alice.ctx, model.UpdateSpacePrivacy{SpaceID: space.ID, Privacy: model.LinkOnly})
	check(t, err)
	for range 2 { // the second changes nothing
		_, err = w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: &open})
		check(t, err)
	}
	_, err = w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &title}})
	check(t, err)
	_, err = w.Mutation().DeleteSpace(w.bob.ctx, space.ID)
	checkError(t, err, model.CodeForbidden, access.SpaceForbidden)
	for range 2 { // the second finds nothing
		_, _ = w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
		_, _ = w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
	}
	want := []string{
		"file-deleted|" + file.ResourceKey + "|a.glb",
		"space-deleted|" + space.ID + "|Hall",
		"privacy-changed|" + space.ID + "|Hall: Link Only to Public",
		"privacy-changed|" + space.ID + "|Hall: Private to Link Only",
	}
	if got := w.trail(w.alice); !slices.Equal(got, want) {
		t.Errorf("trail:\ngot  %q\nwant %q", got, want)
	}
	if got := w.trail(w.bob); len(got) != 0 {
		t.Errorf("trail of who was refused: got %q, want nothing", got)
	}
}

func TestSecurityEvents_lists_what_the_account_did(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
	check(t, err)
	const query = `query($after: String) { viewer { securityEvents(first: 1, after: $after) {
		totalCount pageInfo { hasNextPage endCursor } edges { cursor } nodes { type method door address subject } } } }`
	end := model.Cursor(w.sequenceOf(w.alice, model.EventSpaceDeleted))
	equal(t, "first page", w.query(w.alice, query, nil), `{"viewer":{"securityEvents":{"totalCount":3,`+
		`"pageInfo":{"hasNextPage":true,"endCursor":"`+end+`"},"edges":[{"cursor":"`+end+`"}],`+
		`"nodes":[{"type":"SPACE_DELETED","method":"","door":"","address":"","subject":"`+space.ID+`"}]}}}`)
	got := w.query(w.alice, query, map[string]any{"after": end})
	if !strings.Contains(got, `"type":"KEY_CREATED"`) {
		t.Errorf("second page: got %s, want the key of the account", got)
	}
	got = w.query(w.bob, `{ viewer { securityEvents { totalCount nodes { type } } } }`, nil)
	equal(t, "another account", got, `{"viewer":{"securityEvents":{"totalCount":2,"nodes":[{"type":"KEY_CREATED"},{"type":"ACCOUNT_CREATED"}]}}}`)
	if code, _ := w.refused(w.alice, `{"query":"{ viewer { securityEvents(first: 0) { totalCount } } }"}`); code != "INVALID" {
		t.Errorf("a page of none: got code %q, want invalid", code)
	}
}

// sequenceOf returns the place of the account's one event of a type.
func (w *world) sequenceOf(who account, kind model.SecurityEventType) int64 {
	w.t.Helper()
	page, err := w.db.Audit().SecurityEvents(w.t.Context(), who.id, model.Page{Limit: 200})
	check(w.t, err)
	for _, event := range page.Nodes {
		if event.Type == kind {
			return event.Sequence
		}
	}
	w.t.Fatalf("no event of type %s", kind)
	return 0
}

// Clients say in their own language what happened, so an event has it as data.
func TestSecurityEvents_say_what_happened_as_data(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	title := "Doors: Public to Private"
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: &title}})
	check(t, err)
	_, err = w.Mutation().UpdateSpacePrivacy(w.alice.ctx, model.UpdateSpacePrivacy{SpaceID: space.ID, Privacy: model.LinkOnly})
	check(t, err)
	check(t, w.db.Moderation().TakeDown(t.Context(), model.ReportSpace{SpaceID: space.ID, Reason: model.ReportSpam}))
	user, err := w.db.Accounts().User(t.Context(), w.alice.id)
	check(t, err)
	plan, quota := model.PlanFree, user.Quota+1
	_, err = w.db.Accounts().SetLimits(t.Context(), w.alice.id, &plan, &quota)
	check(t, err)
	check(t, w.db.Audit().AddSecurityEvent(t.Context(),
		model.NewSecurityEvent(t.Context(), model.EventSignInFailed, w.alice.id).WithReason(model.EventReasonWrongCode)))
	got := w.query(w.alice, `{ viewer { securityEvents(first: 4) {
		nodes { title reason takedownReason changes { field before after } detail } } } }`, nil)
	const nothing = `"title":"","reason":null,"takedownReason":null,`
	equal(t, "events", got, `{"viewer":{"securityEvents":{"nodes":[`+
		`{"title":"","reason":"WRONG_CODE","takedownReason":null,"changes":[],"detail":"Wrong one-time code"},`+
		fmt.Sprintf(`{`+nothing+`"changes":[{"field":"PLAN","before":"PRO","after":"FREE"},{"field":"STORAGE","before":"%d","after":"%d"}],`+
			`"detail":"Plan pro to free, storage %[1]d to %[2]d bytes"},`, user.Quota, quota)+
		`{"title":"Doors: Public to Private","reason":null,"takedownReason":"SPAM","changes":[],"detail":"Doors: Public to Private: spam"},`+
		`{"title":"Doors: Public to Private","reason":null,"takedownReason":null,"changes":[{"field":"PRIVACY","before":"PRIVATE","after":"LINK_ONLY"}],`+
		`"detail":"Doors: Public to Private: Private to Link Only"}]}}}`)
}
