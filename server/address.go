package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// filesPath is where files are, below the address that they have.
const filesPath = "/files"

// Listen takes the listen address. Before Open: a port that is taken shows
// before anything is started, and one that is 0 is known when addresses are made.
func (p *Program) Listen(ctx context.Context) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", p.Config.Addr)
	if err != nil {
		return fmt.Errorf("PORTICO_ADDR: %w", err)
	}
	p.listeners = []net.Listener{listener}
	if err := p.listenTwin(ctx); err != nil {
		return err
	}
	return p.openLimiter()
}

// listenTwin also takes the port at the other loopback address, ::1 for 127.0.0.1:
// files are at localhost then, which may be either (see FilesURL).
func (p *Program) listenTwin(ctx context.Context) error {
	host, port, err := net.SplitHostPort(p.listeners[0].Addr().String())
	twin := map[string]string{"127.0.0.1": "::1", "::1": "127.0.0.1"}[host]
	if err != nil {
		return fmt.Errorf("PORTICO_ADDR: %w", err)
	}
	if twin == "" || !p.servesFiles() || p.Config.FilesURL != "" || p.FilesURL() == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(twin, port))
	switch {
	case err == nil:
		p.listeners = append(p.listeners, listener)
	case errors.Is(err, syscall.EADDRINUSE):
		// Uploads to localhost could end at that other program.
		p.Logger.Warn("another program has the port at the other loopback address", "address", net.JoinHostPort(twin, port))
		p.shared = true
	default: // a machine without IPv6, whose localhost is 127.0.0.1 alone
		p.Logger.Debug("one loopback address", "error", err)
	}
	return nil
}

// BaseURL returns the public address without a final slash.
func (p *Program) BaseURL() string {
	if p.Config.BaseURL != "" {
		return strings.TrimRight(p.Config.BaseURL, "/")
	}
	address := p.Config.Addr
	if len(p.listeners) > 0 {
		address = p.listeners[0].Addr().String()
	}
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || (ip != nil && ip.IsUnspecified())) {
		// It listens everywhere, which is no address to go to.
		address = net.JoinHostPort("localhost", port)
	}
	return "http://" + address
}

// FilesURL returns the base of the files' addresses, which is of another origin than
// BaseURL, so that nothing uploaded shares one with the pages that people sign in at.
// It is empty where there is no such base: files are below the application's then.
func (p *Program) FilesURL() string {
	if p.Config.FilesURL != "" {
		return strings.TrimRight(p.Config.FilesURL, "/")
	}
	base, err := url.Parse(p.BaseURL())
	if err != nil || base.Scheme != "http" || p.shared {
		return ""
	}
	// The two names of the loopback are different sites for browsers, and the only ones
	// that every system resolves.
	twin := map[string]string{"localhost": "127.0.0.1", "127.0.0.1": "localhost", "::1": "localhost"}[strings.ToLower(base.Hostname())]
	if twin == "" {
		return ""
	}
	if port := base.Port(); port != "" {
		twin = net.JoinHostPort(twin, port)
	}
	return "http://" + twin + filesPath
}

// servesFiles reports whether requests for files come to this program: they lie on this
// machine, or in a private bucket that it leads to.
func (p *Program) servesFiles() bool {
	return p.Config.StorageURL == "" || p.Config.FilesAccess == FilesProtected
}

// bucketFilesURL is the base of public addresses of files in a bucket; empty for the
// bucket's own.
func (p *Program) bucketFilesURL() string {
	if !p.servesFiles() {
		return p.Config.FilesURL
	}
	if files := p.FilesURL(); files != "" {
		return files
	}
	return p.BaseURL() + filesPath
}

// isFiles returns a function that reports whether a request is for the origin of the
// files, by its Host header; nil where files are below the application's.
func (p *Program) isFiles() func(r *http.Request) bool {
	base, errBase := url.Parse(p.BaseURL())
	files, errFiles := url.Parse(p.FilesURL())
	if errBase != nil || errFiles != nil || files.Host == "" || strings.EqualFold(base.Host, files.Host) {
		return nil
	}
	if strings.EqualFold(base.Hostname(), files.Hostname()) { // the port alone differs
		return func(r *http.Request) bool { return strings.EqualFold(r.Host, files.Host) }
	}
	// Proxies may leave the port out.
	name := strings.ToLower(files.Hostname())
	return func(r *http.Request) bool {
		return strings.ToLower((&url.URL{Host: r.Host}).Hostname()) == name
	}
}
