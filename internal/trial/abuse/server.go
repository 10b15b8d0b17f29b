package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// server is a running portico serve.
type server struct {
	cmd     *exec.Cmd
	address string // host and port
	log     string // its file
	data    string // its folder
	ended   chan error
}

// startServer starts the program with a data folder of its own and returns when
// it answers. Limited turns the limits on the number of requests on.
func (w *world) startServer(ctx context.Context, workers int, limited bool) (*server, error) {
	folder, err := os.MkdirTemp(w.folder, "server-")
	if err != nil {
		return nil, err
	}
	// Requests of all clients come from this machine, and the port must be known.
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{address: address, log: filepath.Join(folder, "log"), data: filepath.Join(folder, "data"), ended: make(chan error, 1)}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	limits := "off"
	if limited {
		limits = "on"
	}
	defer log.Close()                        //nolint:errcheck // the child has it open
	s.cmd = exec.Command(w.program, "serve") //nolint:noctx // stop ends it, in its own time
	s.cmd.Env = append(os.Environ(), "PORTICO_ADDR="+address, "PORTICO_DATABASE_URL="+w.address,
		"PORTICO_DATA_DIR="+s.data, "PORTICO_SECRET="+secret, "PORTICO_RATE_LIMITS="+limits,
		"PORTICO_WORKERS="+strconv.Itoa(workers), "PORTICO_LOG_LEVEL=warn")
	s.cmd.Stderr = log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// freeAddress returns an address that nobody listens at.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func (s *server) url(path string) string { return "http://" + s.address + path }

// ready waits until the server answers.
func (s *server) ready(ctx context.Context) error {
	return eventually(ctx, time.Minute, "the server answers", func() (bool, error) {
		select {
		case err := <-s.ended:
			s.ended <- err
			return false, errors.Join(fmt.Errorf("the server ended at its start; log:\n%s", s.tail()), err)
		default:
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url("/readyz"), nil)
		if err != nil {
			return false, err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return answer.StatusCode == http.StatusOK, answer.Body.Close()
	})
}

// stop ends the server, which must end by itself.
func (s *server) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // fails when it has ended
	select {
	case err := <-s.ended:
		if err != nil {
			return fmt.Errorf("the server's end: %w; log:\n%s", err, s.tail())
		}
		return nil
	case <-time.After(30 * time.Second):
		_ = s.cmd.Process.Kill() // as above
		<-s.ended
		return errors.New("the server did not stop within 30 s")
	}
}

// tail returns the end of the log; what cannot be read is empty.
func (s *server) tail() []byte {
	text, _ := os.ReadFile(s.log) // only told beside another error
	return text[max(0, len(text)-4000):]
}

// panics counts them in the log.
func (s *server) panics() int {
	text, _ := os.ReadFile(s.log) // it was made before the server
	return bytes.Count(text, []byte("goroutine ")) + bytes.Count(text, []byte(`"panic"`))
}
