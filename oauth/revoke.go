package oauth

import (
	"fmt"
	"net/http"
)

// revoke answers POST /revoke (RFC 7009): it ends the API key, everywhere at
// once. Whoever has the key may end it, so a client need not name itself; one
// that does must be registered. A token that is no key is no error.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(r); err != nil {
		return err
	}
	id, _, err := clientOf(r)
	if err == nil && id != "" {
		_, err = client(r.Context(), s.db, id)
	}
	if refused := fromLibrary(err); refused != nil {
		return refused
	}
	if err != nil {
		return err
	}
	token := r.PostForm.Get("token")
	if token == "" {
		return refuse(invalidRequest, "token is required")
	}
	if err := s.keys.RevokeKey(r.Context(), token); err != nil {
		return fmt.Errorf("revoke a key: %w", err)
	}
	return answer(w, http.StatusOK, struct{}{})
}
