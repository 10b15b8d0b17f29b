package oauth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"portico/db"
	"portico/model"
	"portico/web"
)

// authorizationRequest is a request for a code with a valid client and redirect URI. Only to such a
// request may the server send the client an error.
//
// It is valid for one HTTP request only: decide reads everything again, because the address of the
// form is in the browser's hands.
type authorizationRequest struct {
	issuer      string      // the issuer of the request's path
	user        *model.User // who is signed in; nil for nobody
	client      *db.OAuthClient
	redirectURI *url.URL   // is registered by the client
	query       url.Values // as it was sent
}

// authorize responds to GET /authorize with the consent page (API section 5, step 2).
func (s *Server) authorize(issuer string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		request, err := s.readRequest(w, r, issuer)
		if err != nil || request == nil {
			return err
		}
		return s.showConsent(w, r, request, "")
	}
}

// decide handles the form of the consent page. The address of the form contains the request, which
// decide validates again.
//
// The token in the form proves that this person has seen this request (web.ConsentAnswer).
func (s *Server) decide(issuer string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		request, err := s.readRequest(w, r, issuer)
		if err != nil || request == nil {
			return err
		}
		switch s.site.ConsentAnswer(r) {
		case web.Allowed:
			return s.grant(w, r, request)
		case web.Denied:
			return request.redirectWithError(w, r, newRefusal(accessDenied, "The user denied the request"))
		}
		return s.showConsent(w, r, request, "This page has expired. Answer again")
	}
}

// showConsent shows the consent page, also to people who have agreed to the client before: a client
// has no secret, so any program can use its id (RFC 8252 section 8.6).
func (s *Server) showConsent(w http.ResponseWriter, r *http.Request, request *authorizationRequest, problem string) error {
	return s.site.ShowConsent(w, r, request.user, web.Consent{
		Client: request.client.Name, Publisher: publisher(request.client), RedirectURI: request.redirectURI, Problem: problem,
	})
}

// readRequest returns the request of a signed-in user. If it returns neither a request nor an
// error, it has responded with a redirect to the client or to the sign-in page.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request, issuer string) (*authorizationRequest, error) {
	user, err := s.site.User(r)
	if err != nil {
		return nil, err
	}
	if user == nil && isDocumentAddress(r.URL.Query().Get("client_id")) {
		return nil, s.site.RedirectToSignIn(w, r) // only a signed-in user makes the server read a document
	}
	request, err := s.findClient(r, issuer, user)
	if err != nil {
		return nil, err
	}
	if refused := request.check(); refused != nil {
		return nil, s.refuseRequest(w, r, request, refused)
	}
	if user == nil {
		return nil, s.site.RedirectToSignIn(w, r)
	}
	return request, nil
}

// refuseRequest redirects the browser to the client with the error, if the user has agreed to the
// client before. Otherwise it returns an error page: anybody can register a client with any
// address, so a redirect without consent would make the server an open redirector (RFC 9700 section
// 4.11.2).
func (s *Server) refuseRequest(w http.ResponseWriter, r *http.Request, request *authorizationRequest, refused *refusal) error {
	if request.user != nil {
		known, err := s.db.Keys().HasConsented(r.Context(), request.user.ID, request.client.ID)
		if err != nil {
			return err
		}
		if known {
			return request.redirectWithError(w, r, refused)
		}
	}
	return model.InvalidTemplate("The app that sent you here made a mistake: {reason}", map[string]string{"reason": refused.Description})
}

// findClient returns the request with its client and redirect URI. If one is invalid, it returns an
// error page and never redirects (RFC 6749 section 4.1.2.1). A repeated parameter is refused (RFC
// 6749 section 3.1), because two programs could read different ones.
func (s *Server) findClient(r *http.Request, issuer string, user *model.User) (*authorizationRequest, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(query["client_id"]) > 1 || len(query["redirect_uri"]) > 1 {
		return nil, model.Invalidf("The address of this page is not well-formed. Start again from the app that sent you here")
	}
	client, err := s.client(r.Context(), query.Get("client_id"), user)
	if refused := refusalOf(err); refused != nil {
		return nil, model.Invalidf("The app that sent you here is not registered. Start again from there")
	}
	if err != nil {
		return nil, err
	}
	if query.Get("redirect_uri") == "" {
		return nil, model.Invalidf("The app that sent you here does not say where it wants the answer (redirect_uri)")
	}
	redirectURI := registeredURI(client, query.Get("redirect_uri"))
	if redirectURI == nil {
		return nil, model.Invalidf("The app that sent you here wants the answer at an address that it has not registered (redirect_uri)")
	}
	return &authorizationRequest{issuer: issuer, user: user, client: client, redirectURI: redirectURI, query: query}, nil
}

// client returns the client of an authorization request. It reads the document of a client only for
// a signed-in user.
func (s *Server) client(ctx context.Context, id string, user *model.User) (*db.OAuthClient, error) {
	if s.documents != nil && isDocumentAddress(id) && user != nil {
		return s.documents.client(ctx, id, user.ID)
	}
	return storedClient(ctx, s.db, id)
}

// check refuses a request whose other parameters are invalid. It names one fault: a repeated
// parameter, then response_type, then the challenge, then the scope.
func (a *authorizationRequest) check() *refusal {
	if refused := refuseRepeated(a.query); refused != nil {
		return refused
	}
	switch {
	case a.query.Get("response_type") == "":
		return newRefusal(invalidRequest, "response_type is required")
	case a.query.Get("response_type") != "code":
		return newRefusal(unsupportedResponseType, "response_type must be code")
	case a.query.Get("code_challenge") == "":
		return newRefusal(invalidRequest, "code_challenge is required")
	case a.query.Get("code_challenge_method") != "S256":
		return newRefusal(invalidRequest, "code_challenge_method must be S256")
	case !isChallenge(a.query.Get("code_challenge")):
		return newRefusal(invalidRequest, "code_challenge must be the base64url form of a SHA-256")
	}
	if fault := scopeFault(a.query.Get("scope")); fault != "" {
		return newRefusal(invalidScope, fault)
	}
	return nil
}

// isChallenge reports whether the text is a SHA-256 in base64url (RFC 7636 section 4.2).
// Padding is accepted, because the library ignores it in the comparison.
func isChallenge(challenge string) bool {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(challenge, "="))
	return err == nil && len(sum) == 32
}

// maxScope is the maximum number of characters of a scope.
const maxScope = 1000

// scopeFault returns what is wrong with a scope, or "" for one in the form of RFC 6749 section 3.3.
// Any such scope is accepted: a key gives access to everything that the account may do.
func scopeFault(scope string) string {
	for i := range len(scope) {
		if c := scope[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return "scope has characters that are not allowed in a scope"
		}
	}
	if len(scope) > maxScope {
		return fmt.Sprintf("scope must have at most %d characters", maxScope)
	}
	return ""
}

// grant sends the client a code that is bound to the client, the requested redirect URI and the
// challenge. The code leaves in the redirect only. The database has its hash and what it is bound
// to.
func (s *Server) grant(w http.ResponseWriter, r *http.Request, a *authorizationRequest) error {
	if err := s.checkKey(r.Context(), a.user); err != nil {
		return err
	}
	code := rand.Text()
	err := s.db.InTx(r.Context(), func(tx *db.DB) error {
		if isDocumentAddress(a.client.ID) { // stored, so that the exchange need not read the document
			if err := tx.Keys().SaveOAuthClient(r.Context(), a.client); err != nil {
				return err
			}
		}
		return tx.Keys().AddOAuthCode(r.Context(), &db.OAuthCode{
			Hash: hashCode(code), ClientID: a.client.ID, UserID: a.user.ID, AccessVersion: a.user.AccessVersion,
			RedirectURI: a.query.Get("redirect_uri"), Challenge: a.query.Get("code_challenge"), Scope: a.query.Get("scope"),
		})
	})
	if err != nil {
		return fmt.Errorf("store a code: %w", err)
	}
	return a.redirectToClient(w, r, url.Values{"code": {code}})
}

// checkKey refuses a user whose key no client could get, because it cannot be decrypted. Only the
// user can solve this, so the error is a page here, and not the response to the exchange. A user
// without a key gets one in the exchange.
func (s *Server) checkKey(ctx context.Context, user *model.User) error {
	_, err := s.keys.Show(ctx, user.ID)
	switch {
	case errors.Is(err, model.ErrKeySealed):
		return model.Invalidf("Your key can no longer be shown, because the secret of this server was changed. Generate a new key on your account page, then start again")
	case err != nil && model.CodeOf(err) != model.CodeNotFound:
		return fmt.Errorf("read the key of user %s: %w", user.ID, err)
	}
	return nil
}

// redirectWithError redirects the browser to the client with an error (RFC 6749 section 4.1.2.1).
func (a *authorizationRequest) redirectWithError(w http.ResponseWriter, r *http.Request, refused *refusal) error {
	return a.redirectToClient(w, r, url.Values{"error": {refused.Code}, "error_description": {refused.Description}})
}

// redirectToClient redirects the browser to the client, with the state of the request, and with the
// issuer, by which the client detects a response of another server (RFC 9207).
func (a *authorizationRequest) redirectToClient(w http.ResponseWriter, r *http.Request, parameters url.Values) error {
	if a.query.Has("state") {
		parameters.Set("state", a.query.Get("state"))
	}
	parameters.Set("iss", a.issuer)
	return web.Redirect(w, r, withParameters(a.redirectURI, parameters))
}
