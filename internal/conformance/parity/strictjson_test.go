package parity

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
)

// raw sends a JSON document as it is written here, and returns the response.
func raw(c *api.Client, method, path, body string) string {
	c.T.Helper()
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	header.Set("Authorization", "Bearer "+c.Key)
	return string(c.Send(method, c.URL+path, header, strings.NewReader(body), int64(len(body))).Body)
}

// rawTool returns a call of a tool with arguments as they are written here.
func rawTool(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// quote returns a document as a JSON string, whose own escapes stay escapes.
func quote(document string) string {
	b, _ := json.Marshal(document) // never fails for a string
	return string(b)
}

// TestDoors_refuse_half_of_a_surrogate_pair sends each door a text that is none,
// in a field, in a literal, and inside of an object of the client's.
func TestDoors_refuse_half_of_a_surrogate_pair(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	alice := newPair(t, p, 0, doors[0].open).files
	space := restDoorSpace(t, alice)
	const half = `"\ud800"`
	for _, row := range []struct{ name, method, path, body, field string }{
		{"REST", "POST", "/v1/spaces", `{"title":` + half + `}`, "title"},
		{"REST wrapped", "POST", "/v1/user/create-space", `{"space_data":{"description":` + half + `}}`, "space_data.description"},
		{"REST entity", "POST", "/v1/spaces/" + space + "/entities", `{"entity_data":{"a":[{"label":` + half + `}]}}`, "entity_data.a.0.label"},
		{"REST kept field", "PUT", "/v1/spaces/" + space, `{"theme":{"name":` + half + `}}`, "theme.name"},
		{"REST ignored field", "POST", "/v1/files/upload", `{"x":` + half + `}`, "x"},
		{"GraphQL variable", "POST", "/graphql", `{"query":"mutation($in: CreateSpaceInput!) { createSpace(input: $in) { space { id } } }","variables":{"in":{"title":` + half + `}}}`, "title"},
		{"GraphQL object", "POST", "/graphql", `{"query":"mutation($in: CreateEntityInput!) { createEntity(input: $in) { created } }","variables":{"in":{"spaceId":"` + space + `","data":{"label":` + half + `}}}}`, "data.label"},
		{"GraphQL literal", "POST", "/graphql", `{"query":` + quote(`mutation { createSpace(input: { description: "ü", title: `+half+` }) { space { id } } }`) + `}`, "title"},
		{"GraphQL literal in an object", "POST", "/graphql", `{"query":` + quote(`mutation { createEntity(input: { spaceId: "`+space+`", data: { ok: "\u00e9", label: `+half+` } }) { created } }`) + `}`, "label"},
		{"GraphQL by GET", "GET", "/graphql?query=%7Bviewer%7Bid%7D%7D&variables=%7B%22a%22%3A%22%5Cud800%22%7D", "", "a"},
		{"MCP", "POST", "/v1/mcp", rawTool("create_space", `{"title":`+half+`}`), "title"},
		{"MCP object", "POST", "/v1/mcp", rawTool("create_entity", `{"spaceId":"`+space+`","entity_data":{"label":`+half+`}}`), "entity_data.label"},
		{"OAuth", "POST", "/register", `{"redirect_uris":["https://a.example/"],"client_name":` + half + `}`, "client_name"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := raw(alice, row.method, row.path, row.body)
			if want := row.field + " must not contain half of a surrogate pair"; !strings.Contains(got, want) ||
				!strings.ContainsAny(got[strings.Index(got, want)-1:][:1], `" `) {
				t.Errorf("response: got %s, want the refusal %q", got, want)
			}
		})
	}
	// Neither a refused text is stored nor U+FFFD instead of half a pair.
	if spaces, err := (restDoor{alice}).spaces(""); err != nil || len(spaces) != 1 {
		t.Errorf("spaces: got %d (%v), want 1", len(spaces), err)
	}
}

// TestDoors_match_names_exactly sends names of another case, which are unknown.
func TestDoors_match_names_exactly(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	alice := newPair(t, p, 0, doors[0].open).files
	space := restDoorSpace(t, alice)
	for _, row := range []struct{ name, method, path, body, want string }{
		{"REST", "POST", "/v1/user/create-space", `{"TITLE":"A","Space_Type":"hub"}`, `"title":"Untitled space","space_type":"infinite"`},
		{"REST wrapper", "POST", "/v1/user/create-space", `{"SPACE_DATA":{"title":"A"}}`, `"title":"Untitled space"`},
		{"REST entity", "POST", "/v1/spaces/" + space + "/entities", `{"ENTITY_ID":"x","Entity_Type":"T"}`, `"entity_type":"Simple"`},
		{"REST kept field", "PUT", "/v1/spaces/" + space, `{"Title":"kept"}`, `"Title":"kept"`},
		{"REST privacy", "PUT", "/v1/spaces/" + space, `{"PRIVACY":"Open"}`, `"privacy":"Closed"`},
		{"REST change set", "POST", "/v1/spaces/" + space + "/changeset?dryRun=1", `{"PUTS":[{"path":"space/room.json","content":"{\"a\":1}"}]}`, `"applied":[]`},
		{"REST list", "POST", "/v1/spaces/" + space + "/changeset?dryRun=1", `{"puts":[{"path":"space/room.json","CONTENT":"{}"}]}`, "The file needs either its content or the key of an uploaded file"},
		{"GraphQL", "POST", "/graphql", `{"Query":"{ viewer { id } }"}`, "query must be a string"},
		{"GraphQL variable", "POST", "/graphql", `{"query":"mutation($in: CreateSpaceInput!) { createSpace(input: $in) { space { id } } }","variables":{"in":{"TITLE":"A"}}}`, `"code":`},
		{"MCP", "POST", "/v1/mcp", rawTool("create_space", `{"TITLE":"A"}`), `"title":"Untitled space"`},
		{"MCP required", "POST", "/v1/mcp", rawTool("get_space", `{"spaceid":"`+space+`"}`), "spaceId is required"},
		{"MCP list", "POST", "/v1/mcp", rawTool("apply_changes", `{"spaceId":"`+space+`","puts":[{"path":"space/room.json","CONTENT":"{}"}]}`), "The file needs either its content or the key of an uploaded file"},
		{"OAuth", "POST", "/register", `{"Redirect_URIs":["https://a.example/"]}`, "invalid_redirect_uri"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := raw(alice, row.method, row.path, row.body); !strings.Contains(got, row.want) {
				t.Errorf("response: got %s, want %s in it", got, row.want)
			}
		})
	}
}

// restDoorSpace creates a space of the account and returns its id.
func restDoorSpace(t *testing.T, c *api.Client) string {
	t.Helper()
	space, err := restDoor{c}.createSpace(spaceInput{Title: "Room"})
	check(t, err)
	return space.ID
}
