package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"portico/internal/background"
	"portico/model"
)

// The error codes of JSON-RPC 2.0 section 5.1 that this package uses.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
)

// methodNotFoundText is the start of the text of methodNotFound; the method follows.
const methodNotFoundText = "Method not found: "

// methodCall is the method that calls a tool (MCP, Tools).
const methodCall = "tools/call"

// mediaEvents is the type of a stream.
const mediaEvents = "text/event-stream"

// message has the fields of a JSON-RPC message that the door needs before the SDK reads the
// message.
type message struct {
	valid  bool            // whether the body is JSON
	ID     json.RawMessage `json:"id"` // empty for a notification
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// readMessage reads the fields of a message. They are empty for a batch, which old versions of the
// protocol have, and for JSON that is not a message, which the SDK refuses.
//
// It validates the whole body, and decodes these fields only.
func readMessage(body []byte) message {
	m := message{valid: json.Valid(body)}
	if m.valid && model.Decode(bytes.TrimSpace(body), "", &m) != nil {
		return message{valid: true}
	}
	return m
}

// isCall reports whether the message calls a tool.
func (m message) isCall() bool { return m.Method == methodCall }

// wantsProgress reports whether the response must be a stream, which can have notifications
// before the result.
func (m message) wantsProgress() bool {
	return m.isCall() && len(m.Params.Meta.ProgressToken) > 0
}

// reply writes the response to a message. The SDK refuses some messages in plain text, as
// http.Error does: reply buffers such a refusal, and finish sends it as a JSON-RPC error. Streams and
// JSON pass without the escapes of <, > and &.
//
// The goroutine of a tool writes the comments of keepAlive while the SDK writes events.
type reply struct {
	http.ResponseWriter
	to      message
	refused int          // the status of the refusal, or 0
	reason  bytes.Buffer // the text of the refusal

	mu sync.Mutex // guards ResponseWriter
}

// FlushError lets http.ResponseController flush the events of a stream.
func (r *reply) FlushError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flush()
}

func (r *reply) flush() error {
	if err := http.NewResponseController(r.ResponseWriter).Flush(); err != nil {
		return fmt.Errorf("flush a response: %w", err)
	}
	return nil
}

// WriteHeader implements http.ResponseWriter.
func (r *reply) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain")
	if text && status >= http.StatusBadRequest {
		r.refused = status
		return
	}
	r.setHeaders()
	r.ResponseWriter.WriteHeader(status)
}

// setHeaders replaces the headers of the SDK, before the first byte is written.
func (r *reply) setHeaders() {
	r.Header().Set("Cache-Control", noStore) // the SDK sets a weaker value for streams
	if r.Header().Get("Content-Type") == mediaEvents {
		r.Header().Set("X-Accel-Buffering", "no") // nginx would buffer the events
	}
}

// Write implements http.ResponseWriter. The SDK writes each message whole.
func (r *reply) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused != 0 {
		return r.reason.Write(p)
	}
	r.setHeaders() // WriteHeader may not be called
	if _, err := r.ResponseWriter.Write(withoutEscapes(p)); err != nil {
		return 0, fmt.Errorf("write a response: %w", err)
	}
	return len(p), nil
}

// comment writes a comment into a stream whose headers are set.
func (r *reply) comment() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.setHeaders()
	if _, err := r.ResponseWriter.Write([]byte(":\n\n")); err != nil {
		return fmt.Errorf("write a comment: %w", err)
	}
	return r.flush()
}

// keepAlive writes a comment every interval until stop is called, which waits for the last one.
// Proxies end streams that are silent for a minute. A client that has gone ends the request, so
// keepAlive only stops.
func (r *reply) keepAlive(interval time.Duration) (stop func()) {
	var loop background.Group
	loop.Go(func(stopped context.Context) {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-stopped.Done():
				return
			case <-ticker.C:
				if r.comment() != nil {
					return
				}
			}
		}
	})
	return loop.Stop
}

// withoutEscapes returns JSON with <, > and & as they are, which the SDK escapes. It keeps the same
// letters behind an escaped backslash.
func withoutEscapes(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u00`)) {
		return text
	}
	plain := make([]byte, 0, len(text))
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			return append(plain, text...)
		}
		plain, text = append(plain, text[:at]...), text[at:]
		switch string(text[:min(6, len(text))]) {
		case `\u003c`:
			plain, text = append(plain, '<'), text[6:]
		case `\u003e`:
			plain, text = append(plain, '>'), text[6:]
		case `\u0026`:
			plain, text = append(plain, '&'), text[6:]
		default: // with the character behind it, which may be a backslash
			plain, text = append(plain, text[:2]...), text[2:]
		}
	}
}

// finish sends the buffered refusal, if there is one.
func (r *reply) finish() {
	reason := strings.TrimSpace(r.reason.String())
	// This is the text of the SDK for an unknown method.
	unknown := strings.HasSuffix(reason, strconv.Quote(r.to.Method)+" unsupported")
	switch {
	case r.refused == 0:
	case !r.to.valid:
		writeError(r.ResponseWriter, http.StatusBadRequest, nil, parseError, "Request body is not valid JSON")
	case unknown && len(r.to.ID) == 0:
		// JSON-RPC 2.0 section 4.1: a notification gets no response.
		r.ResponseWriter.WriteHeader(http.StatusAccepted)
	case unknown:
		// MCP, Streamable HTTP: the response to a request is JSON with status 200, even if
		// it is an error.
		writeError(r.ResponseWriter, http.StatusOK, r.to.ID, methodNotFound, methodNotFoundText+r.to.Method)
	default:
		writeError(r.ResponseWriter, r.refused, r.to.ID, invalidRequest, reason)
	}
}

// writeError responds with a JSON-RPC error. A nil id becomes null, for a message whose id
// could not be read (JSON-RPC 2.0 section 5).
func writeError(w http.ResponseWriter, status int, id json.RawMessage, code int, text string) {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // fails only when the client has disconnected
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{code, text}})
}
