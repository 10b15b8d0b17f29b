package oauth

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"unicode"
	"unicode/utf8"

	"portico/db"
	"portico/model"
	"portico/web"
)

// registration has the metadata of RFC 7591 section 2 that the server uses. With the id and the
// time it is the response of section 3.2.1. Other fields are ignored.
type registration struct {
	ClientID      string   `json:"client_id,omitempty"`
	IssuedAt      int64    `json:"client_id_issued_at,omitempty"` // seconds since 1970
	Name          string   `json:"client_name,omitempty"`
	URI           string   `json:"client_uri,omitempty"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported,omitempty"` // of client documents
	Scope         string   `json:"scope,omitempty"`
}

const (
	maxRedirectURIs = 20
	maxName         = 200 // characters
)

// register handles POST /register (API section 5, step 1). Anybody may register a client. The limit
// is for rows of the table, so a refused request does not count.
//
// The client gets no registration access token (RFC 7592): it registers again instead of changing
// itself.
func (s *Server) register(w http.ResponseWriter, r *http.Request) error {
	metadata, err := readRegistration(r)
	if err != nil {
		return err
	}
	metadata.setDefaults()
	if err := metadata.check(); err != nil {
		return err
	}
	metadata.keepUsable()
	if wait := s.registrations.Take(s.site.AttemptSubject(r)); wait > 0 {
		web.SetRetryAfter(w.Header(), wait)
		return &refusal{Code: temporarilyUnavailable, Description: "Too many registrations. Try again later",
			status: http.StatusTooManyRequests}
	}
	client := &db.OAuthClient{ID: model.Token(), Name: metadata.Name, RedirectURIs: metadata.RedirectURIs, CreatedAt: model.Now()}
	if err := s.db.Keys().AddOAuthClient(r.Context(), client); err != nil {
		return fmt.Errorf("register a client: %w", err)
	}
	metadata.ClientID, metadata.IssuedAt = client.ID, client.CreatedAt.Unix()
	return respond(w, http.StatusCreated, metadata)
}

// readRegistration decodes the body. Its error names a field with a wrong type.
func readRegistration(r *http.Request) (*registration, error) {
	body, err := io.ReadAll(r.Body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, &refusal{Code: invalidClientMetadata, Description: "The body is too large", status: http.StatusRequestEntityTooLarge}
	}
	object, invalid := model.ParseObject(body)
	if err != nil || invalid != nil {
		return nil, newRefusal(invalidClientMetadata, "The body must be a JSON object")
	}
	metadata := new(registration)
	if err := model.Decode(object, "", metadata); err != nil {
		return nil, newRefusal(invalidClientMetadata, model.AsError(err).Message)
	}
	if err := model.CheckSurrogates("The body", object); err != nil {
		return nil, newRefusal(invalidClientMetadata, model.AsError(err).Message)
	}
	return metadata, nil
}

// setDefaults sets the defaults of omitted fields (RFC 7591 section 2). The default of
// token_endpoint_auth_method is "none", because nothing else is supported.
func (m *registration) setDefaults() {
	if m.GrantTypes == nil {
		m.GrantTypes = []string{"authorization_code"}
	}
	if m.ResponseTypes == nil {
		m.ResponseTypes = []string{"code"}
	}
	if m.AuthMethod == "" {
		m.AuthMethod = "none"
	}
}

// keepUsable removes what the server does not have from metadata that check accepts. A client lists
// what it can do with any server, such as grants that it does not need here, or redirect URIs with
// a scheme of its own. The response contains what is registered (RFC 7591 section 3.2.1).
func (m *registration) keepUsable() {
	m.AuthMethod, m.AuthMethods = "none", nil
	m.GrantTypes, m.ResponseTypes = []string{"authorization_code"}, []string{"code"}
	m.RedirectURIs = usableRedirectURIs(m.RedirectURIs)
	// The audit trail and the list of apps show the name.
	m.Name = model.RemoveInvisible(m.Name)
}

// check refuses metadata without anything that the server supports.
func (m *registration) check() error {
	switch {
	case m.AuthMethod != "none" && !slices.Contains(m.AuthMethods, "none"):
		return newRefusal(invalidClientMetadata, "token_endpoint_auth_method must be none")
	case !slices.Contains(m.GrantTypes, "authorization_code"):
		return newRefusal(invalidClientMetadata, "grant_types must have authorization_code")
	case !slices.Contains(m.ResponseTypes, "code"):
		return newRefusal(invalidClientMetadata, "response_types must have code")
	case !isName(m.Name):
		return newRefusal(invalidClientMetadata, fmt.Sprintf("client_name must be at most %d characters of plain text", maxName))
	case !isPage(m.URI):
		return newRefusal(invalidClientMetadata, "client_uri must be an http or https address")
	}
	if fault := scopeFault(m.Scope); fault != "" {
		return newRefusal(invalidClientMetadata, fault)
	}
	return m.checkRedirectURIs()
}

// checkRedirectURIs refuses metadata without a valid redirect URI. Redirect URIs have their own error
// code (RFC 7591 section 3.2.2).
func (m *registration) checkRedirectURIs() error {
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirectURIs {
		return newRefusal(invalidRedirectURI, fmt.Sprintf("redirect_uris must have 1 to %d addresses", maxRedirectURIs))
	}
	if len(usableRedirectURIs(m.RedirectURIs)) == 0 {
		return newRefusal(invalidRedirectURI, "redirect_uris must have an absolute http or https address without fragment and user")
	}
	return nil
}

// isName reports whether the consent page can show the text as the name of a client. The page says
// that the name is not verified.
func isName(name string) bool {
	for _, c := range name {
		if unicode.IsControl(c) {
			return false
		}
	}
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName
}

// isPage reports whether the text is empty or the http(s) address of a page.
func isPage(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && len(address) <= maxURI
}
