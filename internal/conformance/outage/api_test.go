package outage

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/vektah/gqlparser/v2/ast"

	"portico/internal/testkit/api"
	"portico/internal/testkit/operations"
	"portico/model"
)

// schemaFile is the schema of GraphQL.
const schemaFile = "../../../schema.graphqls"

// restCalls returns a call of each operation of openapi.yaml with the key. Operations that need no
// key are called without one, too. Objects to delete do not exist, so that every round finds the
// same.
func (w *installation) restCalls() []call {
	values := map[string]string{"spaceId": w.space, "entityId": w.entity, "jobId": "unknown", "number": "1"}
	unknown := map[string]string{"spaceId": "10000000_unknown", "entityId": "unknown"}
	var calls []call
	for _, operation := range operations.REST(w.t) {
		method, path := operation.Method, operation.Path(values)
		if method == http.MethodDelete {
			path = operation.Path(unknown)
		}
		body := ""
		if method == http.MethodPost || method == http.MethodPut {
			body = "{}"
		}
		calls = append(calls, call{name: "REST " + operation.ID, want: envelope, send: func() api.Response {
			return w.request(method, path, w.addKey(jsonType), body)
		}})
		if operation.Keyless {
			calls = append(calls, call{name: "REST " + operation.ID + " without a key", want: envelope, send: func() api.Response {
				return w.get(path)
			}})
		}
	}
	return calls
}

// graphCalls returns a call of each field of the schema with the key, and of the other ways to send
// a document.
func (w *installation) graphCalls() []call {
	queries := map[string]any{"id": w.space, "ids": w.space, "spaceId": w.space, "entityId": w.entity}
	var calls []call
	for _, field := range operations.GraphQL(w.t, schemaFile) {
		values := queries
		if field.Kind == ast.Mutation {
			values = nil // its objects do not exist, so that every round finds the same
		}
		header, endsKey := jsonType, strings.HasSuffix(field.Name, "ApiKey")
		if field.Kind == ast.Subscription {
			header = with(jsonType, "Accept", "text/event-stream")
		}
		header = w.addKey(header)
		if endsKey {
			owner := w.NewClient(w.t, model.CreateUser{Email: strings.ToLower(field.Name) + "@example.com"})
			header = with(header, "Authorization", "Bearer "+owner.Key)
		}
		body := document(field.Document(values))
		calls = append(calls, call{name: "GraphQL " + field.Name, want: graphError, endsKey: endsKey, send: func() api.Response {
			return w.request("POST", "/graphql", header, body)
		}})
	}
	return append(calls, call{name: "GraphQL without a key", want: graphPart, send: func() api.Response {
		return w.request("POST", "/graphql", with(jsonType, "Accept", "application/graphql-response+json"), document("{ publicSpaces { totalCount } }"))
	}}, call{name: "GraphQL with a session", want: graphError, send: func() api.Response {
		return w.request("POST", "/graphql", with(with(jsonType, "Cookie", w.session), "Sec-Fetch-Site", "same-origin"), document("{ viewer { email } }"))
	}}, call{name: "GraphQL over a socket", want: closed, send: w.socket})
}

// document returns the body of a request with the document.
func document(text string) string {
	body, _ := json.Marshal(map[string]string{"query": text}) // a text can be encoded
	return string(body)
}

// socket opens a WebSocket with the key in connection_init. It returns 200 for an acknowledged
// socket, and otherwise the code and the reason with which the server closes the socket.
func (w *installation) socket() api.Response {
	w.t.Helper()
	conn, _, err := websocket.Dial(w.t.Context(), strings.Replace(w.BaseURL(), "http", "ws", 1)+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	check(w.t, err)
	defer func() { _ = conn.CloseNow() }() // the server may have closed it
	payload := map[string]string{"Authorization": "Bearer " + w.client.Key}
	check(w.t, wsjson.Write(w.t.Context(), conn, map[string]any{"type": "connection_init", "payload": payload}))
	_, response, err := conn.Read(w.t.Context())
	if err == nil {
		return api.Response{T: w.t, Status: http.StatusOK, Body: response}
	}
	status := websocket.CloseStatus(err)
	return api.Response{T: w.t, Status: int(status), Body: []byte(err.Error())}
}

// mcpCalls returns a call of each tool, and the methods that clients call first.
func (w *installation) mcpCalls() []call {
	values := map[string]any{
		"spaceId": w.space, "entity_id": w.entity, "resource_key": w.file,
		"seconds": 1, // is refused: a lock would refuse the calls of the other rounds
	}
	messages := map[string]string{
		"initialize": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		"tools/list": `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	}
	for _, tool := range operations.MCP(w.client) {
		arguments := tool.Arguments(values)
		if strings.HasPrefix(tool.Name, "delete_") {
			arguments = tool.Arguments(nil) // unknown objects, so that every round finds the same
		}
		message, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool.Name, "arguments": arguments},
		})
		check(w.t, err)
		messages[tool.Name] = string(message)
	}
	var calls []call
	for name, message := range messages {
		calls = append(calls, call{name: "MCP " + name, want: envelope, send: func() api.Response {
			return w.request("POST", "/v1/mcp", w.addKey(with(jsonType, "Accept", "application/json, text/event-stream")), message)
		}})
	}
	return calls
}
