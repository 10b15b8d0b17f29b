package limit

import (
	"net/http"
	"net/netip"
	"strings"

	"portico/model"
)

// Subject identifies whom a request is counted for: an account or an address.
type Subject string

// userPrefix is the prefix of accounts.
const userPrefix = "user:"

func (s Subject) isUser() bool { return strings.HasPrefix(string(s), userPrefix) }

// UserSubject returns the subject of an account, for callers without a request, such as a
// message on a socket. It does not depend on the key: a new key has the same windows
// (requirements.md, Rate limits).
func UserSubject(userID string) Subject { return Subject(userPrefix + userID) }

// Subject returns the subject of a request: the caller's account, or the client's address if auth
// found no caller, so that guesses of keys are counted for the address. A nil Limiter trusts no
// proxies.
func (l *Limiter) Subject(r *http.Request) Subject {
	if caller := model.CallerFrom(r.Context()); caller != nil {
		return UserSubject(caller.UserID)
	}
	return l.AddressSubject(r)
}

// AddressSubject returns the subject of a request without a caller: the client's address.
func (l *Limiter) AddressSubject(r *http.Request) Subject {
	var proxies []netip.Prefix
	if l != nil {
		proxies = l.proxies
	}
	return addressSubject(ClientAddress(r, proxies))
}

// addressSubject counts IPv6 by the first 64 bits: a customer usually has all addresses of
// such a network.
func addressSubject(address netip.Addr) Subject {
	switch {
	case !address.IsValid(): // peers without TCP cannot be distinguished
		return "ip:unknown"
	case address.Is4():
		return Subject("ip:" + address.String())
	}
	network, _ := address.Prefix(64) // an IPv6 address has 64 bits
	return Subject("ip:" + network.String())
}
