package presence

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// ticket returns the secret with which a visitor moves. Every process can compute it.
func (r *Rooms) ticket(spaceID, visitorID string) string {
	return r.hash("ticket", spaceID, visitorID)
}

// isTicket reports whether a text is the ticket of the visitor. It compares in constant time.
func (r *Rooms) isTicket(spaceID, visitorID, text string) bool {
	return hmac.Equal([]byte(text), []byte(r.ticket(spaceID, visitorID)))
}

// banKey returns the key of a ban: a hash, from which nobody can read the account or address. The
// limit for an account or address counts by it too. It is empty for an empty subject.
func (r *Rooms) banKey(spaceID, subject string) string {
	if subject == "" {
		return ""
	}
	return r.hash("ban", spaceID, subject)
}

// hash returns a keyed hash of two texts.
func (r *Rooms) hash(purpose, spaceID, text string) string {
	mac := hmac.New(sha256.New, r.options.Secret)
	// None of the texts contains a NUL, so different texts have different hashes.
	mac.Write([]byte("presence " + purpose + "\x00" + spaceID + "\x00" + text)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}
