package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// The clients that work on entities during a fault.
const (
	entitiesOfFault = 4
	clientsOfEntity = 4
)

// failoverLoad is what clients do during all faults: they publish captures, publish spaces to
// followers, and receive webhooks.
type failoverLoad struct {
	*failover
	publishers []*client
	announcers []*client // whose followers are notified
	followerID string
	received   *receiver

	mu        sync.Mutex
	published []*published
	announced []string // ids of spaces that were confirmed to be public
	edited    []*history
}

// newLoad creates the accounts.
func (f *failover) newLoad(ctx context.Context) (*failoverLoad, error) {
	l := &failoverLoad{failover: f}
	var err error
	if l.received, err = startReceiver(ctx, f.world); err != nil {
		return nil, err
	}
	account := func(name string) (*client, error) {
		c, err := f.addUser(ctx, name)
		if err != nil {
			return nil, err
		}
		mutation := `mutation { createWebhook(input: {url: "` + l.received.url + `", events: [JOB_ENDED, SPACE_PUBLISHED, ENTITY_CHANGED]}) { secret } }`
		return c, c.at(f.servers[0], false).mutate(ctx, mutation)
	}
	editor, err := account("editor")
	if err != nil {
		return nil, err
	}
	follower, err := account("follower")
	if err != nil {
		return nil, err
	}
	l.followerID = follower.id
	for i, s := range f.servers {
		f.editors = append(f.editors, editor.at(s, false))
		publisher, err := account(fmt.Sprint("publisher", i))
		if err != nil {
			return nil, err
		}
		announcer, err := account(fmt.Sprint("announcer", i))
		if err != nil {
			return nil, err
		}
		l.publishers = append(l.publishers, publisher.at(s, false))
		l.announcers = append(l.announcers, announcer.at(s, false))
		if err := follower.at(s, false).mutate(ctx, `mutation { followUser(input: {userId: "`+announcer.id+`"}) { __typename } }`); err != nil {
			return nil, err
		}
	}
	f.probeSpace, err = f.editors[0].newSpace(ctx, "Probe")
	return l, err
}

// mutate runs a mutation of GraphQL.
func (c *client) mutate(ctx context.Context, mutation string) error {
	body, err := json.Marshal(map[string]string{"query": mutation})
	if err != nil {
		return err
	}
	got, err := c.send(ctx, http.MethodPost, c.url+"/graphql", c.header(), body)
	if err == nil && errorCode(got.body) != "" {
		err = fmt.Errorf("%s: %s", mutation, got.body)
	}
	return err
}

// newSpace creates a space.
func (c *client) newSpace(ctx context.Context, title string) (string, error) {
	var space struct{ SpaceID string }
	err := c.call(ctx, http.MethodPost, "/v1/spaces", map[string]string{"title": title}, &space, http.StatusCreated)
	return space.SpaceID, err
}

// newHistories creates a space and returns histories of entities in it, which are not there yet.
func (l *failoverLoad) newHistories(ctx context.Context) ([]*history, error) {
	spaceID, err := l.editors[0].newSpace(ctx, "Edited")
	if err != nil {
		return nil, err
	}
	histories := make([]*history, entitiesOfFault)
	for i := range histories {
		histories[i] = &history{spaceID: spaceID, entityID: fmt.Sprint("entity", i), start: time.Now()}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edited = append(l.edited, histories...)
	return histories, nil
}

// start starts the clients. stop returns when all have finished what they had begun.
func (l *failoverLoad) start(ctx context.Context) (stop func()) {
	stopping := make(chan struct{})
	var working sync.WaitGroup
	repeat := func(shortest, longest time.Duration, act func(number int) error) {
		working.Go(func() {
			for number := 0; ; number++ {
				select {
				case <-stopping:
					return
				case <-ctx.Done():
					return
				case <-time.After(l.between(shortest, longest)):
				}
				if err := act(number); err != nil {
					l.addViolation("%v", err)
				}
			}
		})
	}
	for i, c := range l.publishers {
		repeat(time.Second, 3*time.Second, func(number int) error {
			p, err := c.publishNumber(ctx, number+i)
			if err != nil {
				return fmt.Errorf("publish: %w", err)
			}
			l.add(countRuns, 1)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.published = append(l.published, p)
			return nil
		})
	}
	for _, c := range l.announcers {
		repeat(300*time.Millisecond, time.Second, func(int) error { return l.announce(ctx, c) })
	}
	return func() {
		close(stopping)
		working.Wait()
	}
}

// announce makes a space public and has the followers notified.
func (l *failoverLoad) announce(ctx context.Context, c *client) error {
	spaceID, err := c.newSpace(ctx, "Announced")
	if err != nil {
		return err
	}
	change := map[string]any{"spaceId": spaceID, "roomPrivacy": "Public", "informFollowers": true}
	if err := c.call(ctx, http.MethodPost, "/v1/spaces/update-privacy", change, nil, http.StatusOK); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.announced = append(l.announced, spaceID)
	return nil
}

// audit looks for what was lost or done twice.
func (l *failoverLoad) audit(ctx context.Context) error {
	err := awaitCondition(ctx, idleTimeout, "all webhooks are sent", func() (bool, error) {
		left, err := l.database.queryInt(ctx, `SELECT (SELECT count(*) FROM webhook_deliveries WHERE ended_at IS NULL)
			+ (SELECT count(*) FROM changes)`)
		return left == 0, err
	})
	if err != nil {
		return err
	}
	if err := errors.Join(l.checkRows(ctx), l.checkDeliveries(ctx)); err != nil {
		return err
	}
	return l.world.audit(ctx, append(l.publishers, l.editors[0]), l.published, l.services...)
}

// checkRows looks for things that happened once and left two rows or none.
func (l *failoverLoad) checkRows(ctx context.Context) error {
	for _, rule := range []struct{ lost, doubled, query string }{
		{"job without its webhook", "job with %s webhooks", `
			SELECT j.id, (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.type = 'job.ended' AND d.payload::jsonb #>> '{data,jobId}' = j.id)
			FROM jobs j JOIN webhooks w USING (user_id)`},
		{"public space without its webhook", "public space with %s webhooks", `
			SELECT s.id, (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.type = 'space.published' AND d.payload::jsonb #>> '{data,spaceId}' = s.id)
			FROM spaces s JOIN webhooks w ON w.user_id = s.owner_id WHERE s.privacy = 'Public'`},
		{"public space without a notification", "public space with %s notifications", `
			SELECT s.id, (SELECT count(*) FROM notifications n WHERE n.user_id = '` + l.followerID + `' AND n.space_id = s.id)
			FROM spaces s WHERE s.privacy = 'Public'`},
	} {
		counts, err := l.counts(ctx, rule.query)
		if err != nil {
			return err
		}
		for id, n := range counts {
			switch {
			case n == 0:
				l.addLost("%s: %s", rule.lost, id)
			case n > 1:
				l.add("doubled", 1)
				l.addViolation(rule.doubled+": %s", strconv.Itoa(n), id)
			}
		}
	}
	public, err := l.counts(ctx, "SELECT id, 1 FROM spaces WHERE privacy = 'Public'")
	for _, id := range l.announced {
		if public[id] == 0 && err == nil {
			l.addLost("a space that was confirmed to be public is not: %s", id)
		}
	}
	l.add("spaces announced", len(l.announced))
	return err
}

// counts returns the numbers of a query by their ids.
func (l *failoverLoad) counts(ctx context.Context, query string) (map[string]int, error) {
	counts := map[string]int{}
	err := l.database.withConnection(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query)
		if err != nil {
			return err
		}
		var id string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error { counts[id] = n; return nil })
		return err
	})
	return counts, err
}

// checkDeliveries compares the log of webhooks with what was received.
func (l *failoverLoad) checkDeliveries(ctx context.Context) error {
	sent, err := l.database.queryTexts(ctx, "SELECT id FROM webhook_deliveries WHERE delivered")
	if err != nil {
		return err
	}
	l.received.mu.Lock()
	defer l.received.mu.Unlock()
	for _, id := range sent {
		if l.received.times[id] == 0 {
			l.addLost("webhook %s is logged as sent and was not received", id)
		}
	}
	again := 0
	for _, times := range l.received.times {
		again += times - 1
	}
	l.add("webhooks received", len(l.received.times))
	l.add("webhooks received again with the same id", again)
	for _, h := range l.edited {
		if h.numbers > 0 && !l.received.changed[h.spaceID+" "+h.entityID] {
			l.addLost("entity %s of space %s changed, and no webhook said so", h.entityID, h.spaceID)
		}
	}
	unsent, err := l.database.queryTexts(ctx, "SELECT coalesce(failure::text, 'nothing') FROM webhook_deliveries WHERE NOT delivered")
	for _, failure := range unsent {
		l.addLost("a webhook was given up: %s", failure)
	}
	return err
}

// receiver receives webhooks.
type receiver struct {
	url string

	mu      sync.Mutex
	times   map[string]int  // that each webhook-id was received
	changed map[string]bool // spaces and entities that events named
}

// startReceiver starts a server for the webhooks of all accounts.
func startReceiver(ctx context.Context, w *world) (*receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + listener.Addr().String() + "/", times: map[string]int{}, changed: map[string]bool{}}
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until it is closed
	w.onClose(server.Close)
	return r, nil
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	var event struct {
		Data struct {
			SpaceID                   string
			Created, Updated, Deleted []string
		}
	}
	if json.NewDecoder(request.Body).Decode(&event) != nil {
		return // a broken request, which is sent again
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[strings.Clone(request.Header.Get("webhook-id"))]++
	for _, ids := range [][]string{event.Data.Created, event.Data.Updated, event.Data.Deleted} {
		for _, id := range ids {
			r.changed[event.Data.SpaceID+" "+id] = true
		}
	}
}
