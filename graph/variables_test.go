package graph_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"portico/graph/limits"
	"portico/model"
)

// variables returns the body of a request with variables in JSON.
func variables(query, values string) string {
	text, err := json.Marshal(query)
	if err != nil {
		panic(err) // a string
	}
	return `{"query":` + string(text) + `,"variables":` + values + `}`
}

const (
	createSpaceQuery  = `mutation ($in: CreateSpaceInput!) { createSpace(input: $in) { space { title } } }`
	createUploadQuery = `mutation ($in: CreateUploadInput!) { createUpload(input: $in) { upload { url } } }`
	updateEntityQuery = `mutation ($in: UpdateEntityInput!) { updateEntity(input: $in) { entity { id } } }`
	updatePrivacy     = `mutation ($in: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $in) { space { id } } }`
	privacyRefused    = model.PrivacyInvalid
)

func TestVariables_of_another_JSON_type_are_refused_by_name(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const titleAlone = `mutation ($t: String) { createSpace(input: {title: $t}) { space { id } } }`
	const page = `query ($n: Int) { spaces(first: $n) { nodes { id } } }`
	for _, test := range []struct{ name, query, values, message, field string }{
		{"a number for a text", createSpaceQuery, `{"in":{"title":5}}`, "title must be a string", "input.title"},
		{"true for a text", createSpaceQuery, `{"in":{"description":true}}`, "description must be a string", "input.description"},
		{"an object for a text", createSpaceQuery, `{"in":{"title":{}}}`, "title must be a string", "input.title"},
		{"a list for a text", createSpaceQuery, `{"in":{"title":["a"]}}`, "title must be a string", "input.title"},
		{"a number for a text alone", titleAlone, `{"t":5}`, "title must be a string", "input.title"},
		{"a text for a number", createUploadQuery, `{"in":{"fileName":"a.glb","fileSize":"1"}}`, "fileSize must be a whole number", "input.fileSize"},
		{"a fraction for a whole number", createUploadQuery, `{"in":{"fileName":"a.glb","fileSize":1.5}}`, "fileSize must be a whole number", "input.fileSize"},
		{"a text for an Int", page, `{"n":"5"}`, "first must be a whole number", "first"},
		{"a fraction for an Int", page, `{"n":1.5}`, "first must be a whole number", "first"},
		{"a number that no int holds", page, `{"n":1e30}`, "first must be a whole number", "first"},
		{"a list for an Int", page, `{"n":[1]}`, "first must be a whole number", "first"},
		{"a text for true or false", `mutation ($in: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $in) { space { id } } }`, `{"in":{"spaceId":"x","privacy":"PUBLIC","informFollowers":"true"}}`, "informFollowers must be true or false", "input.informFollowers"},
		{"a text for a number with a fraction", `mutation ($in: ConvertFileInput!) { convertFile(input: $in) { job { id } } }`, `{"in":{"fileId":"x","to":"SOG","edits":[{"scale":"2"}]}}`, "edits.0.scale must be a number", "input.edits.0.scale"},
		{"an object for an id", `query ($id: ID!) { space(id: $id) { id } }`, `{"id":{}}`, "id must be a string", "id"},
		{"a fraction for an id", `query ($id: ID!) { space(id: $id) { id } }`, `{"id":1.5}`, "id must be a string", "id"},
		{"a text for an object", updateEntityQuery, `{"in":{"spaceId":"x","entityId":"e","data":"{}"}}`, "data must be an object", "input.data"},
		{"a list for an object", createSpaceQuery, `{"in":{"data":[]}}`, "data must be an object", "input.data"},
		{"a text for an input", createSpaceQuery, `{"in":"x"}`, "input must be an object", "input"},
		{"a list for an input", createSpaceQuery, `{"in":[1]}`, "input must be an object", "input"},
		{"an unknown field", createSpaceQuery, `{"in":{"titel":"x"}}`, "titel is not a field of CreateSpaceInput", "input.titel"},
		{"an unknown constant", createSpaceQuery, `{"in":{"type":"ROOM"}}`, "type must be one of INFINITE, HUB", "input.type"},
		{"a constant in another case", createSpaceQuery, `{"in":{"type":"hub"}}`, "type must be one of INFINITE, HUB", "input.type"},
		{"a number for a constant", createSpaceQuery, `{"in":{"type":1}}`, "type must be one of INFINITE, HUB", "input.type"},
		{"an unknown privacy", updatePrivacy, `{"in":{"spaceId":"x","privacy":"SECRET"}}`, privacyRefused, "input.privacy"},
		{"a number for a privacy", updatePrivacy, `{"in":{"spaceId":"x","privacy":1}}`, privacyRefused, "input.privacy"},
		{"a missing privacy", updatePrivacy, `{"in":{"spaceId":"x"}}`, privacyRefused, "input.privacy"},
		{"no privacy", updatePrivacy, `{"in":{"spaceId":"x","privacy":null}}`, privacyRefused, "input.privacy"},
		{"a missing field", createUploadQuery, `{"in":{"fileSize":1}}`, "fileName is required", "input.fileName"},
		{"a field that is null", createUploadQuery, `{"in":{"fileName":"a.glb","fileSize":null}}`, "fileSize is required", "input.fileSize"},
		{"missing data", updateEntityQuery, `{"in":{"spaceId":"x","entityId":"e"}}`, "data is required and must be an object", "input.data"},
		{"data that is null", updateEntityQuery, `{"in":{"spaceId":"x","entityId":"e","data":null}}`, "data is required and must be an object", "input.data"},
		{"a missing variable", createUploadQuery, `{}`, "input is required and must be an object", "input"},
		{"a variable that is null", `query ($id: ID!) { space(id: $id) { id } }`, `{"id":null}`, "id is required", "id"},
		{"a variable in a fragment", `query ($n: Int) { ...F } fragment F on Query { viewer { ... on User { spaces(first: $n) { nodes { id } } } } }`, `{"n":"1"}`, "first must be a whole number", "first"},
		{"a variable of a directive", `query ($if: Boolean!) { viewer { id @include(if: $if) } }`, `{"if":"true"}`, "if must be true or false", "if"},
		{"an element of a list", `query ($ids: [ID!]!) { nodes(ids: $ids) { id } }`, `{"ids":["a",null]}`, "ids.1 is required", "ids.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			status, response := w.ask(w.alice, variables(test.query, test.values))
			var got struct {
				Errors []struct {
					Message    string
					Locations  []struct{ Line, Column int }
					Path       []any
					Extensions struct {
						Code  string
						Field []string
					}
				}
				Data *json.RawMessage
			}
			check(t, json.Unmarshal([]byte(response), &got))
			if status != http.StatusOK || got.Data != nil || len(got.Errors) != 1 || len(got.Errors[0].Locations) != 1 || got.Errors[0].Path != nil {
				t.Fatalf("response: got %d %s, want one error with the place of the variable, and no data", status, response)
			}
			refused := got.Errors[0]
			equal(t, "message", refused.Message, test.message)
			equal(t, "code", refused.Extensions.Code, "INVALID")
			equal(t, "field", strings.Join(refused.Extensions.Field, "."), test.field)
			equal(t, "column", refused.Locations[0].Column, strings.Index(test.query, "$")+1)
		})
	}
	if spaces, err := w.Query().Spaces(w.alice.ctx, nil, nil, nil); err != nil || len(spaces.Nodes) != 0 {
		t.Errorf("spaces: got %v, %v, want none: no refused mutation is executed", spaces, err)
	}
}

func TestVariables_of_the_right_types_are_taken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct{ name, query, values, want string }{
		{"a whole number with a fraction, for an Int", `query ($n: Int) { files(first: $n) { totalCount } }`, `{"n":3.0}`, `{"data":{"files":{"totalCount":0}}}`},
		{"a whole number with an exponent, in an input", `mutation ($in: LockSpaceInput!) { lockSpace(input: $in) { space { id } } }`, `{"in":{"spaceId":"x","name":"n","seconds":6e1}}`, `"Space not found"`},
		{"a file size with a fraction", createUploadQuery, `{"in":{"fileName":"a.glb","fileSize":3.0,"contentType":"model/gltf-binary"}}`, `{"data":{"createUpload":{"upload":{"url":`},
		{"a number for an id", `query ($id: ID!) { space(id: $id) { id } }`, `{"id":7.0}`, `"Space not found"`},
		{"one value for a list", `query ($ids: [ID!]!) { nodes(ids: $ids) { id } }`, `{"ids":"U3BhY2U6eA"}`, `{"data":{"nodes":[null]}}`},
		{"an optional field that is null", createSpaceQuery, `{"in":{"title":null,"data":null,"privacy":null}}`, `{"data":{"createSpace":{"space":{"title":"Untitled space"}}}}`},
		{"a variable that is not used up", createSpaceQuery, `{"in":{"title":"a"},"other":5}`, `{"data":{"createSpace":{"space":{"title":"a"}}}}`},
		{"a default value", `query ($n: Int = 5) { spaces(first: $n) { nodes { id } } }`, `{}`, `"data":{"spaces"`},
		{"exact numbers in data", `mutation ($in: CreateSpaceInput!) { createSpace(input: $in) { space { data } } }`, `{"in":{"data":{"a":3.0,"b":12345678901234567890,"c":1e2}}}`, `{"a":3.0,"b":12345678901234567890,"c":1e2}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if status, got := w.ask(w.alice, variables(test.query, test.values)); status != http.StatusOK || !strings.Contains(got, test.want) {
				t.Errorf("response: got %d %s, want %s", status, got, test.want)
			}
		})
	}
}

// The parser checks only the scalars of the specification.
func TestLiterals_of_another_type_are_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string]string{
		`mutation { createUpload(input: {fileName: "a.glb", fileSize: "1", contentType: "a/b"}) { upload { url } } }`: `"message":"fileSize must be a whole number"`,
		`mutation { createUpload(input: {fileName: "a.glb", fileSize: 1.5, contentType: "a/b"}) { upload { url } } }`: `"message":"fileSize must be a whole number"`,
		`mutation { completeUpload(input: {fileUrl: 5}) { confirmation { __typename } } }`:                            `"message":"fileUrl must be a string"`,
		`mutation { createSpace(input: {title: 5}) { space { id } } }`:                                                `"code":"GRAPHQL_VALIDATION_FAILED"`,
		`mutation { createSpace(input: {data: "x"}) { space { id } } }`:                                               `"message":"data must be an object"`,
	} {
		if _, got := w.ask(w.alice, variables(query, `{}`)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

// A suggestion tells a stranger the schema where introspection is off.
func TestRefusals_of_documents_suggest_no_names(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, body := range map[string]string{
		"a field":                           variables(`{ viewr { id } }`, `{}`),
		"a field of a type of an interface": variables(`{ node(id: "x") { title } }`, `{}`),
		"a field without its fields":        variables(`{ viewer }`, `{}`),
		"an argument":                       variables(`{ spaces(firs: 1) { totalCount } }`, `{}`),
		"an argument of a directive":        variables(`{ viewer @include(iff: true) { id } }`, `{}`),
		"a directive":                       variables(`{ viewer @skp(if: true) { id } }`, `{}`),
		"a type of a fragment":              variables(`{ node(id: "x") { ... on Spac { id } } }`, `{}`),
		"a type of a variable":              variables(`query ($in: CreateSpaceInpu!) { viewer { id } }`, `{}`),
		"a fragment":                        variables(`{ viewer { ...Viewe } } fragment Viewer on User { id }`, `{}`),
		"a field of an input":               variables(`mutation { createSpace(input: {titl: "a"}) { space { id } } }`, `{}`),
		"a field of a variable":             variables(createSpaceQuery, `{"in":{"titl":"a"}}`),
		"an enum value":                     variables(`mutation { createSpace(input: {privacy: PUBLI}) { space { id } } }`, `{}`),
		"a text for an enum value":          variables(`mutation { createSpace(input: {privacy: "PUBLI"}) { space { id } } }`, `{}`),
		"an enum value for a text":          variables(`mutation { createSpace(input: {title: PUBLIC}) { space { id } } }`, `{}`),
		"an enum value of a variable":       variables(createSpaceQuery, `{"in":{"privacy":"PUBLI"}}`),
		"an operation":                      `{"query":"query Space { viewer { id } }","operationName":"Spac"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, got := w.ask(w.alice, body); !strings.Contains(got, `"errors"`) || strings.Contains(strings.ToLower(got), "did you mean") {
				t.Errorf("response: got %s, want errors without a suggestion", got)
			}
		})
	}
}

// A scalar that limits.CoerceScalar does not know would be taken as it is.
func TestCoerceScalar_knows_every_scalar_of_the_schema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../schema.graphqls")
	check(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: string(text)})
	check(t, err)
	for name, definition := range schema.Types {
		if definition.Kind != ast.Scalar {
			continue
		}
		if _, fault := limits.CoerceScalar(name, []any{}); fault == nil {
			t.Errorf("scalar %s: got no fault of a list, want one", name)
		}
	}
}

func TestIntrospection_has_null_for_the_lists_that_a_kind_does_not_have(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const lists = `kind fields { name } interfaces { name } possibleTypes { name } enumValues { name } inputFields { name }`
	has := map[string][]string{
		"OBJECT": {"fields", "interfaces"}, "INTERFACE": {"fields", "interfaces", "possibleTypes"}, "UNION": {"possibleTypes"},
		"ENUM": {"enumValues"}, "INPUT_OBJECT": {"inputFields"}, "SCALAR": nil, "NON_NULL": nil, "LIST": nil,
	}
	look := func(kind map[string]json.RawMessage) {
		t.Helper()
		name := strings.Trim(string(kind["kind"]), `"`)
		for _, list := range []string{"fields", "interfaces", "possibleTypes", "enumValues", "inputFields"} {
			if isNull := string(kind[list]) == "null"; isNull == slices.Contains(has[name], list) {
				t.Errorf("%s of %s: got %.20s", list, name, kind[list])
			}
		}
	}
	_, response := w.ask(w.alice, variables(`{ __schema { types { `+lists+` } } __type(name: "Space") { fields { type { `+lists+` } } } all: __type(name: "JSON") { ...L } } fragment L on __Type { `+lists+` }`, `{}`))
	type described = map[string]json.RawMessage
	var got struct {
		Data struct {
			Schema struct{ Types []described } `json:"__schema"`
			Type   struct {
				Fields []struct{ Type described }
			} `json:"__type"`
			All described
		}
		Errors []any
	}
	check(t, json.Unmarshal([]byte(response), &got))
	if len(got.Errors) > 0 || len(got.Data.Schema.Types) == 0 || len(got.Data.Type.Fields) == 0 {
		t.Fatalf("response: got %s, want the schema", response)
	}
	for _, kind := range got.Data.Schema.Types {
		look(kind)
	}
	for _, field := range got.Data.Type.Fields {
		look(field.Type)
	}
	look(got.Data.All)
}
