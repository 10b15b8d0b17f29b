package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"portico/limit"
)

// Listener is what Listen opens: the listeners of a server, and the rate limiter of their clients.
// Program.Close closes it.
type Listener struct {
	listeners []net.Listener // at one or two addresses
	proxies   []netip.Prefix // trusted to set X-Forwarded-For
	limiter   *limit.Limiter // nil if limits are off
}

// Listen opens the listen address. Call it before Open: a port in use is then reported before a
// database starts, and BaseURL has the port that the system chose for port 0.
func (p *Program) Listen(ctx context.Context) (*Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", p.Config.Addr)
	if err != nil {
		return nil, fmt.Errorf("PORTICO_ADDR: %w", err)
	}
	p.address = listener.Addr().String()
	l := &Listener{}
	p.addListener(l, listener)
	if err := p.listenOtherLoopback(ctx, l); err != nil {
		return nil, err
	}
	if err := p.openLimiter(l); err != nil {
		return nil, err
	}
	return l, nil
}

// addListener adds an open listener to the addresses that are served.
func (p *Program) addListener(l *Listener, listener net.Listener) {
	l.listeners = append(l.listeners, listener)
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
func (p *Program) listenOtherLoopback(ctx context.Context, l *Listener) error {
	host, port, err := net.SplitHostPort(p.address)
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
		p.addListener(l, listener)
	case errors.Is(err, syscall.EADDRINUSE):
		// Uploads to localhost could reach the other program.
		p.Logger.Warn("another program uses the port at the other loopback address, so files share the origin of the application", "address", net.JoinHostPort(other, port))
		p.otherLoopbackTaken = true
	default: // a machine without IPv6, where localhost is 127.0.0.1 only
		p.Logger.Debug("only one loopback address", "error", err)
	}
	return nil
}

// openLimiter adds the rate limiter to a listener. It does not connect to Redis, which may start
// later.
//
// A nil limiter, when limits are off, allows everything.
func (p *Program) openLimiter(l *Listener) (err error) {
	if l.proxies, err = limit.ParseNetworks(p.Config.TrustedProxies); err != nil {
		return fmt.Errorf("PORTICO_TRUSTED_PROXIES: %w", err)
	}
	if !p.Config.RateLimits.On() {
		return nil
	}
	l.limiter, err = limit.New(limit.Options{
		RedisURL: p.Config.RedisURL, TrustedProxies: l.proxies, Logger: p.Logger, Limits: p.Config.RateLimits.Scopes(),
		Refused: func(s limit.Scope) { p.metrics.Refusals.WithLabelValues(string(s)).Inc() },
	})
	if err != nil {
		return fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	p.onClose("rate limiter", l.limiter.Close)
	return nil
}
