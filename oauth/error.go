package oauth

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/go-oauth2/oauth2/v4/errors"

	"portico/model"
)

// The error codes of the protocol.
const (
	invalidRequest          = "invalid_request"           // RFC 6749 section 5.2
	invalidClient           = "invalid_client"            // RFC 6749 section 5.2
	invalidGrant            = "invalid_grant"             // RFC 6749 section 5.2
	unsupportedGrantType    = "unsupported_grant_type"    // RFC 6749 section 5.2
	unsupportedResponseType = "unsupported_response_type" // RFC 6749 section 4.1.2.1
	invalidScope            = "invalid_scope"             // RFC 6749 section 4.1.2.1
	accessDenied            = "access_denied"             // RFC 6749 section 4.1.2.1
	serverError             = "server_error"              // RFC 6749 section 4.1.2.1
	temporarilyUnavailable  = "temporarily_unavailable"   // RFC 6749 section 4.1.2.1
	invalidRedirectURI      = "invalid_redirect_uri"      // RFC 7591 section 3.2.2
	invalidClientMetadata   = "invalid_client_metadata"   // RFC 7591 section 3.2.2
)

// refusal is an error that a client sees, with the body of RFC 6749 section 5.2.
type refusal struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`

	status int
}

// Error implements error.
func (e *refusal) Error() string { return e.Code + ": " + e.Description }

// newRefusal returns a refusal with status 400.
func newRefusal(code, description string) *refusal {
	return &refusal{Code: code, Description: description, status: http.StatusBadRequest}
}

// unknownClient returns a refusal with status 401 (RFC 6749 section 5.2), after which clients
// register again.
func unknownClient() *refusal {
	return &refusal{Code: invalidClient, Description: "The client is not registered", status: http.StatusUnauthorized}
}

// internalRefusal returns the refusal for every internal error, without details.
func internalRefusal(e *model.Error) *refusal {
	return &refusal{Code: serverError, Description: e.Message, status: e.HTTPStatus()}
}

// refusalOf translates the errors of the library, whose statuses differ from the RFC. It returns
// nil for other errors.
func refusalOf(err error) *refusal {
	switch err { // the library does not wrap its errors
	case errors.ErrInvalidRequest, errors.ErrMissingCodeVerifier:
		return newRefusal(invalidRequest, "code, redirect_uri, client_id and code_verifier are required")
	case errors.ErrInvalidClient:
		return unknownClient()
	case errors.ErrInvalidGrant:
		return newRefusal(invalidGrant, "The code is unknown, expired or used, or belongs to another client, redirect_uri or code_verifier")
	case errors.ErrUnsupportedGrantType, errors.ErrUnauthorizedClient:
		return newRefusal(unsupportedGrantType, "grant_type must be authorization_code")
	}
	return nil
}

// respond writes a JSON document. Caches must not store it, unless the caller has set
// Cache-Control. It writes nothing if the body cannot be encoded.
func respond(w http.ResponseWriter, status int, body any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("X-Content-Type-Options", "nosniff")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store") // RFC 6749 section 5.1
		h.Set("Pragma", "no-cache")
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // fails only when the client has disconnected
	return nil
}
