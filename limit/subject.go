package limit

import (
	"net/http"
	"net/netip"
	"strings"

	"portico/model"
)

// Subject is whom a request is counted for: the holder of an API key, or an
// address.
type Subject string

// keyPrefix begins the subjects that are keys.
const keyPrefix = "key:"

func (s Subject) isKey() bool { return strings.HasPrefix(string(s), keyPrefix) }

// KeySubject returns the subject of a caller, for a door that has no request at
// hand, such as a message on a socket.
func KeySubject(caller *model.Caller) Subject { return Subject(keyPrefix + caller.KeyID) }

// Subject returns whom a request counts for: its caller's key, or the address it
// comes from when auth has found no caller. So a wrong key counts for the address
// of who guesses. A nil Limiter, which trusts no proxies, answers too.
func (l *Limiter) Subject(r *http.Request) Subject {
	if caller := model.CallerFrom(r.Context()); caller != nil {
		return KeySubject(caller)
	}
	var proxies []netip.Prefix
	if l != nil {
		proxies = l.proxies
	}
	return addressSubject(clientAddress(r, proxies))
}

// addressSubject counts IPv6 by the 64 bits that a network gives to one customer,
// who has all the addresses below.
func addressSubject(address netip.Addr) Subject {
	switch {
	case !address.IsValid(): // not of TCP: nothing tells such peers apart
		return "ip:unknown"
	case address.Is4():
		return Subject("ip:" + address.String())
	}
	network, _ := address.Prefix(64) // an IPv6 address has 64 bits
	return Subject("ip:" + network.String())
}
