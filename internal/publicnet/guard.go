// Package publicnet keeps requests to addresses that strangers name on the public
// internet, and out of the network that the server stands in. Packages mcp and
// oauth send such requests.
package publicnet

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// reserved are the networks that are not the public internet, or lead back into
// networks that are not (IANA's special-purpose registries, RFC 6890). Of IPv6
// only 2000::/3 is looked at: nothing else is public, so IPv4 in other clothes
// (NAT64 64:ff9b::/96), unique local, link-local and multicast need no row.
func reserved() []netip.Prefix {
	var networks []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8",        // this host; Linux takes it for loopback
		"10.0.0.0/8",       // private
		"100.64.0.0/10",    // carriers' own, with Alibaba's metadata
		"127.0.0.0/8",      // loopback
		"168.63.129.16/32", // Azure's metadata, in a public network
		"169.254.0.0/16",   // link-local, with the clouds' metadata
		"172.16.0.0/12",    // private
		"192.0.0.0/24",     // protocols' own, with Oracle's metadata
		"192.0.2.0/24",     // documentation
		"192.88.99.0/24",   // 6to4 relays
		"192.168.0.0/16",   // private
		"198.18.0.0/15",    // benchmarks
		"198.51.100.0/24",  // documentation
		"203.0.113.0/24",   // documentation
		"224.0.0.0/4",      // multicast
		"240.0.0.0/4",      // reserved, and broadcast
		"2001::/23",        // protocols' own, with Teredo, which carries IPv4
		"2001:db8::/32",    // documentation
		"2002::/16",        // 6to4, which carries IPv4
		"3fff::/20",        // documentation
	} {
		networks = append(networks, netip.MustParsePrefix(text))
	}
	return networks
}

// Guard decides which addresses are connected to. It is asked when a connection
// is made, with the very address that it is made to: after DNS has answered, for
// each answer and each redirect. So a name that answers otherwise the second time
// gains nothing. NewGuard makes one.
type Guard struct {
	public   netip.Prefix // of IPv6
	reserved []netip.Prefix
}

// NewGuard returns the guard.
func NewGuard() Guard { return Guard{netip.MustParsePrefix("2000::/3"), reserved()} }

// Permits reports whether an address is on the public internet.
func (g Guard) Permits(address netip.Addr) bool {
	if address.Zone() != "" { // names an interface of ours
		return false
	}
	address = address.Unmap() // ::ffff:127.0.0.1 is 127.0.0.1
	if address.Is6() && !g.public.Contains(address) {
		return false
	}
	return address.IsValid() && !slices.ContainsFunc(g.reserved, func(p netip.Prefix) bool { return p.Contains(address) })
}

// ErrRefused is why a connection was not made. It is not for clients: which names
// lead to where, and what is there, would be a map of our network.
var ErrRefused = errors.New("not a public address")

// Control returns a net.Dialer.Control that lets only permitted addresses pass.
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
