package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// cutOff is the length of a cut, and longDisconnect is longer than the server waits for a
	// response.
	cutOff         = 10 * time.Second
	longDisconnect = 25 * time.Second
	// responseLimit is how long any request may take, whatever the state of the database.
	responseLimit = 20 * time.Second
	// moreGoroutines is the increase that counts as no leak: a pool has some goroutines
	// for each connection that it keeps.
	moreGoroutines = 10
	// moreFiles is the same for open files besides connections to the database, because
	// clients keep some connections to the server.
	moreFiles = 10
)

// runPostgres publishes while the database is restarted, killed, and cut off.
func runPostgres(ctx context.Context, w *world, runs int) error {
	return w.publishThroughFaults(ctx, runs, []databaseFault{
		{"restarts", func(ctx context.Context, _ *relay) error { return w.database.signal(ctx, syscall.SIGINT) }},
		{"kills of postgres", func(ctx context.Context, _ *relay) error {
			w.add(countKills, 1)
			return w.database.signal(ctx, syscall.SIGKILL)
		}},
		{"cuts that broke", func(ctx context.Context, r *relay) error { return cut(ctx, r, cutOff, true) }},
		{"cuts that lasted", func(ctx context.Context, r *relay) error { return cut(ctx, r, longDisconnect, false) }},
		{"cuts that passed", func(ctx context.Context, r *relay) error { return cut(ctx, r, cutOff, false) }},
	})
}

// databaseFault is one way to lose the database for a while.
type databaseFault struct {
	name   string
	action func(ctx context.Context, r *relay) error
}

// cut makes the network silent for a while. Then all continues as before, or all
// connections break and no new ones are accepted for a moment.
func cut(ctx context.Context, r *relay, d time.Duration, breaks bool) error {
	r.set(relaySilent)
	err := pause(ctx, d)
	if breaks {
		r.set(relayRefused)
		err = errors.Join(err, pause(ctx, d/5))
	}
	r.set(relayOpen)
	return err
}

// publishThroughFaults publishes during each of the faults, and compares the server's
// open resources before and after them.
func (w *world) publishThroughFaults(ctx context.Context, runs int, faults []databaseFault) error {
	relay, address, err := w.database.openRelay(ctx)
	if err != nil {
		return err
	}
	w.onClose(relay.close)
	w.settings = append(w.settings, "PORTICO_DATABASE_URL="+address)
	server, err := w.newServer(ctx, "server")
	if err != nil {
		return err
	}
	services := []*service{server, w.newWorker("worker1")}
	if err := startAll(ctx, services...); err != nil {
		return err
	}
	clients, err := w.addUsers(ctx, runs, server, false)
	if err != nil {
		return err
	}
	warm := publishMany(ctx, clients, 1)
	if err := w.awaitIdle(ctx); err != nil {
		return err
	}
	before, err := w.measure(ctx, server)
	if err != nil {
		return err
	}
	var all []*published
	for _, fault := range faults {
		w.add(countFaults, 1)
		w.add(fault.name, 1)
		some, err := w.publishThrough(ctx, clients, max(runs/len(faults), 1), func(ctx context.Context) error { return fault.action(ctx, relay) })
		if err != nil {
			return fmt.Errorf("%s: %w", fault.name, err)
		}
		all = append(all, some...)
	}
	err = errors.Join(w.awaitIdle(ctx), w.checkLeaks(ctx, server, before))
	for _, c := range clients {
		c.strict = true
	}
	return errors.Join(err, w.audit(ctx, clients, append(all, warm...), services...))
}

// publishThrough publishes during one fault, and sends other requests at the same time.
func (w *world) publishThrough(ctx context.Context, clients []*client, runs int, happens func(context.Context) error) ([]*published, error) {
	var all []*published
	err := runDuring(ctx, clients[0].visit, func(ctx context.Context) error {
		happened := make(chan error, 1)
		go func() { happened <- happens(ctx) }()
		for all == nil || len(happened) == 0 && ctx.Err() == nil { // at least until it is over
			all = append(all, publishMany(ctx, clients, runs)...)
			runs = len(clients)
			if len(all) == 0 {
				break // the violations say why
			}
		}
		return <-happened
	})
	return all, err
}

// visits are requests that need the database, one for each door.
var visits = []struct{ method, path, body string }{
	{http.MethodGet, "/v1/spaces", ""},
	{http.MethodPost, "/graphql", `{"query":"{ viewer { email } }"}`},
	{http.MethodPost, "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_spaces","arguments":{}}}`},
}

// visit sends requests to every door until ctx ends, and judges the responses. It repeats none,
// because every response counts.
func (c *client) visit(ctx context.Context) error {
	header := c.header()
	header.Set("Accept", "application/json, text/event-stream") // MCP needs both
	for i := 0; pause(ctx, 30*time.Millisecond) == nil; i++ {
		start, v := time.Now(), visits[i%len(visits)]
		got, err := c.once(ctx, v.method, c.url+v.path, header, []byte(v.body))
		if ctx.Err() == nil {
			c.checkVisit(v.method+" "+v.path, got, err, time.Since(start))
		}
	}
	return nil
}

// checkVisit reports a response that is neither right nor a clean error, or that took
// too long.
func (c *client) checkVisit(request string, got response, err error, took time.Duration) {
	switch {
	case err != nil:
		c.addViolation("%s: %v", request, err)
	case got.status == http.StatusOK && errorCode(got.body) == "":
		c.add("visits", 1)
	default:
		c.add("visits refused", 1)
		if why := faultOfVisit(got); why != "" {
			c.addViolation("%s: %s: %d %q", request, why, got.status, got.body)
		}
	}
	c.recordMax("slowest response in ms", int(took.Milliseconds()))
	if took > responseLimit {
		c.addViolation("%s took %v", request, took)
	}
}

// faultOfVisit is faultOfResponse, but accepts an internal error in a response of 200: GraphQL and
// MCP report errors beside data. Any other error means that the request itself is wrong.
func faultOfVisit(got response) string {
	switch {
	case got.status != http.StatusOK:
		return faultOfResponse(got)
	case errorCode(got.body) != "internal":
		return "not an internal error"
	case showsInternals(got.body):
		return "it shows internals"
	}
	return ""
}

// errorCode returns the code of the error that GraphQL or a tool of MCP reports with 200: "" if
// there is none, and "unknown" for one without a code. GraphQL writes codes in capitals, and MCP
// does not.
func errorCode(body []byte) string {
	var got struct {
		Errors []struct{ Extensions struct{ Code string } }
		Error  json.RawMessage // of JSON-RPC
		Result struct {
			IsError bool
			Meta    struct{ Code string } `json:"_meta"`
		}
	}
	err := json.Unmarshal(body, &got)
	switch {
	case err == nil && len(got.Errors) > 0:
		return cmp.Or(strings.ToLower(got.Errors[0].Extensions.Code), "unknown")
	case err == nil && got.Result.IsError:
		return cmp.Or(got.Result.Meta.Code, "unknown")
	case err != nil || got.Error != nil:
		return "unknown"
	}
	return ""
}

// measure reads the numbers of a server's metrics, by their names with labels.
func (w *world) measure(ctx context.Context, s *service) (map[string]int, error) {
	visitor := client{world: w}
	got, err := visitor.once(ctx, http.MethodGet, s.url+"/metrics", http.Header{}, nil)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int{}
	for lines := bufio.NewScanner(strings.NewReader(string(got.body))); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			numbers[name] = int(number)
		}
	}
	return numbers, nil
}

// The metrics that show a leak.
const (
	metricGoroutines = "go_goroutines"
	metricInUse      = `portico_db_connections{state="in_use"}`
	metricIdle       = `portico_db_connections{state="idle"}`
	metricStreams    = "portico_streams"
	metricFiles      = "process_open_fds"
)

// checkLeaks waits until the server has no more resources in use than before, and until
// the database has no connections besides those that the server and the workers know.
func (w *world) checkLeaks(ctx context.Context, s *service, before map[string]int) error {
	var now map[string]int
	err := awaitCondition(ctx, time.Minute, "nothing is left open", func() (bool, error) {
		var err error
		now, err = w.measure(ctx, s)
		return now[metricGoroutines] <= before[metricGoroutines]+moreGoroutines &&
			now[metricInUse] <= before[metricInUse] && now[metricStreams] == 0 &&
			otherFiles(now) <= otherFiles(before)+moreFiles, err
	})
	w.recordMax("goroutines before", before[metricGoroutines])
	w.recordMax("goroutines after", now[metricGoroutines])
	w.recordMax("files before", otherFiles(before))
	w.recordMax("files after", otherFiles(now))
	if err != nil {
		w.addViolation("%v: before %v, after %v", err, leaks(before), leaks(now))
	}
	// A pool of 20 for each process; the worker's own has 4 and its 2 jobs besides.
	const maxOpen = 20 + 20 + 4 + 2
	open, err := w.database.queryInt(ctx, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
	w.recordMax("connections after", open)
	if open > maxOpen {
		w.addViolation("%d connections are open at the database, want at most %d", open, maxOpen)
	}
	return err
}

// otherFiles returns the number of open files and connections, without the connections to
// the database.
func otherFiles(metrics map[string]int) int {
	return metrics[metricFiles] - metrics[metricInUse] - metrics[metricIdle]
}

// leaks returns the metrics that show a leak.
func leaks(metrics map[string]int) map[string]int {
	return map[string]int{metricGoroutines: metrics[metricGoroutines], metricInUse: metrics[metricInUse], metricIdle: metrics[metricIdle], metricStreams: metrics[metricStreams], metricFiles: metrics[metricFiles]}
}
