package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// ticket returns a signature of the content of a page in this session. The page includes it in its
// form, and isTicketValid checks that the form comes from that page. Another site does not know
// the ticket.
func (s *Site) ticket(r *http.Request, shown string) string {
	mac := hmac.New(sha256.New, []byte(s.sessions.GetString(r.Context(), ticketKey)))
	mac.Write([]byte(shown)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// isTicketValid reports whether the ticket is the signature of this content in this session.
func (s *Site) isTicketValid(r *http.Request, shown, ticket string) bool {
	return s.sessions.GetString(r.Context(), ticketKey) != "" &&
		hmac.Equal([]byte(s.ticket(r, shown)), []byte(ticket))
}
