package view

import (
	"fmt"
	"net/http"
	"strconv"

	"portico/model"
)

// Refusal is the body of an error (API section 7).
type Refusal struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	// RetryAfterSeconds goes with 429 only.
	RetryAfterSeconds int `json:"retry_after_seconds,omitempty"`
}

// NewRefusal returns the body of an error with this message.
func NewRefusal(message string) Refusal { return Refusal{Status: "error", Message: message} }

// Refuse returns the body that answers e, and sets the headers that belong to its code.
// metadataURL is the address of the OAuth metadata of the door, which a client without a
// valid key needs to get one.
func Refuse(header http.Header, r *http.Request, e *model.Error, metadataURL string) Refusal {
	body := NewRefusal(e.Message)
	switch e.Code {
	case model.CodeUnauthenticated:
		header.Set("WWW-Authenticate", challenge(r, metadataURL))
	case model.CodeRateLimited:
		body.RetryAfterSeconds = model.RetrySeconds(e.RetryAfter)
		header.Set("Retry-After", strconv.Itoa(body.RetryAfterSeconds))
	}
	return body
}

// challenge returns the WWW-Authenticate header, which leads a client to the
// authorization server (RFC 9728 section 5.1). An invalid key is an error of its own
// (RFC 6750 section 3.1): a client that sent none has made no mistake yet.
func challenge(r *http.Request, metadataURL string) string {
	challenge := fmt.Sprintf(`Bearer resource_metadata="%s"`, metadataURL)
	if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
	}
	return challenge
}
