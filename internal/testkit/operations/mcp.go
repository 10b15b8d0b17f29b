package operations

import (
	"encoding/json"
	"net/http"
	"strings"

	"portico/internal/testkit/api"
)

// Tool is a tool in the response to tools/list.
type Tool struct {
	Name        string
	InputSchema struct {
		Properties map[string]struct {
			Type any // a text, or a list of texts
			Enum []any
		}
		Required []string
	}
}

// MCP returns the tools of the server, in its order.
func MCP(c *api.Client) []Tool {
	c.T.Helper()
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	header := http.Header{
		"Authorization": {"Bearer " + c.Key}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
	}
	got := c.Send("POST", c.URL+"/v1/mcp", header, strings.NewReader(message), int64(len(message)))
	var response struct{ Result struct{ Tools []Tool } }
	check(c.T, json.Unmarshal(got.Body, &response))
	return response.Result.Tools
}

// Arguments returns arguments of the tool, with the values of their names. Without a value they are
// omitted, or have any value of their type if they are required.
func (t Tool) Arguments(values map[string]any) map[string]any {
	arguments := map[string]any{}
	for name := range t.InputSchema.Properties {
		if value, ok := values[name]; ok {
			arguments[name] = value
		}
	}
	for _, name := range t.InputSchema.Required {
		if _, ok := arguments[name]; !ok {
			arguments[name] = t.anyValue(name)
		}
	}
	return arguments
}

// anyValue returns a value that the schema of the argument accepts.
func (t Tool) anyValue(name string) any {
	property := t.InputSchema.Properties[name]
	if len(property.Enum) > 0 {
		return property.Enum[0]
	}
	switch property.Type {
	case "integer", "number":
		return 1
	case "boolean":
		return false
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	}
	return "x"
}
