package contract

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// oddValues contains the values that each field is tried with, besides the values of its
// schema: the edges of every rule of the server.
func oddValues() []any {
	return []any{
		nil, true, false, 0, 1, -1, 1.5, 1e300, []any{}, []any{1, "a", nil}, object{}, object{"a": object{"b": []any{"c"}}},
		"", " ", "a", "a b", "Ünïcode 🚪", "客厅.glb", "a\x00", "\x00", "a\nb", "x.glb", "x.GLB", "x.exe", "x", ".ply", "x.ply/", "a/b.spz", "x.ply\x00",
		"a/b", "a/b; c=d", "a/b;", "a/b; ", " a/b", "a/b\r\nX: y", "application", "ä/b", "a/b;ü", "*/*", "sog", "hub",
		"Public", "Open", "Link Only", ".", "..", "...", "a/..", "%", "null", "[]",
		strings.Repeat("a", 128), strings.Repeat("a", 129), strings.Repeat("ü", 200), strings.Repeat("a", 201),
		strings.Repeat("a", 252) + ".glb", strings.Repeat("ü", 500), strings.Repeat("a", 501), strings.Repeat("a", 20_001),
		[]any{"\x00"}, object{"\x00": 1}, object{"a": []any{object{"b": "\x00"}}}, object{"dynamicGate": 1}, object{"dynamicGate": nil},
	}
}

// TestOpenAPI_allows_nothing_that_is_a_400 tries each field of each request, and each
// parameter, with odd values. What the document allows must not be refused as
// wrong: a client that is generated from it could not know better. Cursors are left
// out, since no schema says which ones were given out.
func TestOpenAPI_allows_nothing_that_is_a_400(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	space := w.space(w.alice, `{'space_type':'hub'}`)
	w.send(t, w.call(w.alice, "POST", "/v1/spaces/"+space+"/entities", `{'entity_id':'chair'}`))
	for _, row := range []struct{ method, path, pattern, body string }{
		{"POST", "/files/upload", "", `{'file_name':'a.ply','file_size':10,'content_type':'a/b','convert_to':'sog','else':1}`},
		{"POST", "/files/upload-complete", "", `{'status':'success','extra_info':{'file_url':'x','else':1}}`},
		{"POST", "/user/create-space", "", `{'title':'a','description':'b','space_type':'hub','resource_key':null,'space_data':null,'else':1}`},
		{"POST", "/user/create-space", "", `{'title':'a','space_data':{'title':'a','description':'b','space_type':'hub','else':1}}`},
		{"POST", "/spaces", "", `{'title':'a','description':'b','space_type':'hub','privacy':'Open','roomPrivacy':'Public','else':1}`},
		{"POST", "/spaces/update-privacy", "", `{'spaceId':'` + space + `','roomPrivacy':'Public','informFollowers':true,'else':1}`},
		{"PUT", "/spaces/" + space, "/spaces/{spaceId}", `{'title':'a','description':'b','privacy':'Open','roomPrivacy':'Public','theme':{'a':1}}`},
		{"POST", "/spaces/" + space + "/entities", "/spaces/{spaceId}/entities", `{'resource_key':null,'entity_id':'a','entity_type':'T','entity_data':{'label':'a','dynamicGate':{}},'else':1}`},
		{"PUT", "/spaces/" + space + "/entities/chair", "/spaces/{spaceId}/entities/{entityId}", `{'entity_data':{'label':'a','nested':{'b':[1]}},'else':1}`},
	} {
		var body object
		check(t, json.Unmarshal([]byte(strings.ReplaceAll(row.body, "'", `"`)), &body))
		if row.pattern == "" {
			row.pattern = row.path
		}
		operation := w.contract.at(w.contract.paths()[row.pattern], strings.ToLower(row.method))
		allows := w.contract.validator(t, w.contract.at(operation, "requestBody", "content", "application/json")["schema"])
		tried := 0
		for odd := range variants(body) {
			if allows(odd) {
				tried++
				encoded, err := json.Marshal(odd)
				check(t, err)
				w.wantAccepted(t, w.call(w.alice, row.method, "/v1"+row.path, string(encoded)))
			}
		}
		if tried < 20 {
			t.Errorf("%s %s: tried %d bodies that are allowed, want more", row.method, row.path, tried)
		}
	}
	w.tryParameters(t, space)
}

// tryParameters is the part of the test for queries and paths.
func (w *world) tryParameters(t *testing.T, space string) {
	t.Helper()
	for _, row := range []struct{ method, path, pattern, name string }{
		{"GET", "/spaces?search=%s", "/spaces", "search"},
		{"DELETE", "/files?resource_key=%s", "/files", "resource_key"},
		{"GET", "/spaces/%s", "/spaces/{spaceId}", "spaceId"},
		{"GET", "/jobs/%s", "/jobs/{jobId}", "jobId"},
		{"GET", "/spaces/" + space + "/entities/%s", "/spaces/{spaceId}/entities/{entityId}", "entityId"},
		{"DELETE", "/spaces/" + space + "/entities/%s", "/spaces/{spaceId}/entities/{entityId}", "entityId"},
	} {
		allows := w.contract.validator(t, w.contract.parameter(row.pattern, row.method, row.name)["schema"])
		for _, value := range oddValues() {
			text, ok := value.(string)
			if !ok || !allows(text) {
				continue
			}
			escaped := url.PathEscape(text)
			if strings.Contains(row.path, "?") {
				escaped = url.QueryEscape(text)
			}
			w.wantAccepted(t, w.call(w.alice, row.method, "/v1"+fmt.Sprintf(row.path, escaped), ""))
		}
	}
}

// wantAccepted checks that a request is not refused for its content.
func (w *world) wantAccepted(t *testing.T, request *http.Request) {
	t.Helper()
	sent, err := request.GetBody()
	check(t, err)
	body, err := io.ReadAll(sent)
	check(t, err)
	got := w.send(t, request)
	if got.status == http.StatusBadRequest || got.status >= 500 && got.status != http.StatusInsufficientStorage {
		t.Errorf("%s %s: openapi.yaml allows %.300q, and the response is %d %s", request.Method, request.URL, body, got.status, got.body)
	}
}

// variants yields the body with another value of one field, at any depth.
func variants(body object) func(yield func(object) bool) {
	return func(yield func(object) bool) {
		for _, name := range slices.Sorted(maps.Keys(body)) {
			with := func(value any) object {
				changed := maps.Clone(body)
				changed[name] = value
				return changed
			}
			for _, value := range oddValues() {
				if !yield(with(value)) {
					return
				}
			}
			inner, ok := body[name].(object)
			if !ok {
				continue
			}
			for changed := range variants(inner) {
				if !yield(with(changed)) {
					return
				}
			}
		}
	}
}

// validator returns a function that reports whether the schema allows a value of a
// request.
func (c contract) validator(t *testing.T, schema any) func(value any) bool {
	t.Helper()
	encoded, err := json.Marshal(object{"$defs": c.definitions, "allOf": []any{rewrite(schema, open)}})
	check(t, err)
	var root jsonschema.Schema
	check(t, json.Unmarshal(encoded, &root))
	resolved, err := root.Resolve(nil)
	check(t, err)
	return func(value any) bool {
		text, err := json.Marshal(value)
		check(t, err)
		var plain any
		check(t, json.Unmarshal(text, &plain))
		return resolved.Validate(plain) == nil
	}
}

// parameter returns the parameter of the operation, or of its path.
func (c contract) parameter(pattern, method, name string) object {
	path := c.at(c.paths()[pattern])
	own, _ := c.at(path, strings.ToLower(method))["parameters"].([]any)
	shared, _ := path["parameters"].([]any)
	for _, parameter := range append(own, shared...) {
		if found := c.follow(parameter); found["name"] == name {
			return found
		}
	}
	return nil
}
