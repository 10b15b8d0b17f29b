package server

import (
	"net"
	"net/url"

	"portico/web"
)

// firstCode returns the code that the first account needs, or "" if only people on this machine
// reach the server.
func (p *Program) firstCode() (string, error) {
	if p.isPrivate() {
		return "", nil
	}
	return web.FirstCode(p.secret)
}

// isPrivate reports whether both the public address and the address that the server listens at
// are loopback addresses. One is not enough: without PORTICO_BASE_URL the public address of
// 0.0.0.0 is localhost, and a proxy hides that the server listens at a loopback address.
func (p *Program) isPrivate() bool {
	address := p.Config.Addr
	if len(p.listeners) > 0 {
		address = p.listeners[0].Addr().String()
	}
	host, _, err := net.SplitHostPort(address)
	base, baseErr := url.Parse(p.BaseURL())
	return err == nil && baseErr == nil && web.IsLoopback(host) && web.IsLoopback(base.Hostname())
}
