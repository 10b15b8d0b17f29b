package graph_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/db"
	"portico/graph/door"
	"portico/model"
)

// tracedWorld returns a world whose SQL statements are recorded.
func tracedWorld(t *testing.T) (*world, *tracetest.SpanRecorder) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	w := serveWorld(t, door.HandlerOptions{Tracer: tracer})
	traced, err := db.Open(t.Context(), db.Options{URL: w.url, Connections: 4, Logger: slog.New(slog.DiscardHandler), Tracer: tracer})
	check(t, err)
	t.Cleanup(func() { check(t, traced.Close()) })
	w.useDB(traced)
	return w, recorder
}

// statements executes a query of alice's and returns how many SQL statements its fields
// needed, without those that find the caller.
func (w *world) statements(recorder *tracetest.SpanRecorder, query string) int {
	w.t.Helper()
	recorder.Reset()
	w.query(w.alice, query, nil)
	count := 0
	for _, span := range recorder.Ended() {
		if strings.HasPrefix(span.Name(), "SELECT") {
			count++
		}
	}
	return count
}

// TestEdges_need_one_statement_for_a_page reads lists of one and of many rows with the
// objects that the rows belong to: the number of statements is the same.
func TestEdges_need_one_statement_for_a_page(t *testing.T) {
	t.Parallel()
	w, recorder := tracedWorld(t)
	w.makeRoom()
	privacy := model.Public
	for range 12 {
		file := w.file(w.alice, "a.glb")
		_, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{ResourceKey: &file.ResourceKey, Privacy: &privacy})
		check(t, err)
	}
	for range 3 {
		job := w.job(w.alice)
		w.claim(job)
		w.finish(job)
	}
	first := w.space(w.alice, model.SpaceInfinite)
	for _, file := range w.filesOf(w.alice) {
		_, err := w.put(model.CreateEntity{SpaceID: first.ID, ResourceKey: &file.ResourceKey})
		check(t, err)
	}
	for _, test := range []struct {
		query string
		want  int
	}{
		{`{ spaces(first: %d) { nodes { owner { name } } } }`, 2},
		{`{ spaces(first: %d) { edges { node { owner { id } } } } }`, 2},
		{`{ spaces(first: %d) { nodes { owner { email plan } } } }`, 3},
		{`{ spaces(first: %d) { nodes { posters { url } turntable { url } } } }`, 2},
		{`{ spaces(first: %d) { nodes { entities { totalCount nodes { entityId } } } } }`, 2},
		{`{ spaces(first: %d) { nodes { entities(first: 1) { nodes { space { owner { name } } file { id } } } } } }`, 5},
		{`{ spaces(first: %d) { nodes { a: entities(first: 1) { totalCount } b: entities(last: 1) { totalCount } } } }`, 3},
		{`{ spaces(first: %d) { nodes { entities(filter: {type: "Simple"}, orderBy: {field: CHANGED_AT}) { totalCount } } } }`, 2},
		{`{ publicSpaces(first: %d) { nodes { owner { spaces(first: 2) { nodes { title entities { totalCount } } } } } } }`, 4},
		{`{ space(id: "` + first.ID + `") { entities(first: %d) { nodes { space { title } file { viewUrl posterUrl attribution } } } } }`, 4},
		{`{ files(first: %d) { nodes { usedBy { totalCount nodes { id } } } } }`, 2},
		{`{ files(first: %d) { nodes { usedBy { nodes { space { title entities(first: 1) { totalCount } } } } } } }`, 4},
		{`{ jobs(first: %d) { nodes { file { id } } } }`, 2},
	} {
		one := w.statements(recorder, fmt.Sprintf(test.query, 1))
		many := w.statements(recorder, fmt.Sprintf(test.query, 12))
		if one != test.want || many != test.want {
			t.Errorf("%s: got %d statements for one row and %d for 12, want %d", test.query, one, many, test.want)
		}
	}
}

func (w *world) filesOf(who account) []*model.File {
	w.t.Helper()
	page, err := w.Query().Files(who.ctx, nil, nil)
	check(w.t, err)
	return page.Nodes
}

// TestEdges_follow_rights checks which objects around a space other accounts see.
func TestEdges_follow_rights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file, bobs := w.file(w.alice, "a.glb"), w.file(w.bob, "b.glb")
	space := w.open(w.alice, model.Public)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("own"), ResourceKey: &file.ResourceKey})
	check(t, err)
	_, err = w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("foreign"), Data: model.NewGLBURL(w.FileURL(bobs))})
	check(t, err)
	query := `{ space(id: "` + space.ID + `") { owner { userId email } entities { nodes { entityId file { id name usedBy { nodes { entityId } } } space { spaceId } } } } }`
	want := func(email, usedBy string) string {
		return fmt.Sprintf(`{"space":{"owner":{"userId":"%s","email":%s},"entities":{"nodes":[`+
			`{"entityId":"own","file":{"id":"%s","name":"a.glb","usedBy":%s},"space":{"spaceId":"%s"}},`+
			`{"entityId":"foreign","file":null,"space":{"spaceId":"%[5]s"}}]}}}`, w.alice.id, email, file.NodeID(), usedBy, space.ID)
	}
	equal(t, "for the owner", w.query(w.alice, query, nil), want(`"alice@example.com"`, `{"nodes":[{"entityId":"own"}]}`))
	equal(t, "for another user", w.query(w.bob, query, nil), want(`null`, `{"nodes":[]}`))
	_, err = w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
	check(t, err)
	gone := w.query(w.bob, `{ space(id: "`+space.ID+`") { entities(first: 1) { nodes { file { id } } } } }`, nil)
	equal(t, "once the file is deleted", gone, `{"space":{"entities":{"nodes":[{"file":null}]}}}`)
}

// A file is used by an entity that refers to it in any field, by its address or its resource key.
func TestFile_is_used_by_each_entity_that_refers_to_it(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file, space := w.file(w.alice, "room.jpg"), w.space(w.alice, model.SpaceInfinite)
	address := w.FileURL(file)
	gate := `"dynamicGate": {"position": {"x": 0, "y": 0, "z": 0}, "rotation": {"x": 0, "y": 0, "z": 0}}`
	for _, row := range []struct{ id, kind, data string }{
		{"both", model.TypeSimple, `{"glbUrl": "` + address + `", "params": {"picture": "` + address + `"}}`},
		{"plugin", model.TypeSimple, `{"glbUrl": "https://example.com/lamp.mjs", "params": {"pictures": ["` + file.ResourceKey + `"]}}`},
		{"gate", model.TypeDynamicGate, `{"videoURL": "` + address + `", ` + gate + `}`},
		{"another", model.TypeSimple, `{"picture": "` + address[:len(address)-len(file.ResourceKey)] + `api_uploads/other_room.jpg"}`},
	} {
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &row.id, Type: &row.kind, Data: model.Object(row.data)})
		check(t, err)
	}
	used := func() string {
		return w.query(w.alice, `{ files { nodes { usedBy { totalCount nodes { entityId } } } } }`, nil)
	}
	equal(t, "used by", used(), `{"files":{"nodes":[{"usedBy":{"totalCount":3,"nodes":[{"entityId":"gate"},{"entityId":"plugin"},{"entityId":"both"}]}}]}}`)
	_, err := w.merge(space, "gate", `{"videoURL": ""}`)
	check(t, err)
	equal(t, "without the picture", used(), `{"files":{"nodes":[{"usedBy":{"totalCount":2,"nodes":[{"entityId":"plugin"},{"entityId":"both"}]}}]}}`)
}

// The picture of a space is the poster of the first file that has one.
func TestSpace_has_the_first_poster(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	lamp, room, later := w.file(w.alice, "lamp.mjs"), w.file(w.alice, "room.spz"), w.file(w.alice, "later.spz")
	for _, file := range []*model.File{lamp, room, later} {
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
		check(t, err)
	}
	query := `{ space(id: "` + space.ID + `") { posters { width url } turntable { width height frames url } } }`
	equal(t, "before a poster is drawn", w.query(w.bob, query, nil), `{"space":{"posters":[],"turntable":null}}`)
	for width, file := range map[int]*model.File{640: room, 320: later} {
		posters := &model.Posters{Sizes: []model.StoredPoster{{Key: file.DerivedRoot() + "poster.webp", Width: width, Height: 200, Bytes: 10}}}
		posters.Turntable = &model.StoredTurntable{
			StoredPoster: model.StoredPoster{Key: file.DerivedRoot() + "turntable.jpg", Width: 384, Height: 240, Bytes: 20}, Frames: model.TurntableFrames,
		}
		_, err := w.db.Files().SetPosters(t.Context(), file, posters)
		check(t, err)
	}
	drawn := w.query(w.bob, query, nil)
	if !strings.Contains(drawn, `{"posters":[{"width":640,`) || !strings.Contains(drawn, room.DerivedRoot()) {
		t.Errorf("posters: got %s, want the one of %s", drawn, room.Name)
	}
	turntable := `"turntable":{"width":384,"height":240,"frames":24,"url":"` + w.store.PublicURL(room.UserID+"/"+room.DerivedRoot()+"turntable.jpg") + `"}`
	if !strings.Contains(drawn, turntable) {
		t.Errorf("turntable: got %s, want %s", drawn, turntable)
	}
	own := w.query(w.alice, `{ file(id: "`+model.NodeID(model.NodeFile, room.ResourceKey)+`") { derivedBytes turntable { width height frames url } } }`, nil)
	equal(t, "the file", own, `{"file":{"derivedBytes":30,`+turntable+`}}`)
}

// The test has a row for each viewer of a Public space.
func TestSpace_reports_viewerIsOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	for _, row := range []struct {
		name   string
		viewer account
		want   bool
	}{{"the owner", w.alice, true}, {"another user", w.bob, false}, {"anonymous", account{ctx: t.Context()}, false}} {
		got := w.query(row.viewer, `{ space(id: "`+space.ID+`") { viewerIsOwner } }`, nil)
		equal(t, row.name, got, fmt.Sprintf(`{"space":{"viewerIsOwner":%t}}`, row.want))
	}
}

func TestEntity_needs_one_statement(t *testing.T) {
	t.Parallel()
	w, recorder := tracedWorld(t)
	for _, owner := range []account{w.alice, w.bob} { // alice reads her own, and another's
		space := w.space(owner, model.SpaceInfinite)
		w.exec("UPDATE spaces SET privacy = 'Link Only' WHERE id = '" + space.ID + "'")
		id := "chair"
		_, err := w.Mutation().CreateEntity(owner.ctx, model.CreateEntity{SpaceID: space.ID, EntityID: &id})
		check(t, err)
		query := fmt.Sprintf(`{ entity(spaceId: %q, entityId: "chair") { data version } }`, space.ID)
		if got := w.statements(recorder, query); got != 1 {
			t.Errorf("space %s: got %d statements, want 1", space.ID, got)
		}
	}
}

// The days of a whole list are read in one statement.
func TestVisitsByDay_shows_the_days_only_to_the_owner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	w.query(w.bob, `mutation { recordVisit(input: {spaceId: "`+space.NodeID()+`"}) { space { visitCount } } }`, nil)
	days := `{ space(id: "` + space.ID + `") { visitsByDay { visits } } }`
	equal(t, "owner", w.query(w.alice, days, nil), `{"space":{"visitsByDay":[{"visits":1}]}}`)
	equal(t, "visitor", w.query(w.bob, days, nil), `{"space":{"visitsByDay":null}}`)
	for _, wrong := range []string{"0", "91"} {
		code, message := w.refused(w.alice, `{"query":"{ space(id: \"`+space.ID+`\") { visitsByDay(days: `+wrong+`) { day } } }"}`)
		equal(t, wrong+" days", code+" "+message, "INVALID days must be between 1 and 90")
	}
}
