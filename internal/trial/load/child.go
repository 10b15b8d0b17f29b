package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The environment of a child.
const (
	envAddress  = "PORTICO_ADDR"
	envDatabase = "PORTICO_DATABASE_URL"
)

// inChild returns what this process serves when it is a child.
func inChild() (serve func() error, ok bool) {
	if len(os.Args) != 3 || os.Args[1] != "child" {
		return nil, false
	}
	switch os.Args[2] {
	case "ceiling":
		return serveCeiling, true
	case "echo":
		return serveEcho, true
	}
	return nil, false
}

// child is a process that serves HTTP.
type child struct {
	cmd     *exec.Cmd
	address string
	ended   chan error
}

// startSelf starts this program as one of its children.
func startSelf(ctx context.Context, w *world, what string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startChild(ctx, w, program, []string{"child", what}, nil)
}

// buildPortico builds the real program; overlay, unless empty, is a JSON file
// for go build -overlay.
func buildPortico(ctx context.Context, w *world, source, overlay string) (string, error) {
	program := filepath.Join(w.folder, "portico")
	args := []string{"build", "-o", program}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/portico")...)
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build portico: %w\n%s", err, out)
	}
	return program, nil
}

// startPortico starts the program with a data folder of its own, limits off and
// no worker.
func startPortico(ctx context.Context, w *world, program string, env ...string) (*child, error) {
	data, err := os.MkdirTemp(w.folder, "data-")
	if err != nil {
		return nil, err
	}
	env = append(env, "PORTICO_DATA_DIR="+data, "PORTICO_SECRET="+w.secret,
		"PORTICO_RATE_LIMITS=off", "PORTICO_WORKERS=0", "PORTICO_LOG_LEVEL=error")
	return startChild(ctx, w, program, []string{"serve"}, env)
}

// startChild starts a program at a free address and returns when it listens.
func startChild(ctx context.Context, w *world, program string, args, env []string) (*child, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	// Not CommandContext: stop ends it, in its own time.
	cmd := exec.Command(program, args...) //nolint:noctx // outlives the start
	cmd.Env = append(os.Environ(), envAddress+"="+address, envDatabase+"="+w.cluster.URL())
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, address: address, ended: make(chan error, 1)}
	go func() { c.ended <- cmd.Wait() }()
	return c, c.waitReady(ctx)
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

func (c *child) waitReady(ctx context.Context) error {
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "tcp", c.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case err := <-c.ended:
			c.ended <- err
			return errors.Join(fmt.Errorf("%s ended at its start", c.cmd.Path), err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop ends the child; how it ends does not matter any more.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // fails when it has ended
	select {
	case <-c.ended:
	case <-time.After(20 * time.Second):
		_ = c.cmd.Process.Kill() // as above
		<-c.ended
	}
}
