package graph_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"portico/graph/door"
	"portico/graph/limits"
	"portico/limit"
	"portico/model"
)

// These tests open as many subscriptions, sockets or streams as an address may hold without a key,
// and one more.

func TestAnonymous_subscriptions_are_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	first, other, second := w.connect(t, http.Header{}), w.connect(t, http.Header{}), w.connect(t, http.Header{})
	for i := range limits.MaxAddressSubscriptions / 2 {
		for _, s := range []*socket{first, other} {
			s.subscribe(t, fmt.Sprint("n", i), watchSpaceDocument, space.ID)
			s.until(t, "SpaceSnapshot")
		}
	}
	second.subscribe(t, "1", watchSpaceDocument, space.ID)
	second.until(t, "This address already has 200 subscriptions open")
	second.send(t, `{"id":"2","type":"subscribe","payload":{"query":"{ publicSpaces { totalCount } }"}}`)
	second.until(t, `{"totalCount":1}`)
	equal(t, "status of one more stream", w.streamStatus(t, account{}, space), http.StatusOK) // with an error event
	equal(t, "a stream with a key", w.streamStatus(t, w.bob, space), http.StatusOK)
	first.send(t, `{"id":"n7","type":"complete"}`)
	eventually(t, "a place that became free", func() bool {
		s := w.connect(t, http.Header{})
		defer func() { _ = s.CloseNow() }() // closed either way
		s.subscribe(t, "1", watchSpaceDocument, space.ID)
		return strings.Contains(s.next(t), "SpaceSnapshot")
	})
	check(t, errors.Join(first.CloseNow(), other.CloseNow(), second.CloseNow()))
}

func TestAnonymous_subscriptions_with_long_documents_count_more(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	s := w.connect(t, http.Header{})
	long := watchSpaceDocument + "#" + strings.Repeat("x", 20*limits.DocumentUnit)
	for i := range limits.MaxAddressSubscriptions / 21 {
		s.subscribe(t, fmt.Sprint("n", i), long, space.ID)
		s.until(t, "SpaceSnapshot")
	}
	s.subscribe(t, "one more", long, space.ID)
	s.until(t, "RATE_LIMITED")
	s.subscribe(t, "a short one", watchSpaceDocument, space.ID)
	s.until(t, `"id":"a short one","type":"next"`)
}

func TestAnonymous_sockets_are_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range limits.MaxSockets {
		w.connect(t, http.Header{})
	}
	one := w.dial(t, http.Header{})
	one.send(t, `{"type":"connection_init"}`)
	one.closed(t, websocket.StatusTryAgainLater)
	keyed := w.dial(t, http.Header{"Authorization": {"Bearer " + w.bob.key}})
	keyed.send(t, `{"type":"connection_init"}`)
	keyed.until(t, "connection_ack")
}

func TestAnonymous_streams_are_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	for range limits.MaxStreams {
		watchers["SSE"](t, w, watchSpaceDocument, space.ID).until(t, "SpaceSnapshot")
	}
	equal(t, "status of one more", w.streamStatus(t, account{}, space), http.StatusTooManyRequests)
	equal(t, "status with a key", w.streamStatus(t, w.bob, space), http.StatusOK)
}

// streamStatus opens a stream and returns the status of the response.
func (w *world) streamStatus(t *testing.T, who account, space *model.Space) int {
	t.Helper()
	response, err := w.server.Client().Do(w.eventsRequest(t, who, request(watchSpaceDocument, map[string]any{"id": space.ID})))
	check(t, err)
	t.Cleanup(func() { _ = response.Body.Close() }) // the rest is not needed
	return response.StatusCode
}

// behindProxy returns a world with a stopped clock, whose clients send their address in a header.
func behindProxy(t *testing.T) *world {
	t.Helper()
	began := time.Now()
	limiter, err := limit.New(limit.Options{
		Now: func() time.Time { return began }, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	check(t, err)
	return serveWorld(t, door.HandlerOptions{Limiter: limiter, Secret: []byte("a secret of the tests")})
}

func from(address string) http.Header { return http.Header{"X-Forwarded-For": {address}} }

// askFrom sends a request without a key from an address.
func (w *world) askFrom(address, body string) (status int, response string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL, strings.NewReader(body))
	check(w.t, err)
	r.Header = from(address)
	r.Header.Set("Content-Type", "application/json")
	return w.do(r)
}

// TestAnonymous_operations_are_limited checks that addresses have the limits of the table of
// scopes, as accounts have, on sockets too, and that a network of IPv6 counts as one address.
func TestAnonymous_operations_are_limited(t *testing.T) {
	t.Parallel()
	job := request(`{ job(id: "x") { id } }`, nil)
	t.Run("by operation", func(t *testing.T) {
		t.Parallel()
		w := behindProxy(t)
		for i := range 120 {
			if _, response := w.askFrom(fmt.Sprintf("2001:db8::%x", i), job); !strings.Contains(response, "UNAUTHENTICATED") {
				t.Fatalf("job %d: got %s, want it to pass", i, response)
			}
		}
		_, response := w.askFrom("2001:db8::ffff", job)
		if !strings.Contains(response, `"code":"RATE_LIMITED","cost":1,"limit":120,"remaining":0`) {
			t.Errorf("job 121 of a network: got %s, want a refusal", response)
		}
		_, response = w.askFrom("2001:db8:0:1::1", job)
		if !strings.Contains(response, "UNAUTHENTICATED") {
			t.Errorf("another network: got %s, want it to pass", response)
		}
		// 121 requests have counted in the scope of all, the refused one at the door alone.
		for i := range 300 - 121 {
			if status, response := w.askFrom("2001:db8::1", request("{ __typename }", nil)); status != http.StatusOK {
				t.Fatalf("request %d: got %d %s, want it to pass", i, status, response)
			}
		}
		status, _ := w.askFrom("2001:db8::2", request("{ __typename }", nil))
		equal(t, "status of request 301", status, http.StatusTooManyRequests)
	})
	t.Run("on a socket", func(t *testing.T) {
		t.Parallel()
		w := behindProxy(t)
		s := w.connect(t, from("192.0.2.1"))
		ask := func(want string) {
			t.Helper()
			s.send(t, `{"id":"1","type":"subscribe","payload":`+job+`}`)
			s.until(t, want)
			s.send(t, `{"id":"1","type":"complete"}`)
		}
		for range 120 {
			ask("UNAUTHENTICATED")
		}
		ask("RATE_LIMITED")
		other := w.connect(t, from("192.0.2.2"))
		other.send(t, `{"id":"1","type":"subscribe","payload":`+job+`}`)
		other.until(t, "UNAUTHENTICATED")
	})
}

// TestRecordVisit_without_a_key checks that a visit counts once for an address in half an hour, and
// that the database has no address.
func TestRecordVisit_without_a_key(t *testing.T) {
	t.Parallel()
	w := behindProxy(t)
	public, private := w.open(w.alice, model.LinkOnly), w.open(w.alice, model.Private)
	record := func(space *model.Space) string {
		return request(`mutation { recordVisit(input: {spaceId: "`+space.NodeID()+`"}) { space { visitCount } } }`, nil)
	}
	visits := func(what, response string, want int) {
		t.Helper()
		equal(t, what, response, fmt.Sprintf(`{"data":{"recordVisit":{"space":{"visitCount":%d}}}}`, want))
	}
	for range 2 {
		_, response := w.askFrom("203.0.113.7", record(public))
		visits("one address", response, 1)
	}
	_, response := w.askFrom("2001:db8::7", record(public))
	visits("another address", response, 2)
	_, response = w.askFrom("2001:db8::8", record(public))
	visits("its network", response, 2)
	_, response = w.ask(w.bob, record(public))
	visits("an account", response, 3)
	_, response = w.askFrom("203.0.113.7", record(private))
	if !strings.Contains(response, "UNAUTHENTICATED") {
		t.Errorf("a Private space: got %s, want a refusal", response)
	}
	equal(t, "rows with an address", w.count("SELECT count(*) FROM visits WHERE viewer ~ '203[.]0[.]113|2001:db8'"), 0)
	w.exec("UPDATE visits SET counted_at = now() - interval '31 minutes'")
	_, response = w.askFrom("203.0.113.7", record(public))
	visits("the same address half an hour later", response, 4)
}
