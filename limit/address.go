package limit

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ParseNetworks parses addresses and CIDR blocks separated by commas, such as "10.0.0.0/8, ::1". It
// returns nil for an empty text.
func ParseNetworks(text string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		prefix, ok := parseNetwork(item)
		if !ok {
			return nil, fmt.Errorf("%q is neither an address nor a CIDR block", item)
		}
		networks = append(networks, prefix)
	}
	return networks, nil
}

// parseNetwork parses one item. It converts IPv4-mapped IPv6 to IPv4, the form in which peers
// are compared.
func parseNetwork(text string) (netip.Prefix, bool) {
	if !strings.Contains(text, "/") {
		address, err := netip.ParseAddr(text)
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), err == nil && address.Zone() == ""
	}
	prefix, err := netip.ParsePrefix(text)
	if err == nil && prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
	}
	return prefix.Masked(), err == nil
}

// ClientAddress returns the address of the client: the peer, or, if that is a trusted
// proxy, the address from which the proxy received the request. Each proxy appends to
// X-Forwarded-For, so the header is read from its end. The first address that is not a trusted
// proxy may have forged everything before it, so that is ignored.
func ClientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	address, _ := parseHop(r.RemoteAddr)
	// Several headers of a name are one list (RFC 9110 section 5.3).
	hops := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for hops != "" && isTrusted(address, trusted) {
		hop := hops
		if comma := strings.LastIndexByte(hops, ','); comma >= 0 {
			hops, hop = hops[:comma], hops[comma+1:]
		} else {
			hops = ""
		}
		next, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			return address // the last one that a trusted proxy wrote
		}
		address = next
	}
	return address
}

func isTrusted(address netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(address) })
}

// parseHop parses an address with or without a port and brackets.
func parseHop(text string) (netip.Addr, bool) {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return canonical(both.Addr()), true
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	address, err := netip.ParseAddr(bare)
	return canonical(address), err == nil
}

// canonical returns the form in which addresses are compared: without a zone, and IPv4 for
// IPv4-mapped IPv6.
func canonical(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
