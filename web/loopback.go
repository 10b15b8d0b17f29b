package web

import (
	"net/netip"
	"strings"
)

// IsLoopback reports whether the host is the machine that the browser runs on.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
