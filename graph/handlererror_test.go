package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/graph/access"
	"portico/model"
	"portico/storage"
)

func TestHandler_responds_with_the_code_of_each_error(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	bobs := w.space(w.bob, model.SpaceInfinite)
	const create = `mutation($in: CreateUploadInput!) { createUpload(input: $in) { upload { url } } }`
	const complete = `mutation($url: URL!) { completeUpload(input: {fileUrl: $url}) { confirmation { __typename } } }`
	upload := func(name string, size any) string {
		return request(create, map[string]any{"in": map[string]any{"fileName": name, "fileSize": size, "contentType": "a/b"}})
	}
	for _, test := range []struct{ name, body, code, message string }{
		{"not found", request(`{ space(id: "x") { id } }`, nil), "NOT_FOUND", "Space not found"},
		{"FORBIDDEN", request(`{ space(id: "`+bobs.ID+`") { id } }`, nil), "FORBIDDEN", access.SpaceForbidden},
		{"INVALID", upload("a.exe", 1), "INVALID", ""},
		{"too large", upload("a.glb", testMaxFile+1), "TOO_LARGE", ""},
		{"in a field", request(`{ space(id: "`+space.ID+`") { entities(first: 0) { totalCount } } }`, nil), "INVALID", "first must be between 1 and 200"},
		{"a size that is not a number", upload("a.glb", "many"), "INVALID", "fileSize must be a whole number"},
		{"a size with a fraction", upload("a.glb", 1.5), "INVALID", "fileSize must be a whole number"},
		{"data that is not an object", request(`mutation($d: JSON!) { updateEntity(input: {spaceId: "x", entityId: "y", data: $d}) { entity { id } } }`, map[string]any{"d": []int{1}}), "INVALID", "data must be an object"},
		{"data that is not an object, in the text", request(`mutation { createSpace(input: {data: "x"}) { space { id } } }`, nil), "INVALID", "data must be an object"},
		{"an address that is not a string", request(complete, map[string]any{"url": map[string]any{"a": 1}}), "INVALID", "fileUrl must be a string"},
		{"an unknown value of an enum", request(`mutation { createSpace(input: {privacy: SECRET}) { space { id } } }`, nil), "GRAPHQL_VALIDATION_FAILED", ""},
		{"an unknown value of an enum, as a variable", request(`mutation($p: Privacy) { createSpace(input: {privacy: $p}) { space { id } } }`, map[string]any{"p": "Public"}), "INVALID", "Invalid privacy option"},
		{"a missing variable", request(create, nil), "INVALID", "input is required and must be an object"},
		{"a missing field of an input", request(create, map[string]any{"in": map[string]any{"fileName": "a.glb"}}), "INVALID", "fileSize is required"},
		{"an unknown field", request(`{ viewer { emial } }`, nil), "GRAPHQL_VALIDATION_FAILED", `Cannot query field "emial" on type "User".`},
		{"syntax", request(`{ viewer {`, nil), "GRAPHQL_PARSE_FAILED", ""},
		{"no operation", request(``, nil), "GRAPHQL_VALIDATION_FAILED", "no operation provided"},
		{"an unknown operation", `{"query":"query A { viewer { id } }","operationName":"B"}`, "GRAPHQL_VALIDATION_FAILED", "operation B not found"},
		{"a batch", `[{"query":"{ viewer { id } }"}]`, "INVALID", "Batches are not supported. Send one operation at a time"},
		{"invalid JSON", `{`, "INVALID", "The request is not valid JSON"},
		{"a large body", `{"query":"` + strings.Repeat(" ", 1<<20) + `"}`, "TOO_LARGE", "Body is larger than 1048576 bytes"},
		{"a subscription", request(`subscription { job(id: "x") { id } }`, nil), "INVALID", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, message := w.refused(w.alice, test.body)
			equal(t, "code", code, test.code)
			if test.message != "" {
				equal(t, "message", message, test.message)
			}
		})
	}
	t.Cleanup(func() { equal(t, "log", w.log.String(), "") })
}

func TestInternalErrors_show_only_their_path_and_are_logged_once(t *testing.T) {
	t.Parallel()
	t.Run("of a root field", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.exec("ALTER TABLE jobs RENAME TO jobs_away")
		_, response := w.ask(w.alice, request(`{ jobs { totalCount } viewer { email } }`, nil))
		equal(t, "response", response, `{"errors":[{"message":"Internal server error","path":["jobs"],"locations":[{"line":1,"column":3}],"extensions":{"code":"INTERNAL"}}],"data":{"jobs":null,"viewer":{"email":"alice@example.com"}}}`)
		equal(t, "lines in the log", strings.Count(w.log.String(), "\n"), 1)
		if !strings.Contains(w.log.String(), `relation \"jobs\" does not exist`) {
			t.Errorf("log: got %s, want the cause", w.log)
		}
	})
	t.Run("of a field in a list", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.space(w.alice, model.SpaceInfinite)
		w.space(w.alice, model.SpaceInfinite)
		w.exec("ALTER TABLE entities RENAME TO entities_away")
		_, response := w.ask(w.alice, request(`{ spaces { nodes { all: entities { totalCount } } } }`, nil))
		got := read(t, response)
		paths := map[string]bool{}
		for _, e := range got.Errors {
			equal(t, "message", e.Message, "Internal server error")
			paths[fmt.Sprint(e.Path)] = true
		}
		if !paths["[spaces nodes 0 all]"] || !paths["[spaces nodes 1 all]"] || len(got.Errors) != 2 {
			t.Errorf("errors: got %s, want one for each node", response)
		}
		equal(t, "lines in the log", strings.Count(w.log.String(), "\n"), 2)
	})
	t.Run("of a panic", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.file(w.alice, "a.glb")
		w.useStore(struct{ storage.Store }{}) // has no methods
		_, response := w.ask(w.alice, request(`{ files { nodes { url } } }`, nil))
		equal(t, "response", response, `{"errors":[{"message":"Internal server error","path":["files","nodes",0,"url"],"extensions":{"code":"INTERNAL"}}],"data":{"files":null}}`)
		equal(t, "panics in the log", strings.Count(w.log.String(), "panic: "), 1)
		if !strings.Contains(w.log.String(), "graph/address.go") {
			t.Errorf("log: got %s, want the stack", w.log)
		}
	})
}
