package graph_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portico/graph/limits"
	"portico/model"
)

// large returns an object of about a megabyte.
func large() model.Object {
	return model.Object(`{"text":"` + strings.Repeat("x", 900_000) + `"}`)
}

// hoard creates twenty spaces of alice with a large entity each, and returns the id of one.
func (w *world) hoard() string {
	w.t.Helper()
	w.makeRoom()
	var id string
	for range 20 {
		space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{})
		check(w.t, err)
		id = space.ID
		name := "e0"
		_, err = w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: id, EntityID: &name, Data: large()})
		check(w.t, err)
	}
	return id
}

func TestAnswers_are_bounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.hoard()
	text := strings.Repeat(`\"`, 10_000)
	w.query(w.alice, `mutation($t: String!) { updateSpace(input: {spaceId: "`+id+`", description: $t}) { space { id } } }`, map[string]any{"t": text})
	nodes := func(aliases int) string {
		return aliasedFields("nodes { data }", aliases)
	}
	for _, test := range []struct{ name, query, code string }{
		{"data under two names", `{ spaces(first: 10) { nodes { entities(first: 1) { ` + nodes(2) + ` } } } }`, "TOO_LARGE"},
		{"data under thirty names", `{ space(id: "%s") { entities { ` + nodes(30) + ` } } }`, limits.CodeComplexity},
		{"names in fragments", `{ space(id: "%s") { entities { ...a ...b } } }
			fragment a on EntityConnection { ` + nodes(15) + ` } fragment b on EntityConnection { ` + strings.ReplaceAll(nodes(15), " a", " b") + ` }`, limits.CodeComplexity},
		{"pages in pages", `{ spaces(first: 20) { nodes { id entities(first: 1) { nodes { data } } } } }`, "TOO_LARGE"},
		{"pages of which nothing is shown", `{ spaces(first: 20) { nodes { id entities(first: 1) { nodes { entityId } } } } }`, "TOO_LARGE"},
		{"one page", `{ space(id: "%s") { entities { nodes { data } } } }`, ""},
		{"ten names of a small field", `{ space(id: "%s") { ` + aliasedFields("title", 10) + ` } }`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			status, response := w.ask(w.alice, request(strings.ReplaceAll(test.query, "%s", id), nil))
			if len(response) > model.MaxResponse {
				t.Errorf("response: got %d bytes, want at most %d", len(response), model.MaxResponse)
			}
			got := read(t, response)
			if test.code == "" {
				if len(got.Errors) != 0 {
					t.Errorf("response: got %d %.300s, want no errors", status, response)
				}
				return
			}
			if len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != test.code || strings.Contains(response, `"data"`) {
				t.Errorf("response: got %.500s, want one error %s and no data", response, test.code)
			}
		})
	}
}

// aliasedFields returns a selection of a field with n aliases.
func aliasedFields(field string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, field)
	}
	return b.String()
}

// A page ends at its maximum size in bytes, and the next page starts there.
func TestEntities_page_by_bytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.hoard()
	for _, name := range []string{"e1", "e2"} {
		_, err := w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: id, EntityID: &name, Data: large()})
		check(t, err)
	}
	var cursor *string
	var sizes []int
	for {
		var got struct {
			Space struct{ Entities model.EntityConnection }
		}
		response := w.query(w.alice, `query($after: String) { space(id: "`+id+`") {
			entities(first: 200, after: $after) { nodes { entityId } pageInfo { hasNextPage endCursor } } } }`, map[string]any{"after": cursor})
		check(t, json.Unmarshal([]byte(response), &got))
		sizes = append(sizes, len(got.Space.Entities.Nodes))
		if !got.Space.Entities.PageInfo.HasNextPage {
			break
		}
		cursor = got.Space.Entities.PageInfo.EndCursor
	}
	if got, want := fmt.Sprint(sizes), "[1 1 1]"; got != want {
		t.Errorf("entities of the pages: got %s, want %s", got, want)
	}
}

func TestLimits_of_aliases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, message := w.refused(w.alice, request("{ "+strings.Repeat("a", limits.MaxAlias+1)+": __typename }", nil))
	equal(t, "message", message, "An alias is longer than 100 bytes")
	w.query(w.alice, "{ "+strings.Repeat("a", limits.MaxAlias)+": __typename }", nil)
	// Other arguments are another field.
	status, response := w.ask(w.alice, request("{ "+pages(20)+" }", nil))
	equal(t, "status", status, http.StatusOK)
	if strings.Contains(response, limits.CodeComplexity) {
		t.Errorf("twenty pages: got %.300s, want them", response)
	}
}

// pages returns a selection of n pages of different sizes.
func pages(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: spaces(first: %d) { nodes { id title } }", i, i+1)
	}
	return b.String()
}
