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

// Description is the OpenAPI document for the clients of one server, whose public address, without a
// final slash, replaces the default one.
type Description struct{ BaseURL string }

// JSON serves the document in JSON to everybody.
func (d Description) JSON() http.Handler {
	return serve("application/json; charset=utf-8", replaceBase(OpenAPI(), d.BaseURL))
}

// YAML serves the document as it is written, with its comments.
func (d Description) YAML() http.Handler {
	return serve("application/yaml", replaceBase(openAPI, d.BaseURL)) // RFC 9512
}

func replaceBase(document []byte, baseURL string) []byte {
	return bytes.ReplaceAll(document, []byte(strconv.Quote(defaultBase)), []byte(strconv.Quote(baseURL)))
}

// Schema serves the schema of GraphQL to everybody.
func Schema(text string) http.Handler {
	return serve("application/graphql; charset=utf-8", []byte(text))
}

// serve serves a document. Its errors are those of the API.
func serve(contentType string, document []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(method.Refuse(h, http.MethodGet, http.MethodHead, http.MethodOptions))
			_, _ = w.Write([]byte(`{"status":"error","message":"Method not allowed"}`)) // as below
			return
		}
		h.Set("Content-Type", contentType)
		h.Set("Content-Length", strconv.Itoa(len(document)))
		_, _ = w.Write(document) // fails only when the client is gone
	})
}
