package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/world"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/uptrace/bun/driver/pgdriver"
)

const watchJobs = `{"query":"subscription { jobs { id } }"}`

// TestGraphQL_ends_streams_with_their_session has a row for everything that ends a
// session.
func TestGraphQL_ends_streams_with_their_session(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	account := func(v *visitor, action string) {
		page := v.form(v.url + "/account/key")
		path := "/logout"
		if action != "" {
			page.fields.Set("action", action)
			path = "/account/key"
		}
		if got := v.post(v.url+path, page.fields, v.url); got.Status != http.StatusSeeOther {
			t.Fatalf("%s: got %d %s, want %d", path, got.Status, got.Body, http.StatusSeeOther)
		}
	}
	for name, end := range map[string]func(v *visitor){
		"sign-out":           func(v *visitor) { account(v, "") },
		"revoking the key":   func(v *visitor) { account(v, "revoke") },
		"a changed password": func(v *visitor) { check(t, p.DB.Accounts().SetPassword(t.Context(), v.userID(p), "another")) },
		"a deleted session": func(v *visitor) {
			root := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(p.Config.DatabaseURL)))
			_, err := root.ExecContext(t.Context(), "DELETE FROM sessions")
			check(t, errors.Join(err, root.Close()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, other := newVisitorOf(t, p.BaseURL()), newVisitorOf(t, p.BaseURL())
			events, socket := v.openEvents(), v.openSocket(http.Header{"Origin": {v.url}})
			untouched := other.openSocket(http.Header{"Origin": {v.url}})
			socket.awaitReady()
			untouched.awaitReady()
			end(v)
			ended := time.Now()
			tail, err := io.ReadAll(events)
			check(t, err)
			if !strings.Contains(string(tail), `"UNAUTHENTICATED"`) || !strings.Contains(string(tail), "event: complete") {
				t.Errorf("events: got the end %q, want unauthenticated and complete", tail)
			}
			if got, want := socket.awaitClose(), websocket.StatusCode(4401); got != want {
				t.Errorf("socket: got close code %d, want %d", got, want)
			}
			t.Logf("ended after %v", time.Since(ended))
			if name != "a deleted session" { // that row deletes all of them
				untouched.subscribe("2")
				untouched.awaitReady()
			}
		})
	}
}

// TestGraphQL_takes_the_session_of_a_socket checks whose sockets speak for the person
// who is signed in: CORS does not hold other sites back from opening one. All others are
// sockets without a key, which may follow what is public.
func TestGraphQL_takes_the_session_of_a_socket(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	v := newVisitorOf(t, p.BaseURL())
	for _, row := range []struct {
		name       string
		header     http.Header
		isSignedIn bool
	}{
		{"a page of ours", http.Header{"Origin": {v.url}}, true},
		{"another site", http.Header{"Origin": {"https://evil.example"}}, false},
		{"an uploaded file", http.Header{"Origin": {"null"}}, false},
		{"another site that claims to be ours", http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"same-origin"}}, false},
		{"no page", http.Header{}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			socket := v.openSocket(row.header)
			if row.isSignedIn {
				socket.awaitReady()
			} else {
				socket.isNobody()
			}
		})
	}
	late := v.dialSocket(http.Header{"Origin": {v.url}})
	page := v.form(v.url + "/account/key")
	v.post(v.url+"/logout", page.fields, v.url)
	late.start()
	if got, want := late.awaitClose(), websocket.StatusCode(4401); got != want {
		t.Errorf("socket that starts after the sign-out: got close code %d, want %d", got, want)
	}
}

// userID returns the id of the visitor's account.
func (v *visitor) userID(p world.World) string {
	v.t.Helper()
	user, err := p.DB.Accounts().UserByEmail(v.t.Context(), v.email)
	check(v.t, err)
	return user.ID
}

// openEvents subscribes by server-sent events, as a page of the server does.
func (v *visitor) openEvents() io.Reader {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.url+"/graphql", strings.NewReader(watchJobs))
	check(v.t, err)
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "Sec-Fetch-Site": {"same-origin"},
	}
	response, err := v.client.Do(r)
	check(v.t, err)
	v.t.Cleanup(func() { _ = response.Body.Close() }) // it has ended
	if response.StatusCode != http.StatusOK {
		v.t.Fatalf("events: got %d, want %d", response.StatusCode, http.StatusOK)
	}
	return response.Body
}

// sessionSocket is a socket that has no key.
type sessionSocket struct {
	t    testing.TB
	conn *websocket.Conn
	// refused is how a socket ended that was not let in.
	refused error
}

// dialSocket opens a socket with the cookies of the browser.
func (v *visitor) dialSocket(header http.Header) *sessionSocket {
	v.t.Helper()
	page, err := url.Parse(v.url)
	check(v.t, err)
	header = header.Clone()
	for _, cookie := range v.client.Jar.Cookies(page) {
		header.Add("Cookie", cookie.String())
	}
	conn, _, err := websocket.Dial(v.t.Context(), strings.Replace(v.url, "http", "ws", 1)+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: header})
	check(v.t, err)
	v.t.Cleanup(func() { _ = conn.CloseNow() }) // closed either way
	return &sessionSocket{t: v.t, conn: conn}
}

// openSocket opens a socket and subscribes.
func (v *visitor) openSocket(header http.Header) *sessionSocket {
	v.t.Helper()
	socket := v.dialSocket(header)
	socket.start()
	return socket
}

func (s *sessionSocket) start() {
	s.t.Helper()
	check(s.t, wsjson.Write(s.t.Context(), s.conn, map[string]string{"type": "connection_init"}))
	var ack struct{ Type string }
	if s.refused = wsjson.Read(s.t.Context(), s.conn, &ack); s.refused == nil {
		s.subscribe("1")
	}
}

// subscribe starts a subscription that says nothing until there is a job.
func (s *sessionSocket) subscribe(id string) {
	s.t.Helper()
	message := `{"id":"` + id + `","type":"subscribe","payload":` + watchJobs + `}`
	check(s.t, s.conn.Write(s.t.Context(), websocket.MessageText, []byte(message)))
}

// awaitReady returns when the socket has read what was sent.
func (s *sessionSocket) awaitReady() {
	s.t.Helper()
	check(s.t, wsjson.Write(s.t.Context(), s.conn, map[string]string{"type": "ping"}))
	var response struct{ Type string }
	check(s.t, wsjson.Read(s.t.Context(), s.conn, &response))
	if response.Type != "pong" {
		s.t.Fatalf("message: got %q, want pong", response.Type)
	}
}

// isNobody checks that the subscription is refused for want of a key.
func (s *sessionSocket) isNobody() {
	s.t.Helper()
	check(s.t, s.refused)
	var response struct {
		Type    string
		Payload []struct{ Extensions struct{ Code string } }
	}
	check(s.t, wsjson.Read(s.t.Context(), s.conn, &response))
	if response.Type != "error" || len(response.Payload) != 1 || response.Payload[0].Extensions.Code != "UNAUTHENTICATED" {
		s.t.Errorf("subscription without a session: got %+v, want the error UNAUTHENTICATED", response)
	}
}

// awaitClose reads until the socket is closed and returns the code.
func (s *sessionSocket) awaitClose() websocket.StatusCode {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	err := s.refused
	for err == nil {
		_, _, err = s.conn.Read(ctx)
	}
	return websocket.CloseStatus(err)
}
