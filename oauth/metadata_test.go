package oauth

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServerMetadata_lists_the_endpoints_under_every_path(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, issuer := range map[string]string{
		"/.well-known/oauth-authorization-server":     w.server.URL,
		"/.well-known/oauth-authorization-server/":    w.server.URL,
		"//.well-known//oauth-authorization-server":   w.server.URL,
		"/api/.well-known/oauth-authorization-server": w.server.URL + "/api",
		"/.well-known/oauth-authorization-server/api": w.server.URL + "/api",
	} {
		got := w.send(http.MethodGet, path, "", "")
		want := map[string]any{
			"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
			"registration_endpoint": issuer + "/register", "revocation_endpoint": issuer + "/revoke",
			"response_types_supported": []any{"code"}, "response_modes_supported": []any{"query"},
			"grant_types_supported": []any{"authorization_code"}, "code_challenge_methods_supported": []any{"S256"},
			"token_endpoint_auth_methods_supported": []any{"none"}, "revocation_endpoint_auth_methods_supported": []any{"none"},
			"authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": true,
		}
		if diff := cmp.Diff(want, got.document); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", path, diff)
		}
		if got.header.Get("Content-Type") != "application/json" || got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: got headers %v, want JSON for any origin", path, got.header)
		}
	}
}

func TestResourceMetadata_is_found_for_each_resource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const at = "/.well-known/oauth-protected-resource"
	for path, resource := range map[string]string{
		at: "", at + "/graphql": "/graphql", at + "/v1": "/v1", at + "/api/v1": "/api/v1", at + "/v1/mcp": "/v1/mcp", at + "/api/v1/mcp": "/api/v1/mcp",
		at + "/api": "/api", "/api" + at: "/api", "/api" + at + "/v1": "/api/v1", "/api" + at + "/v1/mcp": "/api/v1/mcp",
	} {
		want := map[string]any{
			"resource": w.server.URL + resource, "authorization_servers": []any{w.server.URL},
			"bearer_methods_supported": []any{"header"}, "resource_name": "Portico",
		}
		if diff := cmp.Diff(want, w.send(http.MethodGet, path, "", "").document); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", path, diff)
		}
	}
	for _, path := range []string{at + "/v2", at + "/api/graphql"} {
		if got := w.send(http.MethodGet, path, "", ""); got.status != http.StatusNotFound {
			t.Errorf("%s, which is not a resource: got %d, want 404", path, got.status)
		}
	}
}

func TestEndpoints_by_method_and_origin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, methods := range map[string]string{
		"/register": "POST", "/token": "POST", "/revoke": "POST", serverMetadataPath: "GET, HEAD", resourceMetadataPath: "GET, HEAD",
	} {
		for _, prefix := range []string{"", "/api"} {
			got := w.send(http.MethodDelete, prefix+path, "", "")
			w.wantError(got, http.StatusMethodNotAllowed, "invalid_request")
			if got.header.Get("Allow") != methods || got.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: got headers %v, want Allow: %s for any origin", path, got.header, methods)
			}
			preflight := w.send(http.MethodOptions, prefix+path, "", "")
			if preflight.status != http.StatusNoContent || !strings.Contains(preflight.header.Get("Access-Control-Allow-Headers"), "mcp-protocol-version") {
				t.Errorf("preflight of %s: got %d %v, want 204 with the headers of MCP", path, preflight.status, preflight.header)
			}
		}
	}
	if got := w.page(w.stranger(), "/authorize").header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("authorize: got CORS for %q, want none: it reads a cookie", got)
	}
}
