package oauth

import (
	"fmt"
	"net/http"
)

// revoke handles POST /revoke (RFC 7009), which revokes the API key for all programs. Everybody who
// has the key may revoke it, so a client need not identify itself; a client that does must be
// registered. Revoking a token that is not a key succeeds (section 2.2).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(r); err != nil {
		return err
	}
	id, _, err := clientIDOf(r)
	if err == nil && id != "" {
		_, err = storedClient(r.Context(), s.db, id)
	}
	if refused := refusalOf(err); refused != nil {
		return refused
	}
	if err != nil {
		return err
	}
	token := r.PostForm.Get("token")
	if token == "" {
		return newRefusal(invalidRequest, "token is required")
	}
	if err := s.keys.RevokeKey(r.Context(), token); err != nil {
		return fmt.Errorf("revoke a key: %w", err)
	}
	return respond(w, http.StatusOK, struct{}{})
}
