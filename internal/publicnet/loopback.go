package publicnet

import (
	"net/netip"
	"strings"
)

// IsLoopback reports whether the host is localhost or a loopback address. What is sent to it stays
// on this machine, so it needs no TLS. The name localhost is enough, because resolvers should not
// look it up on the network (RFC 6761 section 6.3). Its case does not matter, nor does a zone of an
// address, as in ::1%lo.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
