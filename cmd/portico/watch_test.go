package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// watchJob is what the tests subscribe to.
func watchJob(id string) map[string]any {
	return map[string]any{
		"query":     `subscription($id: ID!) { job(id: $id) { status progress message url error } }`,
		"variables": map[string]string{"id": id},
	}
}

// event is one result of the subscription.
type event struct {
	Data   struct{ Job job }
	Errors []struct{ Message string }
}

// UnmarshalJSON reads the names that GraphQL has for what job has of REST.
func (e *event) UnmarshalJSON(b []byte) error {
	var raw struct {
		Data struct {
			Job struct {
				Status, Message string
				Progress        float64
			}
		}
		Errors []struct{ Message string }
	}
	err := json.Unmarshal(b, &raw)
	j := raw.Data.Job
	e.Data.Job = job{Status: j.Status, Progress: j.Progress, Message: j.Message}
	e.Errors = raw.Errors
	return err
}

// socket opens a websocket and signs in as the protocol graphql-transport-ws
// asks, with the key in connection_init.
func (c *client) socket() *websocket.Conn {
	c.t.Helper()
	address := strings.Replace(c.url, "http", "ws", 1) + "/graphql"
	conn, _, err := websocket.Dial(c.t.Context(), address, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	check(c.t, err)
	payload := map[string]string{"Authorization": "Bearer " + c.key}
	check(c.t, wsjson.Write(c.t.Context(), conn, map[string]any{"type": "connection_init", "payload": payload}))
	var ack struct{ Type string }
	check(c.t, wsjson.Read(c.t.Context(), conn, &ack))
	if ack.Type != "connection_ack" {
		c.t.Fatalf("answer to connection_init: got %q, want connection_ack", ack.Type)
	}
	return conn
}

// watchSocket follows a job over a websocket to its end.
func (c *client) watchSocket(id string) []job {
	c.t.Helper()
	conn := c.socket()
	defer conn.CloseNow()
	check(c.t, wsjson.Write(c.t.Context(), conn, map[string]any{"id": "1", "type": "subscribe", "payload": watchJob(id)}))
	var states []job
	for {
		var message struct {
			Type    string
			Payload json.RawMessage
		}
		check(c.t, wsjson.Read(c.t.Context(), conn, &message))
		switch message.Type {
		case "next":
			var e event
			check(c.t, json.Unmarshal(message.Payload, &e))
			states = append(states, e.Data.Job)
		case "complete":
			check(c.t, conn.Close(websocket.StatusNormalClosure, ""))
			return states
		default:
			c.t.Fatalf("message: got %s %s, want next or complete", message.Type, message.Payload)
		}
	}
}

// openEvents subscribes by server-sent events.
func (c *client) openEvents(ctx context.Context, id string) *http.Response {
	c.t.Helper()
	body, err := json.Marshal(watchJob(id))
	check(c.t, err)
	request, err := http.NewRequestWithContext(ctx, "POST", c.url+"/graphql", bytes.NewReader(body))
	check(c.t, err)
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	check(c.t, err)
	if got := response.Header.Get("Content-Type"); response.StatusCode != 200 || !strings.HasPrefix(got, "text/event-stream") {
		c.t.Fatalf("events: got %d %q, want 200 and text/event-stream", response.StatusCode, got)
	}
	return response
}

// watchEvents follows a job by server-sent events to its end.
func (c *client) watchEvents(id string) []job {
	c.t.Helper()
	response := c.openEvents(c.t.Context(), id)
	defer response.Body.Close()
	states, completed := readEvents(c.t, response.Body)
	if !completed {
		c.t.Error("events: the stream ended without complete")
	}
	return states
}

// readEvents reads a stream to its end.
func readEvents(t testing.TB, stream io.Reader) (states []job, completed bool) {
	t.Helper()
	scanner := bufio.NewScanner(stream)
	kind := ""
	for scanner.Scan() {
		name, value, _ := strings.Cut(scanner.Text(), ":")
		switch {
		case name == "event":
			kind = strings.TrimSpace(value)
			completed = completed || kind == "complete"
		case name == "data" && kind == "next":
			var e event
			check(t, json.Unmarshal([]byte(value), &e))
			if len(e.Errors) > 0 {
				t.Fatalf("event: got the error %q, want data", e.Errors[0].Message)
			}
			states = append(states, e.Data.Job)
		}
	}
	return states, completed
}

// checkStates checks what every watcher of a job that goes well must see.
func checkStates(t testing.TB, how string, states []job) {
	t.Helper()
	last := 0.0
	for _, state := range states {
		if state.Progress < last || (state.Progress == 100) != (state.Status == "COMPLETED") {
			t.Errorf("%s: got %+v after %v %%, want progress that never falls and 100 when completed", how, state, last)
		}
		last = state.Progress
	}
	if last != 100 {
		t.Errorf("%s: the last progress: got %v, want 100", how, last)
	}
}
