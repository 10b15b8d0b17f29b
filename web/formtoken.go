package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// formToken returns a signature of the content of a page in this session. The page includes it in
// its form, and isFormTokenValid checks that the form comes from that page. Another site does not
// know the token.
func (s *Site) formToken(r *http.Request, shown string) string {
	mac := hmac.New(sha256.New, []byte(s.sessions.GetString(r.Context(), formTokenKey)))
	mac.Write([]byte(shown)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// isFormTokenValid reports whether the token is the signature of this content in this session.
func (s *Site) isFormTokenValid(r *http.Request, shown, token string) bool {
	return s.sessions.GetString(r.Context(), formTokenKey) != "" &&
		hmac.Equal([]byte(s.formToken(r, shown)), []byte(token))
}
