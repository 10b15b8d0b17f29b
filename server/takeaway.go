package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"portico/model"
	"portico/web/takeaway"
)

// ownServer is this server as the source of a space that its owner takes away. It asks GraphQL with the
// request of the owner, so that its rules decide, and reads files of the owner from the store.
type ownServer struct {
	app     *application
	graphQL http.Handler
	request *http.Request
	owner   string
}

// takeAway returns how an owner takes a space away, with the request of a page.
func (a *application) takeAway() func(r *http.Request, space *model.Space) (*takeaway.Space, error) {
	graphQL := a.graphQL()
	return func(r *http.Request, space *model.Space) (*takeaway.Space, error) {
		return takeaway.Read(r.Context(), &ownServer{a, graphQL, r, space.OwnerID}, a.BaseURL(), space.ID)
	}
}

// CallGraphQL implements takeaway.Source. The request is one of our own pages: the page of the space has
// checked where it comes from.
func (s *ownServer) CallGraphQL(ctx context.Context, document string, variables map[string]any, v any) error {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		return err
	}
	r := s.request.Clone(ctx)
	r.Method, r.URL.Path, r.URL.RawQuery, r.RequestURI = http.MethodPost, "/graphql", "", "/graphql"
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header = http.Header{
		"Cookie": s.request.Header["Cookie"], "Content-Type": {"application/json"}, "Accept": {"application/json"},
		"Origin": {s.app.BaseURL()}, "Sec-Fetch-Site": {"same-origin"},
	}
	w := &memoryResponse{header: http.Header{}}
	s.graphQL.ServeHTTP(w, r)
	response := struct {
		Data   any
		Errors []struct{ Message string }
	}{Data: v}
	if err := json.Unmarshal(w.body.Bytes(), &response); err != nil {
		return fmt.Errorf("read the space: status %d: %w", w.status, err)
	}
	if len(response.Errors) > 0 {
		return model.Forbidden(response.Errors[0].Message)
	}
	return nil
}

// Open implements takeaway.Source. It reads files of the owner only.
func (s *ownServer) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	key, ok := s.app.store.KeyOf(address)
	if !ok || !strings.HasPrefix(key, s.owner+"/") {
		return nil, model.NotFound(model.FileNotFound)
	}
	return s.app.store.Open(ctx, key)
}

// memoryResponse is a response that is kept in memory.
type memoryResponse struct {
	header http.Header
	body   bytes.Buffer
	status int
}

// Header implements http.ResponseWriter.
func (w *memoryResponse) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *memoryResponse) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *memoryResponse) Write(b []byte) (int, error) { return w.body.Write(b) }
