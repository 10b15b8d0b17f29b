package oauth

import "net/http"

// Where the documents are.
const (
	serverMetadataPath   = "/.well-known/oauth-authorization-server" // RFC 8414
	resourceMetadataPath = "/.well-known/oauth-protected-resource"   // RFC 9728
)

// resourcePaths are what the keys open, below the server's address.
var resourcePaths = []string{"", "/v1", "/v1/mcp"}

// graphQLPath is one more, which answers at the root alone.
const graphQLPath = "/graphql"

// authorizationServer is the document of RFC 8414 section 2.
type authorizationServer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	IssuerInResponse      bool     `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`
}

// serverMetadata describes the server below the issuer's address. What answers
// below /api is an issuer of its own: clients compare the issuer with the
// address that they asked (RFC 8414 section 3.3).
func serverMetadata(issuer string) func(http.ResponseWriter, *http.Request) error {
	document := authorizationServer{
		Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token",
		RegistrationEndpoint: issuer + "/register", RevocationEndpoint: issuer + "/revoke",
		ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: []string{"authorization_code"}, ChallengeMethods: []string{"S256"},
		TokenAuthMethods: []string{"none"}, RevocationAuthMethods: []string{"none"},
		IssuerInResponse: true, ClientDocuments: true,
	}
	return cached(document)
}

// protectedResource is the document of RFC 9728 section 2.
type protectedResource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
}

// resourceMetadata describes what the keys open, for clients that begin there:
// MCP clients follow the WWW-Authenticate header to it.
func (s *Server) resourceMetadata(resource string) func(http.ResponseWriter, *http.Request) error {
	return cached(protectedResource{
		Resource: resource, AuthorizationServers: []string{s.base}, BearerMethods: []string{"header"}, Name: "Portico",
	})
}

// cached answers with the document, which changes with the configuration only.
func cached(document any) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		return answer(w, http.StatusOK, document)
	}
}
