package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

// The protocols of subscribers.
const (
	protocolWebSocket = "WebSocket"
	protocolSSE       = "SSE"
)

// subscription is the payload that follows the space: the fields that a viewer shows.
const subscription = `{"query":"subscription($id: ID!) { space(id: $id) { __typename ` +
	`... on EntityChanged { entity { entityId type data changedAt } } } }","variables":{"id":"%s"}}`

// parallelConnects is how many subscribers connect at a time.
const parallelConnects = 20

// subscribe connects all subscribers and returns when each has the snapshot. wait returns
// when they have ended, which they do with ctx.
func (f fanout) subscribe(ctx context.Context, s *server, keys []string, d *delivery) (wait func(), err error) {
	var tasks sync.WaitGroup
	slots, results := make(chan struct{}, parallelConnects), make(chan error, f.Subscribers)
	open := openWebSocket
	if f.Protocol == protocolSSE {
		open = openStream
	}
	for i := range f.Subscribers {
		// Together they would overflow the backlog of the listener.
		slots <- struct{}{}
		tasks.Go(func() {
			events, err := open(ctx, s.child.address, keys[i/subscribersPerAccount], fmt.Sprintf(subscription, s.world.work))
			if err == nil {
				_, err = events.next() // the snapshot
			}
			<-slots
			results <- err
			if err == nil {
				receive(events, d)
			}
		})
	}
	for range f.Subscribers {
		err = errors.Join(err, <-results)
	}
	return tasks.Wait, err
}

// receive records the changes that arrive, until the events end.
//
// The data of an entity that change has updated names the change:
//
//	"change": "change#17#"
//
// Events without one, such as heartbeats, are not counted.
func receive(events events, d *delivery) {
	for {
		event, err := events.next()
		if err != nil {
			return
		}
		_, after, found := bytes.Cut(event, []byte("change#"))
		number, _, _ := bytes.Cut(after, []byte("#"))
		if change, err := strconv.Atoi(string(number)); found && err == nil {
			d.recordReceipt(change)
		}
	}
}

type events interface{ next() ([]byte, error) }

// socketEvents are the events of a WebSocket (graphql-transport-ws).
type socketEvents struct {
	ctx  context.Context //nolint:containedctx // of the subscriber, whose only call is next
	conn *websocket.Conn
}

func (e socketEvents) next() ([]byte, error) {
	_, message, err := e.conn.Read(e.ctx)
	return message, err
}

// openWebSocket connects and subscribes. The key is in connection_init, as browsers send
// it, which cannot set headers.
//
// The messages, of which the server's are on the right:
//
//	connection_init
//	                    connection_ack
//	subscribe
//	                    next, any number of times
func openWebSocket(ctx context.Context, address, key, payload string) (events, error) {
	options := &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}}
	conn, _, err := websocket.Dial(ctx, "ws://"+address+"/graphql", options) //nolint:bodyclose // Dial documents that it needs no closing
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.CloseNow() }) // closed either way
	for _, message := range []string{
		`{"type":"connection_init","payload":{"Authorization":"Bearer ` + key + `"}}`,
		`{"id":"1","type":"subscribe","payload":` + payload + `}`,
	} {
		if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			return nil, err
		}
		if message[2] == 't' { // connection_init, which is acknowledged
			if _, _, err := conn.Read(ctx); err != nil {
				return nil, err
			}
		}
	}
	return socketEvents{ctx, conn}, nil
}

// streamEvents are the events of an event stream (graphql-sse, distinct connections).
type streamEvents struct{ lines *bufio.Reader }

// next returns the next line with data.
func (e streamEvents) next() ([]byte, error) {
	for {
		line, err := e.lines.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if data, ok := bytes.CutPrefix(line, []byte("data: {")); ok {
			return data, nil
		}
	}
}

// openStream subscribes by a request whose response does not end.
func openStream(ctx context.Context, address, key, payload string) (events, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/graphql", strings.NewReader(payload))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // each stream is a connection
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = response.Body.Close() }) // read no more
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return nil, fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	return streamEvents{bufio.NewReaderSize(response.Body, 4<<10)}, nil
}
