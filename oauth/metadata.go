package oauth

import (
	"net/http"

	"portico/model"
)

// The paths of the metadata documents.
const (
	serverMetadataPath   = "/.well-known/oauth-authorization-server" // RFC 8414
	resourceMetadataPath = model.ResourceMetadataPath
)

// resourcePaths are the paths of the resources that accept the keys. RFC 9728 section 3.1 inserts
// the well-known path before the path of the resource.
var resourcePaths = []string{"", "/v1", "/v1/mcp"}

// graphQLPath is the path of another resource, which has no second address below /api.
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

// serverMetadata responds with the description of the server at the issuer's address. The server
// below /api is another issuer, because clients compare the issuer with the address of the document
// (RFC 8414 section 3.3).
func (s *Server) serverMetadata(issuer string) func(http.ResponseWriter, *http.Request) error {
	document := authorizationServer{
		Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token",
		RegistrationEndpoint: issuer + "/register", RevocationEndpoint: issuer + "/revoke",
		ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: []string{"authorization_code"}, ChallengeMethods: []string{"S256"},
		TokenAuthMethods: []string{"none"}, RevocationAuthMethods: []string{"none"},
		IssuerInResponse: true,
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		current := document
		current.ClientDocuments = s.offersDocuments()
		return cacheable(current)(w, r)
	}
}

// protectedResource is the document of RFC 9728 section 2.
type protectedResource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
}

// resourceMetadata responds with the description of a resource. The WWW-Authenticate header of a
// 401 names the address of this document.
func (s *Server) resourceMetadata(resource string) func(http.ResponseWriter, *http.Request) error {
	return cacheable(protectedResource{
		Resource: resource, AuthorizationServers: []string{s.base}, BearerMethods: []string{"header"}, Name: "Portico",
	})
}

// cacheable responds with a document that caches may store: a new configuration changes it, and at the
// start whether client documents are offered.
func cacheable(document any) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		return respond(w, http.StatusOK, document)
	}
}
