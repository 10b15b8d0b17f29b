package operations

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/docs"
)

// Endpoint is an operation of openapi.yaml.
type Endpoint struct {
	ID     string // its operationId
	Method string
	path   string // below the prefix, with the names of the parameters in braces
	// Keyless reports whether the operation also handles requests without a key.
	Keyless bool
}

// REST returns the operations of openapi.yaml, ordered by ID.
func REST(t testing.TB) []Endpoint {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	check(t, json.Unmarshal(docs.OpenAPI(), &document))
	var all []Endpoint
	for path, operations := range document.Paths {
		for method, text := range operations {
			if method == "parameters" { // of all operations of the path
				continue
			}
			var operation struct {
				OperationID string
				Security    []map[string]any
			}
			check(t, json.Unmarshal(text, &operation))
			isKeyless := slices.ContainsFunc(operation.Security, func(scheme map[string]any) bool { return len(scheme) == 0 })
			all = append(all, Endpoint{operation.OperationID, strings.ToUpper(method), path, isKeyless})
		}
	}
	slices.SortFunc(all, func(a, b Endpoint) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

var parameter = regexp.MustCompile(`\{\w+\}`)

// Path returns the path of the operation for these values of its parameters.
func (e Endpoint) Path(values map[string]string) string {
	return "/v1" + parameter.ReplaceAllStringFunc(e.path, func(name string) string { return values[strings.Trim(name, "{}")] })
}

// check fails the test at once if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
