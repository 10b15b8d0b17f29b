package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"portico/internal/testkit/program"
)

// stopTimeout is the time after which the service files in docs/deploy kill a server that stops.
const stopTimeout = 45 * time.Second

// server is a running portico serve.
type server struct {
	process *program.Process
	address string // host and port
	data    string // its folder
}

// startServer starts the program with a data folder of its own and waits until it is
// ready. limited turns rate limits on.
func (w *world) startServer(ctx context.Context, workers int, limited bool) (*server, error) {
	folder, err := os.MkdirTemp(w.cluster.Folder, "server-")
	if err != nil {
		return nil, err
	}
	// The address must be known, because requests of all clients come from this machine.
	address, err := program.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	limits := "off"
	// Most attacks run without limits: what a single limit stops says nothing of the code
	// behind it.
	if limited {
		limits = "on"
	}
	s := &server{address: address, data: filepath.Join(folder, "data")}
	installation := program.Installation{Program: w.program, Settings: []string{
		"PORTICO_ADDR=" + address, "PORTICO_DATABASE_URL=" + w.address, "PORTICO_DATA_DIR=" + s.data,
		"PORTICO_SECRET=" + secret, "PORTICO_RATE_LIMITS=" + limits, "PORTICO_WORKERS=" + strconv.Itoa(workers),
		"PORTICO_LOG_LEVEL=warn", // the log of requests would count as the server's work
	}}
	if s.process, err = program.Start(installation.Command(nil, "serve"), nil); err != nil {
		return nil, err
	}
	// A server that is not ready would respond to an attack with 503, which looks like a
	// defence.
	if err := s.process.Responds(ctx, s.url("/readyz")); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *server) url(path string) string { return "http://" + s.address + path }

// stop stops the server, which must exit with 0.
func (s *server) stop() error { return s.process.Stop(stopTimeout) }

// panics returns the number of panics in the log.
func (s *server) panics() int {
	text := strings.Join(s.process.Log(), "\n")
	// The trace of a panic that nobody recovered, and the line of one that a handler did.
	return strings.Count(text, "goroutine ") + strings.Count(text, `"error":"panic: `)
}
