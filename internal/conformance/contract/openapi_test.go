package contract

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/docs"
)

// object is a JSON object of the document.
type object = map[string]any

// contract is docs/openapi.yaml, decoded.
type contract struct {
	document object
	// definitions are its schemas, in the form that valid reads.
	definitions object
}

func newContract(t *testing.T) contract {
	t.Helper()
	c := contract{definitions: object{}}
	check(t, json.Unmarshal(docs.OpenAPI(), &c.document))
	for name, schema := range c.at(c.document, "components", "schemas") {
		c.definitions[name+"."+string(closed)] = rewrite(schema, closed)
		c.definitions[name+"."+string(open)] = rewrite(schema, open)
	}
	return c
}

// follow returns the value, or the value that it refers to.
func (c contract) follow(value any) object {
	node, _ := value.(object)
	reference, ok := node["$ref"].(string)
	if !ok {
		return node
	}
	found := c.document
	for name := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
		found, _ = found[name].(object)
	}
	return found
}

// at returns the value at the end of a path of names.
func (c contract) at(value any, names ...string) object {
	node := c.follow(value)
	for _, name := range names {
		node = c.follow(node[name])
	}
	return node
}

func (c contract) paths() object { return c.at(c.document, "paths") }

// operationOf returns the operation of the request, or nil. A path without parameters
// goes before one with.
func (c contract) operationOf(request *http.Request) object {
	// Empty segments are ignored.
	path := "/" + strings.Join(strings.FieldsFunc(request.URL.EscapedPath(), func(c rune) bool { return c == '/' }), "/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/api"), "/v1")
	method := strings.ToLower(request.Method)
	if found, ok := c.paths()[path]; ok {
		return c.at(found, method)
	}
	for _, pattern := range slices.Sorted(maps.Keys(c.paths())) {
		if matches(pattern, path) {
			return c.at(c.paths()[pattern], method)
		}
	}
	return nil
}

func matches(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i := range want {
		if len(want) != len(got) || want[i] != got[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}

// checkExchange checks that the document describes the exchange: the status, the
// body to the last field, the headers, and the body of a request that was taken.
func (c contract) checkExchange(t *testing.T, request *http.Request, sent []byte, got response) {
	t.Helper()
	operation := c.operationOf(request)
	if operation == nil {
		// A request without an operation gets the responses that all operations share.
		c.checkSchema(t, object{"$ref": "#/components/schemas/Error"}, got.body, closed)
		return
	}
	response := c.at(operation, "responses", strconv.Itoa(got.status))
	if response == nil {
		t.Errorf("openapi.yaml: %s has no response %d", operation["operationId"], got.status)
		return
	}
	for name := range c.at(response, "headers") {
		if got.header.Get(name) == "" {
			t.Errorf("header %s: got none", name)
		}
	}
	c.checkSchema(t, c.at(response, "content", "application/json")["schema"], got.body, closed)
	if body := c.at(operation, "requestBody", "content", "application/json"); body != nil && got.status < 300 && len(sent) > 0 {
		c.checkSchema(t, body["schema"], sent, open)
	}
}

func TestOpenAPI_examples_are_what_their_schemas_say(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	examples := 0
	walk(c.document, func(node object) {
		if node["schema"] == nil {
			return
		}
		shown := []any{node["example"]}
		for _, named := range c.at(node, "examples") {
			shown = append(shown, c.at(named)["value"])
		}
		for _, example := range shown {
			if example == nil {
				continue
			}
			examples++
			text, err := json.Marshal(example)
			check(t, err)
			c.checkSchema(t, node["schema"], text, closed)
		}
	})
	if examples < 40 {
		t.Errorf("examples: got %d, want at least 40", examples)
	}
}

// walk calls visit for every object of the document.
func walk(value any, visit func(object)) {
	switch value := value.(type) {
	case object:
		visit(value)
		for _, below := range value {
			walk(below, visit)
		}
	case []any:
		for _, below := range value {
			walk(below, visit)
		}
	}
}

func TestOpenAPI_has_the_routes_of_the_router_and_no_other(t *testing.T) {
	t.Parallel()
	want := routes(t)
	got := map[string][]string{}
	c := newContract(t)
	for path := range c.paths() {
		got[path] = methodsOf(c.at(c.paths()[path]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths of openapi.yaml (-router +openapi.yaml)\n%s", diff)
	}
}

func methodsOf(path object) []string {
	var methods []string
	for name := range path {
		if name != "parameters" {
			methods = append(methods, strings.ToUpper(name))
		}
	}
	slices.Sort(methods)
	return methods
}

// routes reads the routes table of package rest from its source.
func routes(t *testing.T) map[string][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../rest/router.go", nil, 0)
	check(t, err)
	found := map[string][]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		function, ok := node.(*ast.FuncDecl)
		if ok && function.Name.Name != "routes" {
			return false
		}
		entry, ok := node.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		methods, ok := entry.Value.(*ast.CompositeLit)
		if !ok {
			return true
		}
		path := literal(t, entry.Key)
		for _, method := range methods.Elts {
			found[path] = append(found[path], literal(t, method.(*ast.KeyValueExpr).Key))
		}
		slices.Sort(found[path])
		return false
	})
	if len(found) == 0 {
		t.Fatal("rest/router.go: found no table of routes")
	}
	return found
}

func literal(t *testing.T, expression ast.Expr) string {
	t.Helper()
	text, err := strconv.Unquote(expression.(*ast.BasicLit).Value)
	check(t, err)
	return text
}

func TestOpenAPI_paths_are_answered_with_their_methods(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	c := newContract(t)
	for pattern := range c.paths() {
		path := strings.NewReplacer("{", "", "}", "").Replace(pattern) // any id
		allowed := methodsOf(c.at(c.paths()[pattern]))
		for _, prefix := range []string{"/v1", "/api/v1"} {
			for _, method := range allowed {
				got := w.send(t, w.call(w.alice, method, prefix+path, ""))
				if got.status == http.StatusMethodNotAllowed || strings.Contains(string(got.body), "Endpoint not found") {
					t.Errorf("%s %s: got %d %s, want an endpoint", method, prefix+path, got.status, got.body)
				}
			}
			if slices.Contains(allowed, "GET") && !slices.Contains(allowed, "HEAD") {
				allowed = append(allowed, "HEAD")
			}
			want := strings.Join(slices.Sorted(slices.Values(append(slices.Clone(allowed), "OPTIONS"))), ", ")
			refused := w.send(t, w.call(w.alice, "PATCH", prefix+path, ""))
			if got := refused.header.Get("Allow"); refused.status != http.StatusMethodNotAllowed || got != want {
				t.Errorf("PATCH %s: got %d, Allow %q, want 405, %q", prefix+path, refused.status, got, want)
			}
			allowed = slices.DeleteFunc(allowed, func(method string) bool { return method == "HEAD" })
		}
	}
}
