package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

const complete = "event: complete\ndata: \n\n"

func next(body string) string { return "event: next\ndata: " + body + "\n\n" }

// TestSSE has a row per kind of operation; every stream ends by itself.
func TestSSE(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, SSE{Present: present})
	notFound := `{"errors":[{"message":"Job not found","extensions":{"code":"NOT_FOUND"}}]}`
	for _, test := range []struct{ name, method, query, want string }{
		{"streams a subscription", "POST", "subscription{count(to:2)}", next(`{"data":{"count":1}}`) + next(`{"data":{"count":2}}`) + complete},
		{"streams a subscription by GET", "GET", "subscription{count(to:1)}", next(`{"data":{"count":1}}`) + complete},
		{"runs a query", "GET", "{hello}", next(`{"data":{"hello":"hello"}}`) + complete},
		{"runs a mutation", "POST", "mutation{set(value:1)}", next(`{"data":{"set":1}}`) + complete},
		{"streams deferred parts", "POST", "{deferred}", next(`{"data":{},"hasNext":true}`) + next(`{"data":{},"hasNext":false}`) + complete},
		{"sends errors of validation in the stream", "POST", "{ nope }", next(unknownField) + complete},
		{"sends why a subscription does not start", "POST", "subscription{missing}", next(notFound) + complete},
		{"ends at a request error", "POST", "subscription{breaks}", next(`{"data":{"breaks":1}}`) + next(notFound) + complete},
		{"turns a panic into an error", "POST", "subscription{panics}", next(internalText) + complete},
		{"turns a later panic into an error", "POST", "subscription{panicsLater}", next(`{"data":{"panicsLater":1}}`) + next(internalText) + complete},
		{"keeps a document on one line", "POST", "subscription{document}", next(`{"data":{"document":{"n":12345678901234567890,"x":1.10,"h":"<&>"}}}`) + complete},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response, body := do(t, server, newEventRequest(t, test.method, server.URL, test.query))
			if got, want := body, ":\n\n"+test.want; got != want {
				t.Errorf("body: got %q, want %q", got, want)
			}
			for name, want := range map[string]string{
				"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
			} {
				if got := response.Header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestSSE_refuses has a row per request that does not become a stream.
func TestSSE_refuses(t *testing.T) {
	t.Parallel()
	limit := &model.Error{Code: model.CodeRateLimited, Message: "Too many streams", RetryAfter: 1500 * time.Millisecond}
	for _, test := range []struct {
		name, method, query string
		acquire             error
		status              int
		header, value, want string
	}{
		{"a mutation by GET", "GET", "mutation{set(value:1)}", nil, 405, "Allow", "POST", invalid("A mutation needs POST")},
		{"a request without a query", "GET", "", nil, 400, "", "", invalid("query must be a string")},
		{"a stream too many", "POST", "{hello}", limit, 429, "Retry-After", "2", `{"errors":[{"message":"Too many streams","extensions":{"code":"RATE_LIMITED"}}]}`},
		{"a stream when the limiter fails", "POST", "{hello}", errors.New("redis"), 500, "", "", internalText},
		{"a large body", "POST", strings.Repeat("x", 1000), nil, 413, "", "", `{"errors":[{"message":"Body is larger than 1000 bytes","extensions":{"code":"TOO_LARGE"}}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			acquire := func(context.Context) (func(), error) { return func() {}, test.acquire }
			server, _ := newServer(t, SSE{Acquire: acquire, MaxBody: 1000})
			response, body := do(t, server, newEventRequest(t, test.method, server.URL, test.query))
			if got, want := response.StatusCode, test.status; got != want {
				t.Errorf("status: got %d, want %d", got, want)
			}
			if got, want := response.Header.Get(test.header), test.value; got != want {
				t.Errorf("%s: got %q, want %q", test.header, got, want)
			}
			if got, want := body, test.want; got != want {
				t.Errorf("body: got %s, want %s", got, want)
			}
		})
	}
}

func TestSSE_sends_comments_while_nothing_happens(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, SSE{KeepAlive: time.Millisecond})
	stream := openStream(t, server, "subscription{wait}")
	stream.expect(t, ":\n\n"+next(`{"data":{"wait":1}}`)+":\n\n:\n\n")
}

func TestSSE_stops_and_releases_when_the_client_leaves(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	server, schema := newServer(t, SSE{Acquire: func(context.Context) (func(), error) {
		return func() { close(released) }, nil
	}})
	stream := openStream(t, server, "subscription{wait}")
	stream.expect(t, ":\n\n"+next(`{"data":{"wait":1}}`))
	stream.cancel()
	receive(t, schema.stopped)
	receive(t, released)
}

func TestSSE_ends_without_complete_when_the_server_stops(t *testing.T) {
	t.Parallel()
	server, stop := newStoppable(t, SSE{})
	stream := openStream(t, server, "subscription{wait}")
	stream.expect(t, ":\n\n"+next(`{"data":{"wait":1}}`))
	stop(context.Canceled)
	stream.expectEnd(t, "")
}

func TestSSE_sends_that_the_key_was_revoked(t *testing.T) {
	t.Parallel()
	server, stop := newStoppable(t, SSE{})
	stream := openStream(t, server, "subscription{wait}")
	stream.expect(t, ":\n\n"+next(`{"data":{"wait":1}}`))
	stop(&model.Error{Code: model.CodeUnauthenticated, Message: "Key revoked"})
	stream.expectEnd(t, next(`{"errors":[{"message":"Key revoked","extensions":{"code":"UNAUTHENTICATED"}}]}`)+complete)
}

func TestSSE_ends_when_the_client_does_not_read(t *testing.T) {
	t.Parallel()
	server, schema := newServer(t, SSE{WriteTimeout: 2 * time.Second})
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := newEventRequest(t, http.MethodGet, server.URL, "subscription{flood}")
	if err := request.Write(conn); err != nil {
		t.Fatal(err)
	}
	receive(t, schema.stopped)
}

func TestSSE_outlives_the_servers_timeouts(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(newHandler(newTestSchema(), SSE{KeepAlive: 500 * time.Millisecond}))
	server.Config.ReadTimeout = 2 * time.Second
	server.Config.WriteTimeout = 2 * time.Second
	server.Start()
	t.Cleanup(server.Close)
	stream := openStream(t, server, "subscription{wait}")
	stream.expect(t, ":\n\n"+next(`{"data":{"wait":1}}`)+strings.Repeat(":\n\n", 5)) // for longer than both
}

func TestSSE_leaves_the_connection_to_the_next_request(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	server, _ := newServer(t, SSE{WriteTimeout: timeout})
	// The last request comes when the time of the first is over.
	for began := time.Now(); time.Since(began) < 2*timeout; {
		_, body := do(t, server, newEventRequest(t, http.MethodPost, server.URL, "{hello}"))
		if got, want := body, ":\n\n"+next(`{"data":{"hello":"hello"}}`)+complete; got != want {
			t.Errorf("body: got %q, want %q", got, want)
		}
	}
}

func TestSSE_ends_when_nothing_can_be_written(t *testing.T) {
	t.Parallel()
	request := newEventRequest(t, http.MethodGet, "http://example.com/", "subscription{wait}")
	newHandler(newTestSchema(), SSE{}).ServeHTTP(brokenWriter{http.Header{}}, request)
}

// brokenWriter is a connection that has been lost.
type brokenWriter struct{ header http.Header }

func (w brokenWriter) Header() http.Header     { return w.header }
func (brokenWriter) WriteHeader(int)           {}
func (brokenWriter) Write([]byte) (int, error) { return 0, net.ErrClosed }

// stream is a client's end of an event stream.
type stream struct {
	body   *bufio.Reader
	cancel func()
}

func openStream(t *testing.T, server *httptest.Server, query string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	t.Cleanup(cancel)
	request := newEventRequest(t, http.MethodPost, server.URL, query).WithContext(ctx)
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return &stream{bufio.NewReader(response.Body), cancel}
}

func (s *stream) expect(t *testing.T, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(s.body, got); err != nil || string(got) != want {
		t.Fatalf("stream: got %q and %v, want %q", got[:n], err, want)
	}
}

func (s *stream) expectEnd(t *testing.T, want string) {
	t.Helper()
	got, err := io.ReadAll(s.body)
	if err != nil || string(got) != want {
		t.Fatalf("end of the stream: got %q and %v, want %q", got, err, want)
	}
}

// newEventRequest asks for a stream; without a query it has none of its members.
func newEventRequest(t *testing.T, method, address, query string) *http.Request {
	t.Helper()
	request := newRequest(t, method, address, `{"query":"`+query+`"}`)
	if method == http.MethodGet {
		request = newRequest(t, method, address, "")
		if query != "" {
			request.URL.RawQuery = url.Values{"query": {query}}.Encode()
		}
	}
	request.Header.Set("Content-Type", mediaJSON)
	request.Header.Set("Accept", mediaEvents)
	return request
}

// newStoppable is a server whose requests can be canceled with a cause.
func newStoppable(t *testing.T, transport graphql.Transport) (*httptest.Server, context.CancelCauseFunc) {
	t.Helper()
	ctx, stop := context.WithCancelCause(context.Background())
	server := httptest.NewUnstartedServer(newHandler(newTestSchema(), transport))
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	t.Cleanup(server.Close)
	return server, stop
}

// timeout is how long a test waits for a condition, which takes milliseconds on an idle machine.
const timeout = time.Minute

// receive waits for what must come.
func receive[T any](t *testing.T, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(timeout):
		t.Fatalf("got nothing within %v", timeout)
	}
	return value
}
