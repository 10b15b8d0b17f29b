package graph_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"portico/graph/limits"
	"portico/model"
)

// subscribeJob is the message that subscribes to a job.
func subscribeJob(id string) string {
	return `{"id":"1","type":"subscribe","payload":` + request(watchJob, map[string]any{"id": id}) + `}`
}

// initWith is the first message, with a key.
func initWith(key string) string {
	return `{"type":"connection_init","payload":{"Authorization":"Bearer ` + key + `"}}`
}

func TestWebSocket_reports_the_progress_of_a_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, connect := range map[string]func(t *testing.T) *socket{
		"in connection_init": func(t *testing.T) *socket {
			s := w.dial(t, http.Header{})
			s.send(t, initWith(w.alice.key))
			return s
		},
		"in the header": func(t *testing.T) *socket {
			s := w.dial(t, http.Header{"Authorization": {"Bearer " + w.alice.key}})
			s.send(t, `{"type":"connection_init"}`)
			return s
		},
		"in connection_init over a bad one in the header": func(t *testing.T) *socket {
			s := w.dial(t, http.Header{"Authorization": {"Bearer " + w.alice.key + "x"}})
			s.send(t, initWith(w.alice.key))
			return s
		},
		"of a page of another site": func(t *testing.T) *socket {
			s := w.dial(t, http.Header{"Origin": {"https://elsewhere.example"}})
			s.send(t, initWith(w.alice.key))
			return s
		},
	} {
		t.Run("with a key "+name, func(t *testing.T) {
			t.Parallel()
			job := w.job(w.alice)
			s := connect(t)
			s.until(t, `"type":"connection_ack"`)
			s.send(t, subscribeJob(job.ID))
			w.works(job, func(message, status string, progress int) {
				t.Helper()
				s.until(t, fmt.Sprintf(`"status":"%s","progress":%d,"message":"%s"`, status, progress, message))
			})
			s.until(t, `{"id":"1","type":"complete"}`)
			s.send(t, `{"id":"2","type":"subscribe","payload":{"query":"{ viewer { email } }"}}`)
			s.until(t, `{"id":"2","type":"next","payload":{"data":{"viewer":{"email":"alice@example.com"}}}}`)
		})
	}
}

func TestWebSocket_is_closed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, test := range map[string]struct {
		header http.Header
		init   string
		code   websocket.StatusCode
	}{
		"a bad key":                   {http.Header{}, initWith("portico_x"), 4401},
		"no bearer":                   {http.Header{}, `{"type":"connection_init","payload":{"Authorization":"` + w.alice.key + `"}}`, 4401},
		"a bad header":                {http.Header{"Authorization": {"Bearer x"}}, `{"type":"connection_init"}`, 4401},
		"a good header and a bad key": {http.Header{"Authorization": {"Bearer " + w.alice.key}}, initWith("portico_x"), 4401},
		"a number":                    {http.Header{}, `{"type":"connection_init","payload":{"Authorization":1}}`, 4400},
		"subscribe at once":           {http.Header{"Authorization": {"Bearer " + w.alice.key}}, subscribeJob("any"), 4401},
	} {
		t.Run("for "+name, func(t *testing.T) {
			t.Parallel()
			s := w.dial(t, test.header)
			s.send(t, test.init)
			s.closed(t, test.code)
		})
	}
}

func TestWebSocket_answers_an_error_for_the_operation_alone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.dial(t, http.Header{"Authorization": {"Bearer " + w.bob.key}})
	s.send(t, `{"type":"connection_init"}`)
	s.until(t, `"type":"connection_ack"`)
	s.send(t, subscribeJob(w.job(w.alice).ID))
	s.until(t, `"code":"NOT_FOUND"`)
	s.send(t, `{"type":"ping"}`)
	s.until(t, `"type":"pong"`)
}

func TestWebSocket_is_closed_with_4500_when_the_database_is_away(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.dial(t, http.Header{})
	w.exec("ALTER TABLE api_keys RENAME TO keys_away")
	s.send(t, initWith(w.alice.key))
	s.closed(t, 4500)
	equal(t, "lines in the log", strings.Count(w.log.String(), `msg="internal error" door=graphql step=connection_init`), 1)
}

func TestSockets_are_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	header := http.Header{"Authorization": {"Bearer " + w.alice.key}}
	open := func(header http.Header) *socket {
		s := w.dial(t, header)
		s.send(t, `{"type":"connection_init"}`)
		return s
	}
	for range limits.MaxSockets {
		open(header).until(t, `"type":"connection_ack"`)
	}
	open(header).closed(t, websocket.StatusTryAgainLater)
	open(http.Header{"Authorization": {"Bearer " + w.bob.key}}).until(t, `"type":"connection_ack"`)
}

// TestSubscriptions_are_limited fills the subscriptions of an account over two sockets, in few
// steps: a long document counts as many subscriptions.
func TestSubscriptions_are_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	connect := func(who account) *socket { return w.connect(t, http.Header{"Authorization": {"Bearer " + who.key}}) }
	first, second, bob := connect(w.alice), connect(w.alice), connect(w.bob)
	const counts = 21 // how many times the document counts
	long := watchSpaceDocument + "#" + strings.Repeat("x", (counts-1)*limits.DocumentUnit)
	for i := range limits.MaxAccountSubscriptions / counts {
		first.subscribe(t, fmt.Sprint("n", i), long, space.ID)
		first.until(t, "SpaceSnapshot")
	}
	second.subscribe(t, "one more", long, space.ID)
	if got, want := second.next(t), "This account already has 1000 subscriptions open"; !strings.Contains(got, want) || !strings.Contains(got, "RATE_LIMITED") {
		t.Errorf("one more subscription: got %s, want RATE_LIMITED and %q", got, want)
	}
	second.subscribe(t, "a short one", watchSpaceDocument, space.ID)
	second.until(t, `"id":"a short one","type":"next"`)
	bob.subscribe(t, "another account", long, space.ID)
	bob.until(t, `"id":"another account","type":"next"`)
	first.send(t, `{"id":"n7","type":"complete"}`)
	eventually(t, "a place that became free", func() bool {
		s := connect(w.alice)
		defer func() { _ = s.CloseNow() }() // closed either way
		s.subscribe(t, "1", long, space.ID)
		return strings.Contains(s.next(t), "SpaceSnapshot")
	})
}

// socket is a client's end of a WebSocket.
type socket struct {
	*websocket.Conn
	ctx context.Context
}

func (w *world) dial(t *testing.T, header http.Header) *socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, w.server.URL, &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: header,
	})
	check(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() }) // closed either way
	return &socket{conn, ctx}
}

func (s *socket) send(t *testing.T, message string) {
	t.Helper()
	check(t, s.Write(s.ctx, websocket.MessageText, []byte(message)))
}

// until reads messages up to one with the text.
func (s *socket) until(t *testing.T, text string) {
	t.Helper()
	for {
		_, message, err := s.Read(s.ctx)
		if err != nil {
			t.Fatalf("socket: got %v, want a message with %q", err, text)
		}
		if strings.Contains(string(message), text) {
			return
		}
	}
}

// closed reads up to the end, which must have the code.
func (s *socket) closed(t *testing.T, want websocket.StatusCode) {
	t.Helper()
	for {
		_, _, err := s.Read(s.ctx)
		if err == nil {
			continue
		}
		got, ok := errors.AsType[websocket.CloseError](err)
		if !ok || got.Code != want {
			t.Errorf("close: got %v, want code %d", err, want)
		}
		return
	}
}
