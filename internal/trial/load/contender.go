package main

import (
	"context"
	"fmt"
	"time"

	"portico/internal/testkit/program"
)

// contender is one of the things that are measured side by side.
type contender interface {
	name() string
	// round carries out the operation on a number of connections for the duration, or
	// until nothing is left to delete.
	round(ctx context.Context, op operation, connections int, duration time.Duration) (sample, error)
	// peak returns its peak memory in bytes, 0 where it has more than one process.
	peak() (int64, error)
}

// The contenders in the order of the tables. What each one measures:
//
//	pgbench-simple      the statement, parsed and planned each time
//	pgbench-prepared    the statement, prepared once
//	echo                net/http and the client, without a database
//	ceiling             net/http and pgx, with a trip for the key and one for the statement
//	one-trip            the same with one trip
//	plain               the same, with keys in memory and tables without triggers
//	rest                Portico
//	graphql             Portico, with a document to execute
const (
	nameSimple   = "pgbench-simple"
	namePrepared = "pgbench-prepared"
	nameEcho     = "echo"
	nameCeiling  = "ceiling"
	nameOneTrip  = "one-trip"
	namePlain    = "plain"
	nameREST     = "rest"
	nameGraphQL  = "graphql"
)

// contenderNames returns the names that -only knows, in the order of the tables.
func contenderNames() []string {
	return []string{nameSimple, namePrepared, nameEcho, nameCeiling, nameOneTrip, namePlain, nameREST, nameGraphQL}
}

// startContenders starts the wanted contenders. stop stops the ones that were started,
// after an error too.
func startContenders(ctx context.Context, w *world, o options) (all []contender, stop func(), err error) {
	var children []*child
	stop = func() {
		for _, c := range children {
			c.stop()
		}
	}
	portico := ""
	for _, name := range contenderNames() {
		if !o.wants(name) {
			continue
		}
		if name == nameSimple || name == namePrepared {
			if p, ok := newPgbench(w, name); ok {
				all = append(all, p)
			}
			continue
		}
		if portico == "" && (name == nameREST || name == nameGraphQL) {
			if portico, err = program.Build(ctx, program.BuildOptions{Module: o.source}); err != nil {
				return nil, stop, err
			}
		}
		c, d, err := startServer(ctx, w, name, portico)
		if c != nil {
			children = append(children, c)
		}
		if err != nil {
			return nil, stop, err
		}
		h := &server{world: w, title: name, door: d, child: c}
		if err := h.prepare(ctx); err != nil {
			return nil, stop, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, h)
	}
	return all, stop, nil
}

// startServer starts the process of a contender that serves HTTP.
func startServer(ctx context.Context, w *world, name, portico string) (*child, door, error) {
	switch name {
	case nameREST:
		c, err := startPortico(ctx, w, portico)
		return c, restDoor(), err
	case nameGraphQL:
		c, err := startPortico(ctx, w, portico)
		return c, graphQLDoor(), err
	case nameEcho:
		c, err := startSelf(ctx, w, name)
		d := restDoor()
		d.read = nil
		return c, d, err
	}
	c, err := startSelf(ctx, w, name)
	return c, restDoor(), err
}
