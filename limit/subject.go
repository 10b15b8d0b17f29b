package limit

import (
	"net/http"
	"net/netip"
	"strings"

	"portico/model"
)

// Subject is whom a request is counted for: an account, or an address.
type Subject string

// userPrefix begins the subjects that are accounts.
const userPrefix = "user:"

func (s Subject) isUser() bool { return strings.HasPrefix(string(s), userPrefix) }

// UserSubject returns the subject of an account, for a door that has no request at
// hand, such as a message on a socket. It does not depend on the key: a new key
// brings no new windows (contract, Rate limits).
func UserSubject(userID string) Subject { return Subject(userPrefix + userID) }

// Subject returns whom a request counts for: its caller's account, or the address
// it comes from when auth has found no caller. So a wrong key counts for the
// address of who guesses. A nil Limiter, which trusts no proxies, answers too.
func (l *Limiter) Subject(r *http.Request) Subject {
	if caller := model.CallerFrom(r.Context()); caller != nil {
		return UserSubject(caller.UserID)
	}
	return l.AddressSubject(r)
}

// AddressSubject returns the address that a request counts for while nobody is known
// to have sent it.
func (l *Limiter) AddressSubject(r *http.Request) Subject {
	var proxies []netip.Prefix
	if l != nil {
		proxies = l.proxies
	}
	return addressSubject(ClientAddress(r, proxies))
}

// addressSubject counts IPv6 by the 64 bits that a network gives to one customer,
// who has all the addresses below.
func addressSubject(address netip.Addr) Subject {
	switch {
	case !address.IsValid(): // not of TCP: such peers cannot be distinguished
		return "ip:unknown"
	case address.Is4():
		return Subject("ip:" + address.String())
	}
	network, _ := address.Prefix(64) // an IPv6 address has 64 bits
	return Subject("ip:" + network.String())
}
