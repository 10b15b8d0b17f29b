package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The limits of an account for a minute that the attack must not exceed.
const (
	maxUploads = 20
	maxSpaces  = 60
	maxKeys    = 20
)

// attackWithFreshKeys rotates the key of one account and asks for uploads and spaces
// with each key, through all doors in turn. The limits hold for the account, so a new key
// brings no new ones.
func attackWithFreshKeys(ctx context.Context, s *site) error {
	c, err := s.attacker(ctx, attackerQuota)
	if err != nil {
		return err
	}
	start := time.Now()
	attempts, keys, uploads, spaces := 0, 0, 0, 0
	for range s.scale.rotations {
		rotated, err := c.rotateKey(ctx)
		if err != nil {
			return err
		}
		keys += oneIf(rotated)
		for i := range 6 {
			uploaded, err := c.tryUpload(ctx, i)
			if err != nil {
				return err
			}
			made, err := c.trySpace(ctx, i)
			if err != nil {
				return err
			}
			attempts, uploads, spaces = attempts+2, uploads+oneIf(uploaded), spaces+oneIf(made)
		}
	}
	// A window that ends during the attack is followed by another one.
	windows := 1 + float64(int(time.Since(start)/time.Minute))
	s.report.add("attempts with fresh keys", float64(attempts), "", 0)
	s.report.add("seconds", time.Since(start).Seconds(), "s", 0)
	s.report.add("keys made", float64(keys), "", windows*maxKeys)
	s.report.add("uploads promised", float64(uploads), "", windows*maxUploads)
	s.report.add("spaces made", float64(spaces), "", windows*maxSpaces)
	return nil
}

// oneIf returns 1 if the condition holds, otherwise 0.
func oneIf(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// rotateKey replaces the client's key, unless the limit of keys refuses it.
func (c *client) rotateKey(ctx context.Context) (rotated bool, err error) {
	response, refused, err := c.attempt(ctx, "/graphql", map[string]any{"query": "mutation { generateApiKey { apiKey } }"})
	if err != nil || refused {
		return false, err
	}
	var made struct {
		Data struct {
			GenerateAPIKey struct{ APIKey string }
		}
	}
	if err := json.Unmarshal(response, &made); err != nil || made.Data.GenerateAPIKey.APIKey == "" {
		return false, fmt.Errorf("generateApiKey returned no key: %.200s", response)
	}
	c.key = made.Data.GenerateAPIKey.APIKey
	return true, nil
}

// tryUpload asks for an upload through one of the three doors.
func (c *client) tryUpload(ctx context.Context, door int) (accepted bool, err error) {
	path, body := "/v1/files/upload", map[string]any{"file_name": "a.ply", "file_size": 10, "content_type": mediaType}
	switch door % 3 {
	case 1:
		path = "/graphql"
		body = map[string]any{
			"query":     "mutation($in: CreateUploadInput!) { createUpload(input: $in) { upload { url } } }",
			"variables": map[string]any{"in": map[string]any{"fileName": "a.ply", "fileSize": 10, "contentType": mediaType}},
		}
	case 2:
		path = "/v1/mcp"
		body = toolCall("upload_text_file", map[string]any{"file_name": "a.json", "file_text": "{}"})
	}
	_, refused, err := c.attempt(ctx, path, body)
	return err == nil && !refused, err
}

// trySpace asks for a space through REST, by both of its endpoints, or GraphQL.
func (c *client) trySpace(ctx context.Context, door int) (accepted bool, err error) {
	path, body := "/v1/spaces", map[string]any{"title": "abuse", "privacy": "Private"}
	switch door % 3 {
	case 1:
		path = "/v1/user/create-space"
	case 2:
		path = "/graphql"
		body = map[string]any{"query": `mutation { createSpace(input: {title: "abuse"}) { space { id } } }`}
	}
	_, refused, err := c.attempt(ctx, path, body)
	return err == nil && !refused, err
}

// toolCall returns the message that calls a tool of MCP.
func toolCall(tool string, arguments any) map[string]any {
	return map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	}
}

// attempt posts a body and reports whether the rate limit refused it. Every other
// refusal is an error.
func (c *client) attempt(ctx context.Context, path string, body any) (response []byte, refused bool, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, false, err
	}
	r, err := c.request(ctx, http.MethodPost, path, text)
	if err != nil {
		return nil, false, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	status, response, err := c.do(r)
	if err != nil {
		return nil, false, err
	}
	said := string(response)
	if strings.Contains(said, "Rate limit exceeded") {
		return response, true, nil
	}
	if status >= http.StatusMultipleChoices || strings.Contains(said, `"errors"`) || strings.Contains(said, `"isError":true`) {
		return nil, false, fmt.Errorf("POST %s: status %d: %.300s", path, status, response)
	}
	return response, false, nil
}
