package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/internal/testkit/api"
)

// webhookReceiver receives events. While it is blocked, it responds to none.
type webhookReceiver struct {
	url string

	mu   sync.Mutex
	held chan struct{} // closed when requests get responses
	got  []receivedEvent
}

// receivedEvent is an event and the entities that it says were created.
type receivedEvent struct{ id, created string }

func receiveWebhooks(t *testing.T) *webhookReceiver {
	t.Helper()
	r := &webhookReceiver{held: make(chan struct{})}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	t.Cleanup(r.release) // before the server is closed, which waits for its requests
	r.url = server.URL
	return r
}

// ServeHTTP implements http.Handler.
func (r *webhookReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var event struct{ Data struct{ Created []string } }
	body, err := io.ReadAll(request.Body)
	if err != nil || json.Unmarshal(body, &event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.got = append(r.got, receivedEvent{request.Header.Get("Webhook-Id"), strings.Join(event.Data.Created, " ")})
	held := r.held
	r.mu.Unlock()
	select {
	case <-held:
	case <-request.Context().Done():
	}
}

// release responds to the requests from now on.
func (r *webhookReceiver) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.held:
	default:
		close(r.held)
	}
}

// events returns what has arrived so far.
func (r *webhookReceiver) events() []receivedEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// An event whose delivery was under way when its server was killed is sent again, under the
// same id, and later events of the space come after it.
func TestWebhooks_outlive_their_server(t *testing.T) {
	t.Parallel()
	receiver := receiveWebhooks(t)
	networks := "PORTICO_WEBHOOK_NETWORKS=127.0.0.0/8"
	server := serve(t, dataDir(t), networks)
	c := server.newUser(t, "listener@example.com")
	check(t, c.GraphQL(`mutation ($url: String!) { createWebhook(input: {url: $url, events: [ENTITY_CHANGED]}) { webhook { id } } }`,
		map[string]any{"url": receiver.url}, nil))
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]string{"title": "Watched"}).Want(201, &space)
	entities := "/v1/spaces/" + space.SpaceID + "/entities"
	c.Call("POST", entities, map[string]string{"entity_id": "first"}).Want(201, nil)
	api.Eventually(t, "an event is under way", func() bool { return len(receiver.events()) == 1 })
	c.Call("POST", entities, map[string]string{"entity_id": "second"}).Want(201, nil)

	check(t, server.Cmd.Process.Kill())
	server.Wait()
	receiver.release()
	delivered := startTimer(t, "delivery after the kill")
	c = serve(t, server.dir, networks).reconnect(c)
	api.Eventually(t, "both events have arrived", func() bool { return len(receiver.events()) >= 3 })
	delivered()
	c.Call("POST", entities, map[string]string{"entity_id": "third"}).Want(201, nil)
	api.Eventually(t, "the third event has arrived", func() bool { return len(receiver.events()) >= 4 })
	got := receiver.events()
	var created []string
	for _, event := range got {
		created = append(created, event.created)
	}
	if want := []string{"first", "first", "second", "third"}; !slices.Equal(created, want) || got[0].id != got[1].id || got[1].id == got[2].id {
		t.Errorf("events: got %v, want %v, the first two under one id", got, want)
	}
}
