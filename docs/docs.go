// Package docs holds the reference of the interfaces for people and tools, and
// serves the part for tools. Only package server and tests use it.
package docs

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"
	"strconv"

	"github.com/goccy/go-yaml"

	"portico/internal/method"
)

//go:embed openapi.yaml
var openAPI []byte

// defaultBase is the base_url of the document: the address of a server without
// settings.
const defaultBase = "http://127.0.0.1:8080"

// OpenAPI returns the OpenAPI 3.1 document of the REST API as JSON.
func OpenAPI() []byte {
	document, err := yaml.YAMLToJSON(openAPI)
	if err != nil {
		panic(fmt.Sprintf("docs: openapi.yaml: %v", err)) // a programmer's mistake: it is embedded
	}
	return bytes.TrimSpace(document)
}

// Handler serves the document to everybody, with the public address of the
// server, without a final slash, in place of the default one.
func Handler(baseURL string) http.Handler {
	from, to := strconv.Quote(defaultBase), strconv.Quote(baseURL)
	document := bytes.ReplaceAll(OpenAPI(), []byte(from), []byte(to))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.WriteHeader(method.Refuse(h, http.MethodGet, http.MethodHead, http.MethodOptions))
			_, _ = w.Write([]byte(`{"status":"error","message":"Method not allowed"}`)) // as below
			return
		}
		h.Set("Content-Length", strconv.Itoa(len(document)))
		_, _ = w.Write(document) // fails only when the client is gone
	})
}
