package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Listen opens the listen address. Call it before Open: a port in use is then reported before a
// database starts, and BaseURL has the port that the system chose for port 0.
func (p *Program) Listen(ctx context.Context) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", p.Config.Addr)
	if err != nil {
		return fmt.Errorf("PORTICO_ADDR: %w", err)
	}
	p.addListener(listener)
	if err := p.listenOtherLoopback(ctx); err != nil {
		return err
	}
	return p.openLimiter()
}

// addListener adds an open listener to the addresses that are served.
func (p *Program) addListener(listener net.Listener) {
	p.listeners = append(p.listeners, listener)
	p.onClose("listener", func() error {
		_ = listener.Close() // fails if serve has closed the listener
		return nil
	})
}

// listenOtherLoopback opens the same port at the other loopback address, such as ::1 for
// 127.0.0.1. The addresses of files use the name localhost (see FilesURL), which may resolve to
// either address.
//
// A failure does not stop the server: the server then gives files no origin of their own.
func (p *Program) listenOtherLoopback(ctx context.Context) error {
	host, port, err := net.SplitHostPort(p.listeners[0].Addr().String())
	other := map[string]string{"127.0.0.1": "::1", "::1": "127.0.0.1"}[host]
	if err != nil {
		return fmt.Errorf("PORTICO_ADDR: %w", err)
	}
	if other == "" || !p.servesFiles() || p.Config.FilesURL != "" || p.FilesURL() == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(other, port))
	switch {
	case err == nil:
		p.addListener(listener)
	case errors.Is(err, syscall.EADDRINUSE):
		// Uploads to localhost could reach the other program.
		p.Logger.Warn("another program uses the port at the other loopback address, so files share the origin of the application", "address", net.JoinHostPort(other, port))
		p.otherLoopbackTaken = true
	default: // a machine without IPv6, where localhost is 127.0.0.1 only
		p.Logger.Debug("only one loopback address", "error", err)
	}
	return nil
}
