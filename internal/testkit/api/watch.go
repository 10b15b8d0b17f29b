package api

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

// WatchJob returns the body of a subscription to a job.
func WatchJob(id string) map[string]any {
	return map[string]any{
		"query":     `subscription($id: ID!) { job(id: $id) { status progress message url error } }`,
		"variables": map[string]string{"id": id},
	}
}

// event is one result of the subscription.
type event struct {
	Data struct {
		Job struct {
			Status, Message string
			Progress        float64
		}
	}
	Errors []struct{ Message string }
}

// state returns the event's state of the job.
func (e event) state() Job {
	j := e.Data.Job
	return Job{Status: j.Status, Progress: j.Progress, Message: j.Message}
}

// Socket opens a websocket of the protocol graphql-transport-ws and signs in, with the key
// in connection_init.
func (c *Client) Socket() *websocket.Conn {
	c.T.Helper()
	address := strings.Replace(c.URL, "http", "ws", 1) + "/graphql"
	conn, _, err := websocket.Dial(c.T.Context(), address, &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		Subprotocols: []string{"graphql-transport-ws"},
	})
	check(c.T, err)
	payload := map[string]string{"Authorization": "Bearer " + c.Key}
	check(c.T, wsjson.Write(c.T.Context(), conn, map[string]any{"type": "connection_init", "payload": payload}))
	var ack struct{ Type string }
	check(c.T, wsjson.Read(c.T.Context(), conn, &ack))
	if ack.Type != "connection_ack" {
		c.T.Fatalf("response to connection_init: got %q, want connection_ack", ack.Type)
	}
	return conn
}

// WatchSocket follows a job over a websocket to its end and returns the states it received. The
// protocol is graphql-transport-ws: "next" has a result, and "complete" ends the subscription.
func (c *Client) WatchSocket(id string) []Job {
	c.T.Helper()
	conn := c.Socket()
	defer func() { _ = conn.CloseNow() }() // closed before, unless the test fails
	check(c.T, wsjson.Write(c.T.Context(), conn, map[string]any{"id": "1", "type": "subscribe", "payload": WatchJob(id)}))
	var states []Job
	for {
		var message struct {
			Type    string
			Payload json.RawMessage
		}
		check(c.T, wsjson.Read(c.T.Context(), conn, &message))
		switch message.Type {
		case "next":
			var e event
			check(c.T, json.Unmarshal(message.Payload, &e))
			states = append(states, e.state())
		case "complete":
			check(c.T, conn.Close(websocket.StatusNormalClosure, ""))
			return states
		default:
			c.T.Fatalf("message: got %s %s, want next or complete", message.Type, message.Payload)
		}
	}
}

// OpenEvents subscribes to a job by server-sent events. The caller closes the body.
func (c *Client) OpenEvents(ctx context.Context, id string) *http.Response {
	c.T.Helper()
	body, err := json.Marshal(WatchJob(id))
	check(c.T, err)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/graphql", bytes.NewReader(body))
	check(c.T, err)
	request.Header.Set("Authorization", "Bearer "+c.Key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	check(c.T, err)
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || !strings.HasPrefix(got, "text/event-stream") {
		c.T.Fatalf("events: got %d %q, want 200 and text/event-stream", response.StatusCode, got)
	}
	return response
}

// WatchEvents follows a job by server-sent events to its end and returns the states it
// received.
func (c *Client) WatchEvents(id string) []Job {
	c.T.Helper()
	response := c.OpenEvents(c.T.Context(), id)
	defer func() { _ = response.Body.Close() }() // it was read
	states, completed := ReadEvents(c.T, response.Body)
	if !completed {
		c.T.Error("events: the stream ended without complete")
	}
	return states
}

// ReadEvents reads a stream to its end and reports whether the server completed it. The stream
// has the events of the protocol graphql-sse, in its mode of distinct connections.
func ReadEvents(t testing.TB, stream io.Reader) (states []Job, completed bool) {
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
			states = append(states, e.state())
		}
	}
	return states, completed
}

// WantClosed checks that the server closes the socket because its key is no longer valid.
func WantClosed(t testing.TB, what string, conn *websocket.Conn) {
	t.Helper()
	_, _, err := conn.Read(t.Context())
	if got := websocket.CloseStatus(err); got != 4401 {
		t.Errorf("%s: got close code %d (%v), want 4401", what, got, err)
	}
}

// CheckStates checks the states of a job that completes: the progress never decreases and ends at
// 100. how names the API that reported the states.
func CheckStates(t testing.TB, how string, states []Job) {
	t.Helper()
	last := 0.0
	for _, state := range states {
		if state.Progress < last || (state.Progress == 100) != (state.Status == "COMPLETED") {
			t.Errorf("%s: got %+v after %v %%, want progress that never decreases and 100 when completed", how, state, last)
		}
		last = state.Progress
	}
	if last != 100 {
		t.Errorf("%s: the last progress: got %v, want 100", how, last)
	}
}
