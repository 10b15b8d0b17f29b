package model

import "net/netip"

// Session is a browser that is signed in to an account.
type Session struct {
	ID string
	// Current reports whether the session is the one of the request.
	Current   bool
	UserAgent string
	// Network is where the browser was last seen; see Network.
	Network   string
	CreatedAt Time // when the user signed in
	SeenAt    Time // precise to a few minutes
	ExpiresAt Time
}

// ConnectedApp is a program that a user has given the API key.
type ConnectedApp struct {
	ID    string
	Name  string   // chosen by the program; may be empty
	Hosts []string // of its redirect addresses
	// ConnectedAt is when the user first agreed.
	ConnectedAt Time
}

// Identity is an identity at an OpenID Connect provider that an account is linked to.
type Identity struct {
	Issuer      string
	ConnectedAt Time
}

// Network returns the network of an address, precise enough to recognise a place by and no
// more: the /24 of an IPv4 address, the /48 of an IPv6 address. The loopback address of IPv6 is
// itself: ::/48 names no place. It is empty for another text.
func Network(address string) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	bits := 48
	parsed = parsed.Unmap().WithZone("")
	switch {
	case parsed.Is4():
		bits = 24
	case parsed.IsLoopback():
		return parsed.String()
	}
	network, err := parsed.Prefix(bits)
	if err != nil {
		return ""
	}
	return network.String()
}

// maxUserAgent is how many characters of a User-Agent are kept.
const maxUserAgent = 300

// UserAgent returns the text of a User-Agent as it is stored.
func UserAgent(text string) string { return cut(text, maxUserAgent) }
