package model

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// Caller is the authenticated account of a request. Package auth makes it from the API
// key, for every door.
type Caller struct {
	// UserID is the account that the key belongs to.
	UserID string
	// KeyID is the id of the key; empty for a session. Subscriptions end when the key is
	// revoked.
	KeyID string
	// Session is the hash of the session's token; empty for a key. Some changes of an account
	// need a session: users give keys to programs, which must not be able to take over the
	// account.
	Session string
	// Connected reports whether the caller was authenticated once for a whole connection. Each
	// operation then checks the key again.
	Connected bool
	// SetSession sends the browser a new token of its session with the response. It is nil for a
	// caller with a key, and for a response whose headers were sent, of a socket or a stream.
	SetSession func(token string, expires time.Time)
	// Check returns CodeUnauthenticated if the caller's key or session has ended, in another
	// process perhaps half a second ago. Doors check when an operation begins.
	Check func(ctx context.Context) error
	// CheckSession returns CodeUnauthenticated if the caller's session has ended in any process. It
	// is for operations that outlive the session. It is nil for a caller with a key.
	CheckSession func(ctx context.Context) error
	// Watch returns a context that ends within a second of the end of the key or the session, with
	// the error of Check as its cause, and a function that stops watching.
	Watch func(ctx context.Context) (context.Context, context.CancelFunc)

	mu         sync.Mutex // guards the fields below
	keyVersion int64
	readAt     time.Time
}

// maxVersionAge is how long a caller keeps the version that KeyVersion has read. A response takes
// less; the caller of a socket lives for hours.
const maxVersionAge = 250 * time.Millisecond

// KeyVersion returns the User.KeyVersion of the caller's account, for all addresses of a response
// from one read.
func (c *Caller) KeyVersion(ctx context.Context, read func(ctx context.Context, userID string) (int64, error)) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.readAt) < maxVersionAge {
		return c.keyVersion, nil
	}
	version, err := read(ctx, c.UserID)
	if err == nil {
		c.keyVersion, c.readAt = version, time.Now()
	}
	return version, err
}

type contextKey int

const (
	callerKey contextKey = iota
	requestIDKey
	originKey
	visitorKey
	uncountedKey
	lockTokenKey
	linkVisitsKey
)

// WithCaller returns a context that carries the caller, and identifies the request.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	Identify(ctx, c.UserID)
	return context.WithValue(ctx, callerKey, c)
}

// CallerFrom returns the caller of ctx, or nil when nobody is signed in.
func CallerFrom(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey).(*Caller)
	return c
}

// WithVisitor returns a context with an id that identifies a visitor without an account, to count
// visits.
func WithVisitor(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, visitorKey, id)
}

// VisitorFrom returns the id that WithVisitor set, or "".
func VisitorFrom(ctx context.Context) string {
	id, _ := ctx.Value(visitorKey).(string)
	return id
}

// WithoutCount returns a context of a request that is not counted as a visit (MayCountVisit).
func WithoutCount(ctx context.Context) context.Context {
	return context.WithValue(ctx, uncountedKey, true)
}

// IsUncounted reports whether the request is not counted as a visit.
func IsUncounted(ctx context.Context) bool {
	uncounted, _ := ctx.Value(uncountedKey).(bool)
	return uncounted
}

// WithRequestID returns a context with the id of the request, which all of its log lines have.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey, id)
}

// RequestID returns the id that WithRequestID set, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

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

// OneTimeCodesOff is the message for an account that needs no one-time code.
const OneTimeCodesOff = "One-time codes are off"

// OneTimeCodesOn is the message for an account that already requires one-time codes. It names the
// way to recovery codes, because the response that returned them may have been lost.
const OneTimeCodesOn = "One-time codes are on already. Turn them off and on again to get new recovery codes"

// OneTimeCodes is the state of one-time codes of an account that requires them after the password.
type OneTimeCodes struct {
	EnabledAt Time
	// RecoveryCodesLeft is the number of unused recovery codes.
	RecoveryCodesLeft int
}

// OneTimeSecret is the secret of one-time codes. It is shown to its owner once.
type OneTimeSecret struct {
	Secret string // in base32, to type into an app
	URI    string // the same, as apps read it
	QRCode string // the URI as a picture, in a data: address
}

// RecoveryCodes is the number of recovery codes that an account gets.
const RecoveryCodes = 10

// Passkey is a passkey of an account.
type Passkey struct {
	ID        string
	Name      string
	CreatedAt Time
	// UsedAt is when somebody last signed in with it; nil for never.
	UsedAt *Time
}

// MaxPasskeys is the maximum number of passkeys of an account.
const MaxPasskeys = 20

// PasskeyName returns the name of a passkey without spaces around it. It refuses a name that
// is empty or too long.
func PasskeyName(name string) (string, error) { return AccountName(name) }

// MinSecretBytes is the minimum length of the server's secret, from which the keys for encryption
// and signatures are derived: 128 bits, if it is random, cannot be guessed.
const MinSecretBytes = 16
