package property

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// judge returns what is wrong with a response, whatever the request was.
type judge func(q request, a response) error

// judgeREST refuses a 500 and every response without the envelope (requirements.md,
// Bodies and errors).
func judgeREST(q request, got response) error {
	if err := judgeStatus(got); err != nil || q.method == http.MethodOptions {
		return err
	}
	if got.status >= 300 && got.status < 400 {
		return errors.New("paths of the API never redirect")
	}
	return judgeEnvelope(got)
}

func judgeStatus(got response) error {
	if got.status >= 500 && got.status != http.StatusInsufficientStorage {
		return errors.New("a mistake of the server")
	}
	return nil
}

func judgeEnvelope(got response) error {
	var envelope struct{ Status, Message string }
	switch {
	case !strings.HasPrefix(got.header.Get("Content-Type"), "application/json"):
		return fmt.Errorf("Content-Type: got %q, want JSON", got.header.Get("Content-Type"))
	case !utf8.ValidString(got.body):
		return errors.New("the body is not UTF-8")
	}
	if err := json.Unmarshal([]byte(got.body), &envelope); err != nil {
		return fmt.Errorf("the body is not the envelope: %w", err)
	}
	if refused := got.status >= 400; refused != (envelope.Status == "error") || refused == (envelope.Message == "") && refused {
		return fmt.Errorf("envelope: got status %q and message %q with %d", envelope.Status, envelope.Message, got.status)
	}
	return nil
}

// judgeGraphQL refuses a 500, an internal error inside a 200, and every response without
// data or errors with a code (requirements.md, GraphQL over the wire).
func judgeGraphQL(q request, got response) error {
	if err := judgeStatus(got); err != nil || q.method == http.MethodOptions {
		return err
	}
	if !strings.Contains(q.target, "graphql") { // another spelling of the path is unknown
		return judgeEnvelope(got)
	}
	switch media, _, _ := strings.Cut(got.header.Get("Content-Type"), ";"); media {
	case "text/event-stream":
		return judgeEvents(got.body)
	case "application/json", "application/graphql-response+json":
		return judgeResponse(got.body)
	default:
		return fmt.Errorf("Content-Type: got %q, want JSON or events", media)
	}
}

func judgeResponse(body string) error {
	var response struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(body), &response); err != nil || !utf8.ValidString(body) {
		return fmt.Errorf("the body is not a response: %w", err)
	}
	if response.Data == nil && len(response.Errors) == 0 {
		return errors.New("neither data nor errors")
	}
	for _, e := range response.Errors {
		if e.Message == "" || e.Extensions.Code == "" || e.Extensions.Code == "internal" {
			return fmt.Errorf("error: got code %q and message %q", e.Extensions.Code, e.Message)
		}
	}
	return nil
}

func judgeEvents(body string) error {
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "data:")
		if data = strings.TrimSpace(data); !ok || data == "" {
			continue
		}
		if err := judgeResponse(data); err != nil {
			return err
		}
	}
	return nil
}

// judgeStore refuses errors without the envelope. Files, and the responses to uploads, have
// no form.
func judgeStore(_ request, got response) error {
	if err := judgeStatus(got); err != nil {
		return err
	}
	if got.status < 400 {
		return nil
	}
	return judgeEnvelope(got)
}
