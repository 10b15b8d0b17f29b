// Package publicnet restricts requests to public addresses. Packages mcp, oauth and worker/webhook
// send requests to URLs that strangers provide, which must not reach the server's own network
// (server-side request forgery). IsLoopback is for packages that trust this machine more than the
// network.
package publicnet

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// reservedNetworks returns the networks that are not public, or that tunnel into networks that are
// not (IANA's special-purpose registries, RFC 6890). Of IPv6 it needs only the parts of
// 2000::/3. Nothing else is public: not NAT64 (64:ff9b::/96), unique local, link-local or
// multicast addresses.
func reservedNetworks() []netip.Prefix {
	var networks []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8",        // this host; loopback on Linux
		"10.0.0.0/8",       // private
		"100.64.0.0/10",    // carrier-grade NAT, with Alibaba's metadata
		"127.0.0.0/8",      // loopback
		"168.63.129.16/32", // Azure's metadata, among public addresses
		"169.254.0.0/16",   // link-local, with the clouds' metadata
		"172.16.0.0/12",    // private
		"192.0.0.0/24",     // IETF protocol assignments, with Oracle's metadata
		"192.0.2.0/24",     // documentation
		"192.88.99.0/24",   // 6to4 relays
		"192.168.0.0/16",   // private
		"198.18.0.0/15",    // benchmarks
		"198.51.100.0/24",  // documentation
		"203.0.113.0/24",   // documentation
		"224.0.0.0/4",      // multicast
		"240.0.0.0/4",      // reserved, and broadcast
		"2001::/23",        // IETF protocol assignments, with Teredo, which tunnels IPv4
		"2001:db8::/32",    // documentation
		"2002::/16",        // 6to4, which tunnels IPv4
		"3fff::/20",        // documentation
	} {
		networks = append(networks, netip.MustParsePrefix(text))
	}
	return networks
}

// Guard decides which addresses may be connected to. Control applies it when a connection
// is made, to the very address: after DNS was resolved, for each address and each redirect.
// So a name that resolves differently the second time (DNS rebinding) gains nothing.
// NewGuard returns one.
type Guard struct {
	public   netip.Prefix // the public part of IPv6
	reserved []netip.Prefix
}

// NewGuard returns a guard that permits the public internet.
func NewGuard() Guard { return Guard{netip.MustParsePrefix("2000::/3"), reservedNetworks()} }

// Permits reports whether an address is on the public internet.
func (g Guard) Permits(address netip.Addr) bool {
	if address.Zone() != "" { // a zone names an interface of this machine
		return false
	}
	address = address.Unmap() // ::ffff:127.0.0.1 is 127.0.0.1
	if address.Is6() && !g.public.Contains(address) {
		return false
	}
	return address.IsValid() && !slices.ContainsFunc(g.reserved, func(p netip.Prefix) bool { return p.Contains(address) })
}

// ErrRefused is the error of a refused connection. Do not show it to clients: it would
// reveal which names resolve to addresses in our network.
var ErrRefused = errors.New("not a public address")

// Control returns a net.Dialer.Control that refuses all addresses but the permitted ones.
func Control(permits func(netip.Addr) bool) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		ip, err := netip.ParseAddr(host)
		tcp := network == "tcp4" || network == "tcp6"
		if err != nil || !tcp || !permits(ip) {
			return ErrRefused
		}
		return nil
	}
}
