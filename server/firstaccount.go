package server

import (
	"net"
	"net/url"

	"portico/auth/account"
	"portico/internal/publicnet"
)

// firstAccountCode returns the code that is required to create the first account, or "" if only
// people on this machine can reach the server.
//
// Otherwise the first stranger who finds a new server could make its first account. The code is in
// the log of the start (see account.FirstCode).
func (p *Program) firstAccountCode() (string, error) {
	if p.isLoopbackOnly() {
		return "", nil
	}
	return account.FirstCode(p.secret)
}

// isLoopbackOnly reports whether both the public address and the listen address are loopback
// addresses. One of them is not enough: without PORTICO_BASE_URL the public address of 0.0.0.0 is
// localhost, and a server behind a proxy can listen at a loopback address.
func (p *Program) isLoopbackOnly() bool {
	host, _, err := net.SplitHostPort(p.listenAddress())
	base, baseErr := url.Parse(p.BaseURL())
	return err == nil && baseErr == nil && publicnet.IsLoopback(host) && publicnet.IsLoopback(base.Hostname())
}
