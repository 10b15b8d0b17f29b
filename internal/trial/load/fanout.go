package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portico/model"
)

// nameFanout selects the delivery of changes to subscribers, which has its own table.
const nameFanout = "fanout"

// fanout is a measurement: how a space's changes reach its subscribers.
type fanout struct {
	Protocol    string `json:"protocol"`
	Subscribers int    `json:"subscribers"`
	Rate        int    `json:"changes_per_second"`
}

// fanouts are measured one after the other.
func fanouts() []fanout {
	return []fanout{
		// Both products are 10,000 events a second: many changes for some, and some for
		// many.
		{protocolWebSocket, 500, 20}, {protocolSSE, 500, 20},
		{protocolWebSocket, 1000, 10}, {protocolSSE, 1000, 10},
	}
}

// fanoutTime is how long changes are made.
const fanoutTime = 10 * time.Second

// fanoutResult is what a measurement came to. Latencies are from the start of the request
// that makes a change to the receipt of the event.
type fanoutResult struct {
	fanout
	Delivered int           `json:"delivered"`
	Expected  int           `json:"expected"`
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	// Server, Database and Client are cores, by CPU time.
	Server   float64 `json:"server_cores"`
	Database float64 `json:"database_cores"`
	Client   float64 `json:"client_cores"`
}

// measureFanouts measures all of them against one process of Portico.
func measureFanouts(ctx context.Context, w *world, portico string) (all []fanoutResult, err error) {
	child, err := startPortico(ctx, w, portico)
	if child != nil {
		defer child.stop()
	}
	if err != nil {
		return nil, err
	}
	s := &server{world: w, title: nameFanout, child: child}
	subscribers := 0
	for _, f := range fanouts() {
		subscribers = max(subscribers, f.Subscribers)
	}
	keys, err := w.addSubscribers(ctx, subscribers)
	if err != nil {
		return nil, err
	}
	for _, f := range fanouts() {
		fmt.Fprintf(os.Stderr, "load: %d subscribers over %s, %d changes a second\n", f.Subscribers, f.Protocol, f.Rate)
		result, err := f.measure(ctx, s, keys)
		if err != nil {
			return nil, fmt.Errorf("%d subscribers over %s: %w", f.Subscribers, f.Protocol, err)
		}
		all = append(all, result)
	}
	return all, nil
}

// delivery records when changes were made and received.
type delivery struct {
	// Atomic, because the response to an update may come after its event.
	started []atomic.Int64 // by change, in nanoseconds
	// mu protects latency, to which all subscribers append.
	mu      sync.Mutex
	latency []time.Duration
}

// recordReceipt records the receipt of a change by one subscriber.
func (d *delivery) recordReceipt(change int) {
	latency := time.Duration(time.Now().UnixNano() - d.started[change].Load())
	d.mu.Lock()
	defer d.mu.Unlock()
	d.latency = append(d.latency, latency)
}

// count returns how many events were received by all subscribers.
func (d *delivery) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.latency)
}

// measure subscribes, makes the changes at the rate, and waits until all were received or
// nothing more arrives.
//
// The owner makes the changes. The subscribers have accounts of their own, to which the space is
// open because it is Public.
func (f fanout) measure(ctx context.Context, s *server, keys []string) (result fanoutResult, err error) {
	changes := f.Rate * int(fanoutTime/time.Second)
	d := &delivery{started: make([]atomic.Int64, changes)}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	wait, err := f.subscribe(ctx, s, keys, d)
	if err != nil {
		return result, err
	}
	// Connecting is not measured, because it happens once and changes continue.
	before, err := s.costs()
	if err != nil {
		return result, err
	}
	began := time.Now()
	if err := f.change(ctx, s, d); err != nil {
		return result, err
	}
	f.settle(d, changes)
	// Before stop: closing a thousand connections costs CPU too.
	elapsed := time.Since(began)
	after, err := s.costs()
	stop()
	wait()
	spent := after.minus(before)
	cores := func(cpu time.Duration) float64 { return cpu.Seconds() / elapsed.Seconds() }
	slices.Sort(d.latency)
	return fanoutResult{
		fanout: f, Delivered: len(d.latency), Expected: changes * f.Subscribers,
		P50: percentile(d.latency, 50), P99: percentile(d.latency, 99),
		Server: cores(spent.server), Database: cores(spent.database), Client: cores(spent.client),
	}, err
}

// settle waits until all changes were received, or none was for a second.
func (f fanout) settle(d *delivery, changes int) {
	last, since := d.count(), time.Now()
	for last < changes*f.Subscribers && time.Since(since) < time.Second {
		// A wait of the measuring side only, which delays no event.
		time.Sleep(5 * time.Millisecond)
		if count := d.count(); count != last {
			last, since = count, time.Now()
		}
	}
}

// change updates one entity after the other, each so rarely that no two changes of one merge.
func (f fanout) change(ctx context.Context, s *server, d *delivery) error {
	ticker := time.NewTicker(time.Second / time.Duration(f.Rate))
	defer ticker.Stop()
	var requests sync.WaitGroup
	errs := make(chan error, len(d.started))
	for i := range d.started {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		// Without waiting for the response: the rate must hold even when the server is slow, or the
		// latency would look better than it is (coordinated omission).
		requests.Go(func() {
			d.started[i].Store(time.Now().UnixNano())
			errs <- s.updateEntity(ctx, entityID(firstRead+i%f.Rate), fmt.Sprintf(`{"entity_data":{"change":"change#%d#"}}`, i))
		})
	}
	requests.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// updateEntity changes an entity by REST.
func (s *server) updateEntity(ctx context.Context, id, body string) error {
	_, err := s.exchange(ctx, http.MethodPut, "/v1/spaces/"+s.world.work+"/entities/"+id, body)
	return err
}

// exchange sends a request and returns its response, which must be a success.
func (s *server) exchange(ctx context.Context, method, path, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.child.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", s.world.bearer())
	r.Header.Set("Content-Type", "application/json")
	return responseTo(r)
}

// responseTo sends a request and returns its response, which must be a success.
func responseTo(r *http.Request) ([]byte, error) { return responseFrom(http.DefaultClient, r) }

// responseFrom is responseTo with a client of its own.
func responseFrom(client *http.Client, r *http.Request) ([]byte, error) {
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: status %d: %.300s", r.Method, r.URL.Path, response.StatusCode, content)
	}
	return content, err
}

// subscribersPerAccount is below the limit of sockets of an account.
const subscribersPerAccount = 40

// addSubscribers adds accounts for the subscribers, opens the space to them, and returns the
// accounts' keys.
func (w *world) addSubscribers(ctx context.Context, subscribers int) ([]string, error) {
	database, keys, err := w.openAccounts(ctx)
	if err != nil {
		return nil, err
	}
	var all []string
	for i := range (subscribers + subscribersPerAccount - 1) / subscribersPerAccount {
		in := model.CreateUser{Email: fmt.Sprintf("subscriber%d-of-%d@example.com", i, subscribers), Quota: 1 << 20}
		err = in.Validate()
		if err != nil {
			break
		}
		user, added := database.Accounts().CreateUser(ctx, in)
		if err = added; err != nil {
			break
		}
		key, made := keys.EnsureKey(ctx, user.ID)
		if err = made; err != nil {
			break
		}
		all = append(all, key)
	}
	return all, errors.Join(err, database.Close(), w.exec(ctx, "UPDATE spaces SET privacy = 'Public' WHERE id = $1", w.work))
}
