package oauth

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/go-oauth2/oauth2/v4"
)

// token handles POST /token, which exchanges a code for the API key of the account (API section 5,
// step 4).
func (s *Server) token(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(r); err != nil {
		return err
	}
	if grant := r.PostForm.Get("grant_type"); grant == "" {
		return newRefusal(invalidRequest, "grant_type is required")
	} else if grant != string(oauth2.AuthorizationCode) {
		return newRefusal(unsupportedGrantType, "grant_type must be authorization_code")
	}
	info, err := s.exchange(r)
	if refused := refusalOf(err); refused != nil {
		return refused
	}
	if err != nil {
		return fmt.Errorf("exchange a code: %w", err)
	}
	return respond(w, http.StatusOK, tokenView{AccessToken: info.GetAccess(), TokenType: "Bearer", Scope: info.GetScope()})
}

// tokenView is the response of RFC 6749 section 5.1. The key does not expire, so it has no
// expires_in and no refresh_token (API section 5, token rules).
type tokenView struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	Scope       string `json:"scope,omitempty"`
}

// exchange lets the library check the code with its client, redirect URI and verifier. The library
// reads, and so deletes, the code last, so that a request with a missing field does not delete it.
func (s *Server) exchange(r *http.Request) (oauth2.TokenInfo, error) {
	id, _, err := clientIDOf(r)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, newRefusal(invalidRequest, "client_id is required")
	}
	if verifier := r.PostForm.Get("code_verifier"); verifier != "" && !isVerifier(verifier) {
		return nil, newRefusal(invalidRequest, "code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~")
	}
	grant, request, err := s.library.ValidationTokenRequest(r)
	if err != nil {
		return nil, err
	}
	return s.library.GetAccessToken(r.Context(), grant, request)
}

// isVerifier reports whether the text has the form of RFC 7636 section 4.1. The library does
// not check it, and an attacker with the code could guess a shorter verifier.
func isVerifier(verifier string) bool {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	return len(verifier) >= 43 && len(verifier) <= 128 && strings.Trim(verifier, unreserved) == ""
}

// readForm reads the form in the body into r.Form, which the library uses. It ignores the query,
// because addresses, and so their secrets, are logged (RFC 6749 section 2.3.1).
func readForm(r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return newRefusal(invalidRequest, "Content-Type must be application/x-www-form-urlencoded")
	}
	if err := r.ParseForm(); err != nil {
		return newRefusal(invalidRequest, "The form cannot be read")
	}
	if refused := refuseRepeated(r.PostForm); refused != nil {
		return refused
	}
	r.Form = r.PostForm
	return nil
}
