package oauth

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/counter"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, row := range []struct {
		name, body string
		want       map[string]any
	}{
		{"as_the_API_shows", `{"client_name":"Uploader","redirect_uris":["http://localhost:8080/cb"],"grant_types":["authorization_code"],"response_types":["code"],"token_endpoint_auth_method":"none"}`,
			map[string]any{"client_name": "Uploader", "redirect_uris": []any{"http://localhost:8080/cb"}, "grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none"}},
		{"with_its_redirect_URIs_alone", `{"redirect_uris":["https://a.example/"]}`,
			map[string]any{"redirect_uris": []any{"https://a.example/"}, "grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none"}},
		{"with_invisible_characters", `{"client_name":"\u202eBa\u200bnk","redirect_uris":["https://a.example/"]}`,
			map[string]any{"client_name": "Bank", "redirect_uris": []any{"https://a.example/"}, "grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none"}},
		{"as_MCP_clients", `{"client_name":"MCP <&>","client_uri":"https://a.example","redirect_uris":["http://127.0.0.1/"],"grant_types":["authorization_code","refresh_token"],"scope":"a b","software_id":"x","contacts":[1]}`,
			map[string]any{"client_name": "MCP <&>", "client_uri": "https://a.example", "redirect_uris": []any{"http://127.0.0.1/"}, "grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none", "scope": "a b"}},
		{"as_an_editor_with_a_scheme_of_its_own", `{"client_name":"Cursor","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none",
				"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"]}`,
			map[string]any{"client_name": "Cursor", "redirect_uris": []any{"https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"}, "grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none"}},
		{"with_grants_of_other_servers", `{"redirect_uris":["https://a.example/"],"grant_types":["client_credentials","authorization_code","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code","token"]}`,
			map[string]any{"redirect_uris": []any{"https://a.example/"}, "grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none"}},
		{"with_several_methods", `{"redirect_uris":["https://a.example/"],"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"]}`,
			map[string]any{"redirect_uris": []any{"https://a.example/"}, "grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := w.send(http.MethodPost, "/register", "application/json", row.body)
			if got.status != http.StatusCreated {
				t.Fatalf("status: got %d %s, want 201", got.status, got.body)
			}
			issued, _ := got.document["client_id_issued_at"].(float64)
			if age := time.Since(time.Unix(int64(issued), 0)); age > time.Minute || age < -time.Minute {
				t.Errorf("client_id_issued_at: got %v, want now in seconds", issued)
			}
			if id, _ := got.document["client_id"].(string); !isID(id) {
				t.Errorf("client_id: got %q, want an id", id)
			}
			delete(got.document, "client_id")
			delete(got.document, "client_id_issued_at")
			if diff := cmp.Diff(row.want, got.document); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := got.header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control: got %q, want no-store", got)
			}
		})
	}
}

func TestRegister_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	withField := func(field string) string { return `{"redirect_uris":["https://a.example/"],` + field + `}` }
	for _, row := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"no_JSON", `client_name=x`, 400, "invalid_client_metadata"},
		{"nothing", ``, 400, "invalid_client_metadata"},
		{"no_object", `[]`, 400, "invalid_client_metadata"},
		{"wrong_type", withField(`"client_name":1`), 400, "invalid_client_metadata"},
		{"secret", withField(`"token_endpoint_auth_method":"client_secret_basic"`), 400, "invalid_client_metadata"},
		{"other_grant", withField(`"grant_types":["password"]`), 400, "invalid_client_metadata"},
		{"several_secrets", withField(`"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["private_key_jwt"]`), 400, "invalid_client_metadata"},
		{"refresh_only", withField(`"grant_types":["refresh_token"]`), 400, "invalid_client_metadata"},
		{"no_grant", withField(`"grant_types":[]`), 400, "invalid_client_metadata"},
		{"token_in_the_address", withField(`"response_types":["token"]`), 400, "invalid_client_metadata"},
		{"no_response", withField(`"response_types":[]`), 400, "invalid_client_metadata"},
		{"NUL_in_name", withField(`"client_name":"a\u0000"`), 400, "invalid_client_metadata"},
		{"long_name", withField(`"client_name":"` + strings.Repeat("x", 201) + `"`), 400, "invalid_client_metadata"},
		{"script_as_page", withField(`"client_uri":"javascript:alert(1)"`), 400, "invalid_client_metadata"},
		{"quote_in_scope", withField(`"scope":"\""`), 400, "invalid_client_metadata"},
		{"much_too_large", withField(`"x":"` + strings.Repeat("x", maxBody) + `"`), 413, "invalid_client_metadata"},
		{"no_redirect", `{"client_name":"x"}`, 400, "invalid_redirect_uri"},
		{"empty_redirects", `{"redirect_uris":[]}`, 400, "invalid_redirect_uri"},
		{"too_many_redirects", `{"redirect_uris":["` + strings.Repeat(`https://a.example/","`, 20) + `https://a.example/"]}`, 400, "invalid_redirect_uri"},
		{"no_usable_redirect", `{"redirect_uris":["app://x","https://a.example/#x"]}`, 400, "invalid_redirect_uri"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := w.send(http.MethodPost, "/register", "application/json", row.body)
			w.wantError(got, row.status, row.want)
		})
	}
}

func TestRegister_is_limited_by_address(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.oauth.registrations = counter.NewAttempts(2, time.Hour)
	w.register(callback)
	w.send(http.MethodPost, "/register", "application/json", `{}`) // refused ones do not count
	w.register(callback)
	got := w.send(http.MethodPost, "/api/register", "application/json", `{"redirect_uris":["https://a.example/"]}`)
	w.wantError(got, http.StatusTooManyRequests, "temporarily_unavailable")
	if got.header.Get("Retry-After") != "3600" {
		t.Errorf("Retry-After: got %q, want 3600", got.header.Get("Retry-After"))
	}
}
