package main

import (
	"context"
	"os"
	"time"

	"portico/internal/testkit/program"
)

// The environment of a child.
const (
	envAddress  = "PORTICO_ADDR"
	envDatabase = "PORTICO_DATABASE_URL"
	envFolder   = "BENCH_FOLDER" // that serveFiles serves
)

// inChild returns what this process serves when it is a child.
//
// The command line of a child is
//
//	load child NAME
//
// with the name of a contender; the address and the database are in its environment. Portico is a
// program of its own and has the same two variables.
func inChild() (serve func() error, ok bool) {
	if len(os.Args) != 3 || os.Args[1] != "child" {
		return nil, false
	}
	switch os.Args[2] {
	case nameCeiling, nameOneTrip, namePlain:
		return func() error { return serveCeiling(os.Args[2]) }, true
	case nameEcho:
		return serveEcho, true
	case nameFiles:
		return serveFiles, true
	}
	return nil, false
}

// child is a process that serves HTTP.
type child struct {
	process *program.Process
	address string
}

// startSelf starts this program as one of its children.
func startSelf(ctx context.Context, w *world, what string, env ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startChild(ctx, w, self, []string{"child", what}, env)
}

// startPortico starts the program with a data folder of its own, limits off and
// no worker, unless env has other settings.
//
// A contender must do no work that the others do not: a worker would take cores, and limits would
// refuse what is measured.
func startPortico(ctx context.Context, w *world, portico string, env ...string) (*child, error) {
	data, err := os.MkdirTemp(w.cluster.Folder, "data-")
	if err != nil {
		return nil, err
	}
	env = append([]string{
		"PORTICO_DATA_DIR=" + data, "PORTICO_SECRET=" + w.secret,
		"PORTICO_RATE_LIMITS=off", "PORTICO_WORKERS=0", "PORTICO_LOG_LEVEL=error",
	}, env...)
	return startChild(ctx, w, portico, []string{"serve"}, env)
}

// startChild starts a program at a free address and returns when it responds.
func startChild(ctx context.Context, w *world, path string, args, env []string) (*child, error) {
	address, err := program.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	installation := program.Installation{Program: path, Settings: []string{envAddress + "=" + address, envDatabase + "=" + w.url}}
	process, err := program.Start(installation.Command(env, args...), os.Stderr)
	if err != nil {
		return nil, err
	}
	c := &child{process: process, address: address}
	return c, process.Responds(ctx, "http://"+address+"/readyz")
}

// stop stops the child. It ignores how the child ends.
func (c *child) stop() { _ = c.process.Stop(20 * time.Second) }
