package graph_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"portico/graph/door"
	"portico/model"
)

func TestGenerateAPIKey_ends_the_old_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var made struct{ GenerateAPIKey struct{ APIKey string } }
	check(t, json.Unmarshal([]byte(w.query(w.alice, "mutation { generateApiKey { apiKey } }", nil)), &made))
	if made.GenerateAPIKey.APIKey == w.alice.key || made.GenerateAPIKey.APIKey == "" {
		t.Fatalf("key: got %q, want a new one", made.GenerateAPIKey.APIKey)
	}
	code, _ := w.refused(w.alice, request("{ viewer { id } }", nil))
	equal(t, "code of the old key", code, "UNAUTHENTICATED")
	renewed := w.alice
	renewed.key = made.GenerateAPIKey.APIKey
	w.query(renewed, "{ viewer { id } }", nil)
	w.query(w.bob, "{ viewer { id } }", nil) // another's key stays valid
}

func TestRevokeAPIKey_ends_the_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	equal(t, "response", w.query(w.alice, "mutation { revokeApiKey { revoked } }", nil), `{"revokeApiKey":{"revoked":true}}`)
	code, _ := w.refused(w.alice, request("{ viewer { id } }", nil))
	equal(t, "code of the revoked key", code, "UNAUTHENTICATED")
}

func TestAPIKeyMutations_need_a_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Mutation().GenerateAPIKey(t.Context())
	equal(t, "code of generateApiKey", model.CodeOf(err), model.CodeUnauthenticated)
	_, err = w.Mutation().RevokeAPIKey(t.Context())
	equal(t, "code of revokeApiKey", model.CodeOf(err), model.CodeUnauthenticated)
}

func TestBadKey_leads_to_the_authorization_server(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, door.HandlerOptions{BaseURL: "https://portico.example"})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL, strings.NewReader(request("{ viewer { id } }", nil)))
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+w.alice.key+"x")
	response, err := w.server.Client().Do(r)
	check(t, err)
	check(t, response.Body.Close())
	equal(t, "status", response.StatusCode, http.StatusUnauthorized)
	equal(t, "WWW-Authenticate", response.Header.Get("WWW-Authenticate"),
		`Bearer resource_metadata="https://portico.example/.well-known/oauth-protected-resource/graphql", error="invalid_token"`)
}

// socket connects and initialises a WebSocket, with the key in the header or in
// the payload of connection_init.
func (w *world) socket(ctx context.Context, key string, inHeader bool) *websocket.Conn {
	w.t.Helper()
	options := &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{}}
	init := `{"type":"connection_init"}`
	if inHeader {
		options.HTTPHeader.Set("Authorization", "Bearer "+key)
	} else {
		init = `{"type":"connection_init","payload":{"Authorization":"Bearer ` + key + `"}}`
	}
	conn, _, err := websocket.Dial(ctx, w.server.URL, options)
	check(w.t, err)
	check(w.t, conn.Write(ctx, websocket.MessageText, []byte(init)))
	_, message, err := conn.Read(ctx)
	check(w.t, err)
	equal(w.t, "response to connection_init", string(message), `{"type":"connection_ack"}`)
	return conn
}

func TestRevocation_closes_open_sockets(t *testing.T) {
	t.Parallel()
	for name, inHeader := range map[string]bool{"key in the header": true, "key in the payload": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			conn := w.socket(ctx, w.alice.key, inHeader)
			check(t, w.db.Accounts().RevokeAccess(ctx, &model.User{ID: w.alice.id}))
			_, _, err := conn.Read(ctx)
			equal(t, "close code", websocket.CloseStatus(err), 4401)
		})
	}
}

func TestRevocation_ends_open_streams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	body := strings.NewReader(request("subscription { jobs { id } }", nil))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.server.URL, body)
	check(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+w.alice.key)
	ended := make(chan string, 1)
	go func() {
		_, response := w.do(r)
		ended <- response
	}()
	check(t, w.db.Accounts().RevokeAccess(ctx, &model.User{ID: w.alice.id}))
	response, _ := receive(t, ended)
	if !strings.Contains(response, `"code":"UNAUTHENTICATED"`) {
		t.Errorf("stream: got %q, want it to end with unauthenticated", response)
	}
}

// Each field of a mutation is an operation.
func TestMutation_stops_where_it_ends_its_own_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, document := range []string{
		`mutation { revokeApiKey { revoked } createSpace(input: {title: "after"}) { space { id } } }`,
		`mutation { a: generateApiKey { apiKey } b: generateApiKey { apiKey } }`,
	} {
		who := w.account(w.keys, model.Token()+"@example.com", model.PlanFree)
		_, response := w.ask(who, request(document, nil))
		if !strings.Contains(response, `"code":"UNAUTHENTICATED"`) || !strings.Contains(response, `":null}`) {
			t.Errorf("%s: got %s, want unauthenticated and null for the second field", document, response)
		}
		spaces, err := w.Query().Spaces(w.as(who.id), nil, nil, nil)
		check(t, err)
		if len(spaces.Edges()) != 0 {
			t.Errorf("%s: got a space, want none", document)
		}
	}
	first := w.account(w.keys, "first@example.com", model.PlanFree)
	response := w.query(first, `mutation { a: createSpace(input: {title: "a"}) { space { title } } b: createSpace(input: {title: "b"}) { space { title } } }`, nil)
	equal(t, "response of a valid key", response, `{"a":{"space":{"title":"a"}},"b":{"space":{"title":"b"}}}`)
}

// The socket may not have been closed yet after a revocation.
func TestSocket_checks_the_key_for_each_operation(t *testing.T) {
	t.Parallel()
	for name, inHeader := range map[string]bool{"key in the header": true, "key in the payload": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			conn := w.socket(ctx, w.alice.key, inHeader)
			w.setRevoked("now()")
			subscribe := `{"type":"subscribe","id":"1","payload":` + request(`mutation { createSpace(input: {title: "stolen"}) { space { id } } }`, nil) + `}`
			check(t, conn.Write(ctx, websocket.MessageText, []byte(subscribe)))
			_, message, err := conn.Read(ctx)
			if err == nil && !strings.Contains(string(message), `"code":"UNAUTHENTICATED"`) || err != nil && websocket.CloseStatus(err) != 4401 {
				t.Errorf("response: got %s and %v, want unauthenticated", message, err)
			}
			spaces, err := w.Query().Spaces(w.alice.ctx, nil, nil, nil)
			check(t, err)
			if len(spaces.Edges()) != 0 {
				t.Error("spaces: got one, want none")
			}
		})
	}
}
