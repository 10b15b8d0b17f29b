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

// filesPath is the path of files below their base address.
const filesPath = "/files"

// Listen opens the listen address. Call it before Open, so that a port in use is
// reported before a database starts, and BaseURL has the port that the system chose for
// port 0.
func (p *Program) Listen(ctx context.Context) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", p.Config.Addr)
	if err != nil {
		return fmt.Errorf("PORTICO_ADDR: %w", err)
	}
	p.listeners = []net.Listener{listener}
	if err := p.listenOtherLoopback(ctx); err != nil {
		return err
	}
	return p.openLimiter()
}

// listenOtherLoopback opens the same port at the other loopback address, such as ::1 for
// 127.0.0.1. Addresses of files use the name localhost (see FilesURL), which may resolve to
// either.
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
		p.listeners = append(p.listeners, listener)
	case errors.Is(err, syscall.EADDRINUSE):
		// Uploads to localhost could reach the other program.
		p.Logger.Warn("another program uses the port at the other loopback address, so files share the origin of the application", "address", net.JoinHostPort(other, port))
		p.otherLoopbackTaken = true
	default: // a machine without IPv6, where localhost is 127.0.0.1 only
		p.Logger.Debug("only one loopback address", "error", err)
	}
	return nil
}

// BaseURL returns the public address of the application, without a final slash.
func (p *Program) BaseURL() string {
	if p.Config.BaseURL != "" {
		return strings.TrimRight(p.Config.BaseURL, "/")
	}
	address := p.Config.Addr
	if len(p.listeners) > 0 {
		address = p.listeners[0].Addr().String()
	}
	host, port, err := net.SplitHostPort(address)
	named, _, _ := net.SplitHostPort(p.Config.Addr)
	if ip := net.ParseIP(host); err == nil && (named == "localhost" || host == "" || (ip != nil && ip.IsUnspecified())) {
		// The unspecified address means every address of the machine. Clients need one. A name
		// stays a name: passkeys belong to none that is an IP address.
		address = net.JoinHostPort("localhost", port)
	}
	return "http://" + address
}

// FilesURL returns the base of the addresses of files. Its origin differs from the origin of
// BaseURL, so that no upload shares an origin with the sign-in pages. It is empty if the
// server has no second origin: files are then below BaseURL.
func (p *Program) FilesURL() string {
	if p.Config.FilesURL != "" {
		return strings.TrimRight(p.Config.FilesURL, "/")
	}
	base, err := url.Parse(p.BaseURL())
	if err != nil || base.Scheme != "http" || p.otherLoopbackTaken {
		return ""
	}
	// For browsers the two names of the loopback are different sites, and every system
	// resolves both.
	name, port := splitHost(base.Host)
	other := map[string]string{"localhost": "127.0.0.1", "127.0.0.1": "localhost", "::1": "localhost"}[name]
	if other == "" {
		return ""
	}
	if port != "" {
		other = net.JoinHostPort(other, port)
	}
	return "http://" + other + filesPath
}

// servesFiles reports whether this program answers requests for files: they are in the
// data folder, or in a private bucket that it redirects to.
func (p *Program) servesFiles() bool {
	return p.Config.StorageURL == "" || p.Config.FilesAccess == FilesProtected
}

// bucketFilesURL returns the base of the public addresses of files in a bucket, or ""
// for the bucket's own.
func (p *Program) bucketFilesURL() string {
	if !p.servesFiles() {
		return p.Config.FilesURL
	}
	if files := p.FilesURL(); files != "" {
		return files
	}
	return p.BaseURL() + filesPath
}

// isFiles returns a function that reports, by the Host header, whether a request is for
// the origin of the files. It returns nil when files have no origin of their own.
func (p *Program) isFiles() func(r *http.Request) bool {
	base, errBase := url.Parse(p.BaseURL())
	files, errFiles := url.Parse(p.FilesURL())
	if errBase != nil || errFiles != nil || files.Host == "" {
		return nil
	}
	baseName, basePort := splitHost(base.Host)
	filesName, filesPort := splitHost(files.Host)
	if baseName != filesName {
		// Proxies may leave the port out.
		return func(r *http.Request) bool {
			name, _ := splitHost(r.Host)
			return name == filesName
		}
	}
	if basePort == filesPort {
		return nil
	}
	return func(r *http.Request) bool {
		name, port := splitHost(r.Host)
		return name == filesName && port == filesPort
	}
}

// splitHost returns the name and the port of a host in the form that hosts are compared
// in: in lower case, and without the dot that ends an absolute name (RFC 3986 section
// 3.2.2). Browsers keep that dot in Host, and "localhost." leads where localhost does.
func splitHost(host string) (name, port string) {
	u := url.URL{Host: host}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
}
