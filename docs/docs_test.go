package docs_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"portico/docs"
)

func TestOpenAPI_is_JSON(t *testing.T) {
	t.Parallel()
	var document struct {
		OpenAPI string
		Paths   map[string]any
	}
	if err := json.Unmarshal(docs.OpenAPI(), &document); err != nil {
		t.Fatalf("decode: %v", err)
	}
	if got, want := document.OpenAPI, "3.1.0"; got != want {
		t.Errorf("openapi: got %s, want %s", got, want)
	}
	if len(document.Paths) == 0 {
		t.Error("paths: got none")
	}
}

func TestHandler_serves_the_document_with_the_servers_address(t *testing.T) {
	t.Parallel()
	handler := docs.Description{BaseURL: "https://portico.example"}.JSON()
	got := httptest.NewRecorder()
	handler.ServeHTTP(got, httptest.NewRequest("GET", "/openapi.json", nil))
	var document struct {
		Servers []struct {
			URL       string
			Variables struct {
				Base struct{ Default string } `json:"base_url"`
			}
		}
	}
	if err := json.Unmarshal(got.Body.Bytes(), &document); err != nil {
		t.Fatalf("decode: %v", err)
	}
	for i, prefix := range []string{"/v1", "/api/v1"} {
		server := document.Servers[i]
		if server.URL != "{base_url}"+prefix || server.Variables.Base.Default != "https://portico.example" {
			t.Errorf("server: got %+v, want %s below https://portico.example", server, prefix)
		}
	}
	if got, want := got.Header().Get("Content-Type"), "application/json; charset=utf-8"; got != want {
		t.Errorf("Content-Type: got %s, want %s", got, want)
	}
}

func TestHandler_serves_the_document_as_it_is_written(t *testing.T) {
	t.Parallel()
	got := httptest.NewRecorder()
	docs.Description{BaseURL: "https://portico.example"}.YAML().ServeHTTP(got, httptest.NewRequest("GET", "/openapi.yaml", nil))
	text := got.Body.String()
	if !strings.HasPrefix(text, "openapi: 3.1.0") || !strings.Contains(text, `"https://portico.example"`) || strings.Contains(text, "127.0.0.1:8080") {
		t.Errorf("got %.200s, want the document with the server's address", text)
	}
}

func TestHandler_answers_405_to_other_methods(t *testing.T) {
	t.Parallel()
	got := httptest.NewRecorder()
	docs.Description{BaseURL: "https://portico.example"}.JSON().ServeHTTP(got, httptest.NewRequest("POST", "/openapi.json", strings.NewReader("{}")))
	if got.Code != 405 || got.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("got %d, Allow %q, want 405, GET, HEAD, OPTIONS", got.Code, got.Header().Get("Allow"))
	}
}

func TestRestMD_names_every_path(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("rest.md")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Paths map[string]any }
	if err := json.Unmarshal(docs.OpenAPI(), &document); err != nil {
		t.Fatalf("decode: %v", err)
	}
	for path := range document.Paths {
		want := strings.NewReplacer("{", ":", "}", "").Replace(path)
		if !strings.Contains(string(text), want+"`") {
			t.Errorf("rest.md: got no %s", want)
		}
	}
}
