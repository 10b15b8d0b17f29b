package door

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// visitorID returns the id by which visits from an address are counted. It is a keyed hash that
// changes at midnight UTC. So the database has no addresses, and nobody can compare the ids of two
// days or find the address for an id.
//
// 128 bits of HMAC-SHA-256 (RFC 2104). The address is hashed with the secret, because all IPv4
// addresses could be tried against a plain hash.
func visitorID(secret []byte, address string, now time.Time) string {
	hash := hmac.New(sha256.New, secret)
	hash.Write([]byte("visitor " + now.UTC().Format(time.DateOnly) + " " + address)) // never fails
	return "visitor-" + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16])
}
