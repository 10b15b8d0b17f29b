package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

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

// reply writes the response to a message. The SDK refuses some messages in plain text. reply
// buffers such a refusal, and finish sends it as a JSON-RPC error.
//
// The SDK writes a refusal as http.Error does. Streams and JSON pass unchanged.
type reply struct {
	http.ResponseWriter
	to      message
	refused int          // the status of the refusal, or 0
	reason  bytes.Buffer // the text of the refusal
}

// Unwrap lets http.ResponseController flush the events of a stream.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r *reply) WriteHeader(status int) {
	text := strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain")
	if text && status >= http.StatusBadRequest {
		r.refused = status
		return
	}
	r.Header().Set("Cache-Control", noStore) // the SDK sets a weaker value for streams
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *reply) Write(p []byte) (int, error) {
	if r.refused != 0 {
		return r.reason.Write(p)
	}
	r.Header().Set("Cache-Control", noStore) // as in WriteHeader, which may not be called
	return r.ResponseWriter.Write(p)
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
