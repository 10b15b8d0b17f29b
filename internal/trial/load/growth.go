package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/internal/freespace"
)

// nameGrowth selects the comparison of a small database with a grown one, which has its own
// table.
const nameGrowth = "growth"

// growthConnections is how many requests run at the same time: few, so that requests do not wait
// for each other.
const growthConnections = 4

// growthRounds is how many times an operation is measured in each database, alternately, for
// growthTime each.
const (
	growthRounds = 100
	growthTime   = 100 * time.Millisecond
)

// growthBytes is how much of the disk must be free. A whole run takes 16 GiB, and half of that is the
// grown database with its write-ahead log.
const growthBytes = 20 << 30

// checkFree returns an error if the disk of the folder has room for fewer bytes. The grown database
// is filled after most of an hour of measurements, which a full disk would lose.
func checkFree(folder string, bytes int64) error {
	open, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer open.Close() //nolint:errcheck // read only
	available, err := freespace.Available(open)
	if err == nil && available < bytes {
		err = fmt.Errorf("%s has %d GB free, and a run with the grown database needs %d: free some, or choose another folder with TMPDIR", folder, available/1e9, bytes/1e9)
	}
	return err
}

// maxGrowth is how much longer an operation may take in the grown database.
const maxGrowth = 1.25

// size is how much a database holds.
type size struct {
	entities int // in one space
	spaces   int // of one owner
	public   int // of all accounts
}

// String implements fmt.Stringer for the title of the table.
func (s size) String() string {
	return fmt.Sprintf("%d entities in a space, %d spaces of an owner, %d Public spaces", s.entities, s.spaces, s.public)
}

// smallSize returns the size of the database before it grows. It has as many spaces as a search
// counts (model.MaxCounted), so a search of all spaces counts as many in both databases.
func smallSize() size { return size{entities: 400, spaces: 1000, public: 1000} }

// grownSize returns the size of the database after it has grown.
func grownSize() size { return size{entities: 1_000_000, spaces: 100_000, public: 1_000_000} }

// growthOf is how long an operation takes in both databases.
type growthOf struct {
	Operation string        `json:"operation"`
	Small     time.Duration `json:"small_ns"` // the median of the rounds' medians
	Grown     time.Duration `json:"grown_ns"`
	Ratio     float64       `json:"ratio"` // of grown to small, the geometric mean of the rounds
}

// request is an operation of the comparison: a path for REST, or a document for GraphQL.
type request struct{ name, path, document string }

// growthRequests returns the operations on what grows. Searches find one space, one of a hundred,
// all of them, and none.
func growthRequests(w *world) []request {
	const page = "nodes { id title } pageInfo { endCursor hasNextPage } } }"
	spaces := func(name, list, arguments string) request {
		return request{name: name, document: "{ " + list + "(" + arguments + ") { totalCount " + page}
	}
	withoutTotal := func(name, list, arguments string) request {
		return request{name: name + ", without total", document: "{ " + list + "(" + arguments + ") { " + page}
	}
	entities := func(name, arguments string) request {
		return request{name: name, document: `{ space(id: "` + w.listed + `") { entities(` + arguments + `) { totalCount nodes { id } } } }`}
	}
	return []request{
		{name: "entities, first 200, REST", path: "/v1/spaces/" + w.listed + "/entities?limit=200"},
		entities("entities, last 200", "last: 200"),
		entities("entities of a type", `first: 50, filter: {type: ["`+entityType+`"]}`),
		{name: "spaces, first 50, REST", path: "/v1/spaces"},
		spaces("spaces, last 50", "spaces", "last: 50"),
		spaces("spaces, by title", "spaces", "first: 50, orderBy: {field: TITLE}"),
		spaces("spaces, search of one", "spaces", `filter: {text: "17 of 70ef"}`),
		withoutTotal("spaces, search of one", "spaces", `filter: {text: "17 of 70ef"}`),
		spaces("spaces, search of 1 %", "spaces", `filter: {text: "space 17"}`),
		withoutTotal("spaces, search of 1 %", "spaces", `filter: {text: "space 17"}`),
		spaces("spaces, search of most", "spaces", `filter: {text: "space"}`),
		spaces("spaces, search of none", "spaces", `filter: {text: "kitchen"}`),
		spaces("publicSpaces, first 50", "publicSpaces", "first: 50"),
		spaces("publicSpaces, last 50", "publicSpaces", "last: 50"),
		spaces("publicSpaces, most visited", "publicSpaces", "first: 50, orderBy: {field: VISIT_COUNT}"),
		spaces("publicSpaces, search of one", "publicSpaces", `filter: {text: "17 of 70ef"}`),
		withoutTotal("publicSpaces, search of one", "publicSpaces", `filter: {text: "17 of 70ef"}`),
		spaces("publicSpaces, search of 1 %", "publicSpaces", `filter: {text: "space 17"}`),
		withoutTotal("publicSpaces, search of 1 %", "publicSpaces", `filter: {text: "space 17"}`),
		spaces("publicSpaces, search of most", "publicSpaces", `filter: {text: "sp"}`),
		spaces("publicSpaces, search of none", "publicSpaces", `filter: {text: "kitchen"}`),
	}
}

// measureGrowth measures each operation in a small database and in a copy of it that has grown. The
// two take turns, so that other work on the machine slows both.
func measureGrowth(ctx context.Context, w *world, portico string) (all []growthOf, err error) {
	grown, err := w.copyDatabase(ctx, "grown")
	if err != nil {
		return nil, err
	}
	defer grown.pool.Close()
	var servers []*server
	for i, measured := range []*world{w, grown} {
		scale := []size{smallSize(), grownSize()}[i]
		fmt.Fprintf(os.Stderr, "load: %v\n", scale)
		if err := measured.grow(ctx, scale); err != nil {
			return nil, err
		}
		// After the database has grown, because Portico remembers statistics of it.
		child, err := startPortico(ctx, measured, portico)
		if child != nil {
			defer child.stop()
		}
		if err != nil {
			return nil, err
		}
		servers = append(servers, &server{world: measured, title: nameGrowth, child: child})
	}
	for _, r := range growthRequests(w) {
		rounds, failed := mediansInTurns(ctx, servers, r)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", r.name, failed))
			continue
		}
		all = append(all, newGrowth(r.name, rounds[0], rounds[1]))
	}
	return all, err
}

// newGrowth compares the rounds' medians in the small and in the grown database.
func newGrowth(operation string, small, grown []time.Duration) growthOf {
	times := func(medians []time.Duration) (seconds []float64) {
		for _, m := range medians {
			seconds = append(seconds, m.Seconds())
		}
		return seconds
	}
	mean := func(a, b time.Duration) time.Duration { return (a + b) / 2 }
	ratio, _, _ := compareRates(times(grown), times(small))
	return growthOf{Operation: operation, Small: median(small, mean), Grown: median(grown, mean), Ratio: ratio}
}

// mediansInTurns returns the medians of the operation for each server, by round. One more round
// warms up.
func mediansInTurns(ctx context.Context, servers []*server, r request) (rounds [][]time.Duration, err error) {
	rounds = make([][]time.Duration, len(servers))
	for round := range growthRounds + 1 {
		for i := range servers {
			i := (i + round) % len(servers)
			median, err := servers[i].measureMedian(ctx, r)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				rounds[i] = append(rounds[i], median)
			}
		}
	}
	return rounds, nil
}

// measureMedian repeats the request on all connections for growthTime, and returns its median time.
//
// The connections share mu, which protects the latencies and the first errors. A request that fails
// ends the measurement, because a fast refusal would look like a fast response.
func (s *server) measureMedian(ctx context.Context, r request) (time.Duration, error) {
	var mu sync.Mutex
	var latencies []time.Duration
	var failed error
	var clients sync.WaitGroup
	end := time.Now().Add(growthTime)
	for range growthConnections {
		clients.Go(func() {
			for time.Now().Before(end) {
				began := time.Now()
				err := s.ask(ctx, r)
				took := time.Since(began)
				mu.Lock()
				latencies, failed = append(latencies, took), errors.Join(failed, err)
				stop := failed != nil
				mu.Unlock()
				if stop {
					return
				}
			}
		})
	}
	clients.Wait()
	slices.Sort(latencies)
	return percentile(latencies, 50), failed
}

// ask sends the request and reads its response.
func (s *server) ask(ctx context.Context, r request) error {
	method, path, body := http.MethodGet, r.path, ""
	if r.document != "" {
		method, path, body = http.MethodPost, "/graphql", fmt.Sprintf(`{"query": %q}`, r.document)
	}
	response, err := s.exchange(ctx, method, path, body)
	if err == nil && bytes.Contains(response, []byte(`"errors"`)) {
		err = fmt.Errorf("%.300s", response)
	}
	return err
}

// writeGrowth writes the table of the comparison.
func writeGrowth(b *strings.Builder, all results) {
	if len(all.Growth) == 0 {
		return
	}
	fmt.Fprintf(b, "\nGrowth, %d connections: from %v to %v\n\n| operation | small ms | grown ms | ratio, at most %g |\n| --- | ---: | ---: | ---: |\n",
		growthConnections, smallSize(), grownSize(), maxGrowth)
	for _, g := range all.Growth {
		verdict := fmt.Sprintf("%.2f", g.Ratio)
		if g.Ratio > maxGrowth {
			verdict = "**" + verdict + "**"
		}
		fmt.Fprintf(b, "| %s | %.2f | %.2f | %s |\n", g.Operation, g.Small.Seconds()*1000, g.Grown.Seconds()*1000, verdict)
	}
}
