package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

// failure is an answer that describes something which did not come off.
type failure interface{ failed() bool }

// maxText is up to how many bytes data is repeated as text: no agent reads more, and
// with both an answer would be over model.MaxAnswer.
const maxText = 1 << 20

// succeeded returns the result of a tool: its data once for programs, and once
// more as text, after a line of summary, for the many clients that hand an agent
// nothing else.
func succeeded(a answer) (*sdk.CallToolResult, error) {
	structured, err := encode(a)
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	text := string(structured)
	if len(structured) > maxText {
		text = fmt.Sprintf("The data has %d bytes and is in the structured content only. Ask for fewer items at a time.", len(structured))
	}
	f, ok := a.(failure)
	return &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: a.summary()}, &sdk.TextContent{Text: text}},
		StructuredContent: json.RawMessage(structured),
		IsError:           ok && f.failed(),
	}, nil
}

// encode is json.Marshal that leaves <, > and & as they are (contract, Bodies and
// errors) and the bytes of client JSON too.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// The names of an error's parts in the result's _meta.
const (
	metaCode       = "code"
	metaRetryAfter = "retry_after_seconds"
)

// failed returns an error as a tool's result, which an agent sees and can act on;
// an error of the protocol would be its client's alone. There is no structured
// content: clients hold that against the schema of the tool's answer.
func failed(e *model.Error) *sdk.CallToolResult {
	text := fmt.Sprintf("%s: %s", e.Code, e.Message)
	meta := sdk.Meta{metaCode: string(e.Code)}
	if e.Code == model.CodeRateLimited && e.RetryAfter > 0 { // else it can never pass
		wait := model.RetrySeconds(e.RetryAfter)
		meta[metaRetryAfter] = wait
		text += fmt.Sprintf(". Try again in %d seconds", wait)
	}
	return &sdk.CallToolResult{Meta: meta, IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
