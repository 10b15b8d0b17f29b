package limit

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ParseProxies reads addresses and CIDR blocks that are separated by commas, as in
// "10.0.0.0/8, ::1". Empty text is none.
func ParseProxies(text string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		prefix, ok := parseProxy(item)
		if !ok {
			return nil, fmt.Errorf("%q is neither an address nor a CIDR block", item)
		}
		proxies = append(proxies, prefix)
	}
	return proxies, nil
}

// parseProxy reads one item. An IPv4-mapped IPv6 address becomes IPv4, which is how
// peers are compared.
func parseProxy(text string) (netip.Prefix, bool) {
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

// ClientAddress returns where a request comes from: the peer, or, while that is a
// trusted proxy, the one that it says to have got the request from. Each proxy
// appends to X-Forwarded-For, so it is read from its end. The first address that is no
// trusted proxy wrote whatever stands before it, so that is ignored.
func ClientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	address, _ := parseHop(r.RemoteAddr)
	// Several headers are one list (RFC 9110 section 5.3).
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
			return address // the last one that a trusted proxy named
		}
		address = next
	}
	return address
}

func isTrusted(address netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(address) })
}

// parseHop reads an address with or without a port, in brackets or not.
func parseHop(text string) (netip.Addr, bool) {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return canonical(both.Addr()), true
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	address, err := netip.ParseAddr(bare)
	return canonical(address), err == nil
}

// canonical returns the one form in which addresses are compared: IPv4 where it is
// mapped into IPv6, and no zone.
func canonical(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
