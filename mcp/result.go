package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

// outcome is an output that may be a failure, such as an upload whose job has failed.
type outcome interface{ isFailure() bool }

// pictured is an output with a JPEG.
type pictured interface{ picture() []byte }

// maxTextContent is the maximum size in bytes of the data that is repeated as text. No agent reads
// more, and data that is twice in a response could exceed model.MaxResponse.
const maxTextContent = 1 << 20

// newResult returns the result of a tool: the data as structured content for programs, and again as
// text after a summary, because many clients pass only texts to an agent.
func newResult(o output) (*sdk.CallToolResult, error) {
	structured, err := encode(o)
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	text := string(structured)
	if len(structured) > maxTextContent {
		text = fmt.Sprintf("The data has %d bytes and is in the structured content only. Ask for fewer items at a time.", len(structured))
	}
	content := []sdk.Content{&sdk.TextContent{Text: o.summary()}, &sdk.TextContent{Text: text}}
	if p, ok := o.(pictured); ok {
		content = append(content, &sdk.ImageContent{Data: p.picture(), MIMEType: "image/jpeg"})
	}
	outcome, ok := o.(outcome)
	return &sdk.CallToolResult{
		Content:           content,
		StructuredContent: json.RawMessage(structured),
		IsError:           ok && outcome.isFailure(),
	}, nil
}

// encode returns v as JSON. Unlike json.Marshal it does not escape <, > and &, so the JSON of
// clients keeps its bytes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// The fields of an error in _meta of the result.
const (
	metaCode       = "code"
	metaRetryAfter = "retry_after_seconds"
)

// errorResult returns the error as the result of a tool, so that the agent sees it; only the client
// sees a JSON-RPC error. The result has no structured content, because clients validate structured
// content by the schema of the response.
//
// _meta has the code and the wait for programs (MCP, Tools, Error Handling).
func errorResult(e *model.Error) *sdk.CallToolResult {
	text := fmt.Sprintf("%s: %s", e.Code, e.Message)
	meta := sdk.Meta{metaCode: string(e.Code)}
	if (e.Code == model.CodeRateLimited || e.IsOutage()) && e.RetryAfter > 0 { // without a time, waiting does not help
		wait := model.RetrySeconds(e.RetryAfter)
		meta[metaRetryAfter] = wait
		text += fmt.Sprintf(". Try again in %d seconds", wait)
	}
	return &sdk.CallToolResult{Meta: meta, IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
