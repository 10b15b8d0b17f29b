package model

import "net/netip"

// The messages about things of an account that do not exist, or belong to another account.
const (
	SessionNotFound  = "Session not found"
	AppNotFound      = "App not found"
	IdentityNotFound = "Identity not found"
	KeyNotFound      = "Key not found"
	ClientNotFound   = "Client not found"
	PasskeyNotFound  = "Passkey not found" //nolint:gosec // a message, not a credential

	EmailChangeNotFound = "No change of the e-mail address is waiting"
)

// Session is a browser that is signed in to an account.
type Session struct {
	ID string
	// Current reports whether the request belongs to this session.
	Current   bool
	UserAgent string
	// Network is the network of the last request (see the function Network).
	Network   string
	CreatedAt Time // when the user signed in
	SeenAt    Time // precise to a few minutes
	ExpiresAt Time
}

// ConnectedApp is a program to which a user has given the API key.
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

// Network returns the network of an address: the /24 of an IPv4 address, the /48 of an IPv6
// address, and the loopback address of IPv6 itself. Users recognise a place by it, but it does not
// identify a device. It returns "" for a text that is not an address.
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

// maxUserAgent is the maximum number of characters of a User-Agent that are stored.
const maxUserAgent = 300

// UserAgent returns the header User-Agent in the form in which it is stored.
func UserAgent(text string) string { return sanitise(text, maxUserAgent) }
