package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// watcher is a way to follow a job to its end.
type watcher func(ctx context.Context, c *client, jobID string) (jobState, error)

// watchers returns every way to follow a job.
func watchers() []watcher { return []watcher{poll, watchEvents, watchSocket} }

// jobState is the state of a job that a client received, in the words of GraphQL.
type jobState struct {
	Status      string
	Progress    float64
	ResourceKey string
	Error       string
}

// isEnded reports whether nothing more will happen to the job.
func (s jobState) isEnded() bool { return s.Status == "COMPLETED" || s.Status == "FAILED" }

// errGivenUp is the error of a job whose attempts were all killed. A client uploads again.
type errGivenUp struct{ jobState }

// Error implements error.
func (e errGivenUp) Error() string { return "given up: " + e.jobState.Error }

// err returns nil for a job that was completed.
func (s jobState) err() error {
	switch {
	case s.Status == "COMPLETED":
		return nil
	case strings.HasPrefix(s.Error, "Given up after"):
		return errGivenUp{s}
	}
	return fmt.Errorf("the job failed: %s", s.Error)
}

// observation is what one client sees of one job, over any number of connections.
type observation struct {
	c    *client
	id   string
	last jobState
}

// observe records a state. Progress must never fall, and is 100 only at the end.
//
// It must hold over all connections of a client, even if the first server was killed and another
// one responds. A job that is tried again therefore keeps its progress.
func (s *observation) observe(now jobState) {
	if now.Progress < s.last.Progress {
		s.c.addViolation("job %s: progress %v after %v", s.id, now.Progress, s.last.Progress)
	}
	if (now.Progress == 100) != (now.Status == "COMPLETED") {
		s.c.addViolation("job %s: progress %v while %s", s.id, now.Progress, now.Status)
	}
	s.last = now
}

// poll polls the job, as clients of REST do.
func poll(ctx context.Context, c *client, jobID string) (jobState, error) {
	s := observation{c: c, id: jobID}
	for {
		var response struct {
			Status   string `json:"job_status"`
			Progress float64
			Result   *struct {
				ResourceKey string `json:"resource_key"`
			}
			Error string
		}
		if err := c.call(ctx, http.MethodGet, "/v1/jobs/"+jobID, nil, &response, http.StatusOK); err != nil {
			return s.last, err
		}
		now := jobState{Status: strings.ToUpper(response.Status), Progress: response.Progress, Error: response.Error}
		if response.Result != nil {
			now.ResourceKey = response.Result.ResourceKey
		}
		s.observe(now)
		if now.isEnded() {
			return now, nil
		}
		if err := pause(ctx, c.between(100*time.Millisecond, 400*time.Millisecond)); err != nil {
			return now, err
		}
	}
}

// subscription is the document of clients that subscribe by GraphQL.
func subscription(jobID string) map[string]any {
	return map[string]any{
		"query":     `subscription($id: ID!) { job(id: $id) { status progress resourceKey error } }`,
		"variables": map[string]string{"id": jobID},
	}
}

// result is one result of the subscription.
type result struct {
	Data   struct{ Job jobState }
	Errors []struct{ Message string }
}

// decode reads a result. A result with errors is an error.
func (s *observation) decode(payload []byte) error {
	var response result
	if err := json.Unmarshal(payload, &response); err != nil {
		return err
	}
	if len(response.Errors) > 0 {
		return fmt.Errorf("subscription: %s", response.Errors[0].Message)
	}
	s.observe(response.Data.Job)
	return nil
}

// resubscribeUntilEnded subscribes again until the job has ended. A stream may break at any time,
// but a stream that ends well must have reported the end of the job.
func resubscribeUntilEnded(ctx context.Context, c *client, jobID string, stream func(context.Context, *observation) (complete bool, err error)) (jobState, error) {
	s := &observation{c: c, id: jobID}
	for {
		complete, err := stream(ctx, s)
		switch {
		case s.last.isEnded():
			return s.last, nil
		case ctx.Err() != nil:
			return s.last, errors.Join(ctx.Err(), err)
		case complete:
			return s.last, fmt.Errorf("job %s: the subscription was completed at %+v", jobID, s.last)
		}
		c.add("streams started again", 1)
		if err := pause(ctx, c.between(100*time.Millisecond, 500*time.Millisecond)); err != nil {
			return s.last, err
		}
	}
}

// watchEvents follows a job by server-sent events.
func watchEvents(ctx context.Context, c *client, jobID string) (jobState, error) {
	return resubscribeUntilEnded(ctx, c, jobID, readEvents)
}

// readEvents follows one stream of server-sent events, and reports whether it was
// completed.
func readEvents(ctx context.Context, s *observation) (complete bool, err error) {
	body, err := json.Marshal(subscription(s.id))
	if err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.c.url+"/graphql", bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header = s.c.header()
	request.Header.Set("Accept", "text/event-stream")
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer got.Body.Close() //nolint:errcheck // read only
	if kind := got.Header.Get("Content-Type"); got.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		refusal, err := io.ReadAll(io.LimitReader(got.Body, 1<<16))
		if err == nil {
			s.c.checkTrouble("subscribe", response{status: got.StatusCode, header: got.Header, body: refusal})
		}
		return false, err
	}
	lines, kind := bufio.NewScanner(got.Body), ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch {
		case name == "event":
			kind = strings.TrimSpace(value)
			complete = complete || kind == "complete"
		case name == "data" && kind == "next":
			if err := s.decode([]byte(value)); err != nil {
				return false, err
			}
		}
	}
	return complete, lines.Err()
}

// watchSocket follows a job over a websocket.
func watchSocket(ctx context.Context, c *client, jobID string) (jobState, error) {
	return resubscribeUntilEnded(ctx, c, jobID, readSocket)
}

// readSocket follows one subscription over a socket of its own, in the protocol
// graphql-transport-ws, and reports whether it was completed.
func readSocket(ctx context.Context, s *observation) (complete bool, err error) {
	conn, _, err := websocket.Dial(ctx, strings.Replace(s.c.url, "http", "ws", 1)+"/graphql", //nolint:bodyclose // the library closes it
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return false, err
	}
	defer conn.CloseNow() //nolint:errcheck // broken, or closed already
	hello := map[string]any{"type": "connection_init", "payload": map[string]string{"Authorization": "Bearer " + s.c.key}}
	if err := wsjson.Write(ctx, conn, hello); err != nil {
		return false, err
	}
	for {
		var message struct {
			Type    string
			Payload json.RawMessage
		}
		if err := wsjson.Read(ctx, conn, &message); err != nil {
			return false, err
		}
		switch message.Type {
		case "connection_ack":
			err = wsjson.Write(ctx, conn, map[string]any{"id": "1", "type": "subscribe", "payload": subscription(s.id)})
		case "next":
			err = s.decode(message.Payload)
		case "complete":
			return true, nil
		case "error":
			return false, fmt.Errorf("subscription: %s", message.Payload)
		}
		if err != nil {
			return false, err
		}
	}
}
