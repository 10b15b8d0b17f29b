package presence

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// ticket returns the ticket of a visitor.
func (r *Rooms) ticket(spaceID, visitorID string) string {
	return r.hash("ticket", spaceID, visitorID)
}

// isTicket reports whether a text is the ticket of the visitor, in a time that does not
// depend on the text.
func (r *Rooms) isTicket(spaceID, visitorID, text string) bool {
	return hmac.Equal([]byte(text), []byte(r.ticket(spaceID, visitorID)))
}

// outsider returns the name by which a removed account or address is remembered: neither can
// be read from it.
func (r *Rooms) outsider(spaceID, subject string) string {
	if subject == "" {
		return ""
	}
	return r.hash("outside", spaceID, subject)
}

// hash returns a keyed hash of two texts.
func (r *Rooms) hash(purpose, spaceID, text string) string {
	mac := hmac.New(sha256.New, r.options.Secret)
	// A NUL is in none of the texts: ids with one belong to no space.
	mac.Write([]byte("presence " + purpose + "\x00" + spaceID + "\x00" + text)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}
