package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"portico/model"
)

// Refusal is an error of the API in the form that all doors share.
type Refusal struct {
	Code    model.Code
	Message string
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Code, r.Message) }

// REST calls a path below /v1 and reads the data of the response into v unless that is nil.
// It returns a *Refusal for a status from 400.
func (c *Client) REST(method, path string, body, v any) (status int, err error) {
	c.T.Helper()
	got := c.Call(method, "/v1"+path, body)
	var envelope struct {
		Message string
		Data    json.RawMessage
	}
	check(c.T, json.Unmarshal(got.Body, &envelope))
	if got.Status >= 400 {
		return got.Status, &Refusal{CodeOf(got.Status), envelope.Message}
	}
	if v != nil {
		check(c.T, json.Unmarshal(envelope.Data, v))
	}
	return got.Status, nil
}

// CodeOf returns the code that has the status (API section 7).
func CodeOf(status int) model.Code {
	return map[int]model.Code{
		400: model.CodeInvalid, 401: model.CodeUnauthenticated, 403: model.CodeForbidden, 404: model.CodeNotFound,
		409: model.CodeConflict, 413: model.CodeTooLarge, 422: model.CodeInvalidFiles, 423: model.CodeLocked, 429: model.CodeRateLimited, 507: model.CodeQuotaExceeded,
	}[status]
}

// GraphQL executes a document with one field and decodes the field into v, unless v is nil. If the
// field is a payload with a single object, it decodes that object. It returns a *Refusal for the
// first error, with REST's name of the wrong field.
func (c *Client) GraphQL(document string, variables map[string]any, v any) error {
	c.T.Helper()
	got := c.Call("POST", "/graphql", map[string]any{"query": document, "variables": variables})
	var response struct {
		Data   map[string]json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct {
				Code  string
				Field []string
			}
		}
	}
	check(c.T, json.Unmarshal(got.Body, &response))
	if len(response.Errors) > 0 {
		refused := response.Errors[0]
		message := inRESTNames(document, refused.Message, refused.Extensions.Field)
		return &Refusal{model.ParseGraphQLConstant(refused.Extensions.Code), message}
	}
	for _, field := range response.Data {
		if v != nil {
			check(c.T, json.Unmarshal(unwrap(document, field), v))
		}
	}
	return nil
}

// toolResponse is the response to a call of a tool. It is a JSON-RPC response whose result is a
// CallToolResult of MCP.
type toolResponse struct {
	Result struct {
		IsError           bool
		Meta              struct{ Code model.Code } `json:"_meta"`
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
}

// Tool calls a tool of /v1/mcp and reads its structured result into v unless that is nil.
// It returns a *Refusal for a result with a code.
func (c *Client) Tool(tool string, arguments map[string]any, v any) error {
	c.T.Helper()
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	check(c.T, err)
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	got := c.Send("POST", c.URL+"/v1/mcp", header, bytes.NewReader(message), int64(len(message)))
	if got.Status == http.StatusUnauthorized { // the response is not of the protocol MCP
		var envelope struct{ Message string }
		check(c.T, json.Unmarshal(got.Body, &envelope))
		return &Refusal{CodeOf(got.Status), envelope.Message}
	}
	var response toolResponse
	check(c.T, json.Unmarshal(got.Body, &response))
	result := response.Result
	if len(result.Content) == 0 {
		c.T.Fatalf("%s: got %d %s, want a result", tool, got.Status, got.Body)
	}
	// A result with a code is a refusal. An error without a code reports the failed parts of a
	// call that was carried out.
	if code := result.Meta.Code; code != "" {
		if !result.IsError || result.StructuredContent != nil {
			c.T.Errorf("%s: got %s, want an error without data", tool, got.Body)
		}
		return &Refusal{code, strings.TrimPrefix(result.Content[0].Text, string(code)+": ")}
	}
	if v != nil {
		check(c.T, json.Unmarshal(result.StructuredContent, v))
	}
	return nil
}
