package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// connectionPage is a page of a connection as a client reads it.
type connectionPage struct {
	Edges []struct {
		Cursor string
		Node   struct{ Title, EntityID, Name, Status string }
	}
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
	TotalCount int
}

func (p connectionPage) String() string {
	names := make([]string, len(p.Edges))
	for i, edge := range p.Edges {
		names[i] = edge.Node.Title + edge.Node.EntityID + edge.Node.Name + edge.Node.Status
	}
	return fmt.Sprintf("%s %t %t", strings.Join(names, ""), p.PageInfo.HasPreviousPage, p.PageInfo.HasNextPage)
}

// connection reads a page of alice's: list is the field with its arguments, node the field
// of the node, parent what stands around the list.
func (w *world) connection(parent, list, node string) connectionPage {
	w.t.Helper()
	text := list + ` { edges { cursor node { ` + node + ` } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }`
	if parent != "" {
		text = parent + " { " + text + " }"
	}
	response := w.query(w.alice, "{ "+text+" }", nil)
	var data map[string]json.RawMessage
	check(w.t, json.Unmarshal([]byte(response), &data))
	if parent != "" {
		for _, object := range data {
			data = nil
			check(w.t, json.Unmarshal(object, &data))
		}
	}
	var page connectionPage
	for _, object := range data {
		check(w.t, json.Unmarshal(object, &page))
	}
	if n := len(page.Edges); n > 0 {
		equal(w.t, "start cursor", *page.PageInfo.StartCursor, page.Edges[0].Cursor)
		equal(w.t, "end cursor", *page.PageInfo.EndCursor, page.Edges[n-1].Cursor)
	}
	return page
}

// lettered creates five spaces A to E of alice in this order, the entities a to e in A, and five
// files. B and D are Public. The last change is the entity e, so A changes last.
func (w *world) lettered() (first *model.Space) {
	w.t.Helper()
	var last *model.Entity
	for i, title := range []string{"A", "B", "C", "D", "E"} {
		privacy := model.Private
		if i%2 == 1 {
			privacy = model.Public
		}
		space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: &title}, Privacy: &privacy})
		check(w.t, err)
		if first == nil {
			first = space
		}
		in := model.CreateEntity{SpaceID: first.ID, EntityID: ptr(strings.ToLower(title))}
		if i < 2 {
			in.Type = ptr("Light")
		}
		put, err := w.put(in)
		check(w.t, err)
		last = put.Entity
		w.file(w.alice, title+".glb")
	}
	eventually(w.t, "the last change of A is stored", func() bool {
		return !w.mustSpace(first).TouchedAt.Before(last.ChangedAt.Truncate(time.Microsecond))
	})
	return first
}

// TestConnections_page_in_both_directions walks each list from both of its ends.
func TestConnections_page_in_both_directions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	first := w.lettered()
	for _, list := range []struct{ name, parent, args, node, want string }{
		{"spaces", "", "", "title", "EDCBA"},
		{"spaces", "", "orderBy: {field: CREATED_AT, direction: ASC}, ", "title", "ABCDE"},
		{"spaces", "", "orderBy: {field: TITLE, direction: ASC}, ", "title", "ABCDE"},
		{"spaces", "", "orderBy: {field: TITLE}, ", "title", "EDCBA"},
		{"spaces", "", "orderBy: {field: VISIT_COUNT}, ", "title", "EDCBA"},
		{"spaces", "", "orderBy: {field: CHANGED_AT, direction: ASC}, ", "title", "BCDEA"},
		{"files", "", "", "name", "E.glbD.glbC.glbB.glbA.glb"},
		{"files", "", "orderBy: {field: NAME, direction: ASC}, ", "name", "A.glbB.glbC.glbD.glbE.glb"},
		{"files", "", "orderBy: {field: SIZE}, ", "name", "E.glbD.glbC.glbB.glbA.glb"},
		{"entities", `space(id: "` + first.ID + `")`, "", "entityId", "abcde"},
		{"entities", `space(id: "` + first.ID + `")`, "orderBy: {field: CREATED_AT, direction: DESC}, ", "entityId", "edcba"},
		{"entities", `space(id: "` + first.ID + `")`, "orderBy: {field: CHANGED_AT}, ", "entityId", "abcde"},
	} {
		t.Run(list.name+" "+list.args, func(t *testing.T) {
			t.Parallel()
			size := len(list.want) / 5
			want := func(from, to int, previous, next bool) string {
				return fmt.Sprintf("%s %t %t", list.want[from*size:to*size], previous, next)
			}
			read := func(args string) connectionPage {
				return w.connection(list.parent, list.name+"("+list.args+args+")", list.node)
			}
			one := read("first: 2")
			equal(t, "first page", one.String(), want(0, 2, false, true))
			equal(t, "total", one.TotalCount, 5)
			two := read(`first: 2, after: "` + *one.PageInfo.EndCursor + `"`)
			equal(t, "second page", two.String(), want(2, 4, true, true))
			three := read(`first: 2, after: "` + *two.PageInfo.EndCursor + `"`)
			equal(t, "last page", three.String(), want(4, 5, true, false))
			none := read(`first: 2, after: "` + *three.PageInfo.EndCursor + `"`)
			equal(t, "page behind the last", none.String(), " true false")
			last := read("last: 2")
			equal(t, "last two", last.String(), want(3, 5, true, false))
			before := read(`last: 2, before: "` + *last.PageInfo.StartCursor + `"`)
			equal(t, "two before them", before.String(), want(1, 3, true, true))
			start := read(`last: 2, before: "` + *before.PageInfo.StartCursor + `"`)
			equal(t, "the first", start.String(), want(0, 1, false, true))
			between := read(`first: 5, after: "` + one.Edges[0].Cursor + `", before: "` + last.Edges[1].Cursor + `"`)
			equal(t, "between the ends", strings.Fields(between.String())[0], list.want[size:4*size])
		})
	}
}

// TestConnections_filter has a row for each field of a filter.
func TestConnections_filter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	first := w.lettered()
	w.find(w.file(w.alice, "X.spz"), model.FileFacts{Format: model.FormatSPZ})
	job := w.job(w.alice)
	_, err := w.Mutation().CancelJob(w.alice.ctx, job.ID)
	check(t, err)
	w.job(w.alice)
	changed, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: first.ID, SpaceTextInput: model.SpaceTextInput{Description: ptr("A needle")}})
	check(t, err)
	field := `space(id: "` + first.ID + `")`
	for _, test := range []struct{ parent, list, node, want string }{
		{"", `spaces(filter: {text: "needle"})`, "title", "A"},
		{"", `spaces(filter: {privacy: [PUBLIC]})`, "title", "DB"},
		{"", `spaces(filter: {privacy: [PUBLIC, PRIVATE]}, first: 5)`, "title", "EDCBA"},
		{"", `spaces(filter: {changedSince: "` + changed.ChangedAt.String() + `"})`, "title", "A"},
		{"", `publicSpaces(filter: {text: "d"})`, "title", "D"},
		{"", `files(filter: {format: [SPZ]})`, "name", "X.spz"},
		{"", `jobs(filter: {status: [FAILED]})`, "status", "FAILED"},
		{"", `jobs(filter: {status: [QUEUED, FAILED]})`, "status", "QUEUEDFAILED"},
		{field, `entities(filter: {type: ["Light"]})`, "entityId", "ab"},
		{field, `entities(filter: {type: ["Light", "Simple"]}, last: 2)`, "entityId", "de"},
	} {
		t.Run(test.list, func(t *testing.T) {
			t.Parallel()
			equal(t, "found", strings.Fields(w.connection(test.parent, test.list, test.node).String())[0], test.want)
		})
	}
}

// TestConnections_refuse_sizes_alike checks that sizes below and above the limits are
// refused with the same error, which names the argument.
func TestConnections_refuse_sizes_alike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, argument := range []string{"first", "last"} {
		for _, size := range []int{0, -1, 201} {
			_, response := w.ask(w.alice, request(fmt.Sprintf("{ spaces(%s: %d) { totalCount } }", argument, size), nil))
			got := read(t, response)
			equal(t, "message", got.Errors[0].Message, argument+" must be between 1 and 200")
			equal(t, "field", fmt.Sprint(got.Errors[0].Extensions["field"]), "["+argument+"]")
		}
	}
	ordered := w.connection("", `spaces(first: 1)`, "title")
	equal(t, "no rows", ordered.String(), strings.Repeat(" false", 2))
}
