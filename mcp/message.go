package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"portico/model"
)

// The codes of JSON-RPC 2.0 section 5.1 that the door answers with itself.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
)

// methodNotFoundText begins the text of methodNotFound.
const methodNotFoundText = "Method not found: "

// methodCall is the method that runs a tool.
const methodCall = "tools/call"

// message is what the door looks at in a JSON-RPC message before the SDK does.
type message struct {
	valid  bool            // is JSON at all
	ID     json.RawMessage `json:"id"` // empty for a notification
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// peek reads a message. A batch, which old versions of the protocol know, and
// what is no message leave the fields empty: the SDK says what is wrong.
func peek(body []byte) message {
	m := message{valid: json.Valid(body)}
	if m.valid && model.Decode(bytes.TrimSpace(body), "", &m) != nil {
		return message{valid: true}
	}
	return m
}

// isCall reports whether the message runs one tool.
func (m message) isCall() bool { return m.Method == methodCall }

// wantsProgress reports whether the answer must be a stream: only then is there a
// way for notifications beside the result.
func (m message) wantsProgress() bool {
	return m.isCall() && len(m.Params.Meta.ProgressToken) > 0
}

// reply is the answer to a message. It holds back what the SDK refuses in plain
// text and puts it into the words of JSON-RPC.
type reply struct {
	http.ResponseWriter
	to      message
	refused int // the status of a refusal that is held back, or 0
	reason  bytes.Buffer
}

// Unwrap lets http.ResponseController flush the events of a stream.
func (a *reply) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *reply) WriteHeader(status int) {
	text := strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain")
	if text && status >= http.StatusBadRequest {
		a.refused = status
		return
	}
	a.Header().Set("Cache-Control", noStore) // the SDK lets caches keep a stream
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *reply) Write(p []byte) (int, error) {
	if a.refused != 0 {
		return a.reason.Write(p)
	}
	a.Header().Set("Cache-Control", noStore) // as in WriteHeader, which may not be called
	return a.ResponseWriter.Write(p)
}

// finish answers with the refusal that was held back, if there is one.
func (a *reply) finish() {
	reason := strings.TrimSpace(a.reason.String())
	// The SDK's words for a method that it does not know.
	unknown := strings.HasSuffix(reason, strconv.Quote(a.to.Method)+" unsupported")
	switch {
	case a.refused == 0:
	case !a.to.valid:
		writeError(a.ResponseWriter, http.StatusBadRequest, nil, parseError, "Request body is not valid JSON")
	case unknown && len(a.to.ID) == 0:
		// JSON-RPC 2.0 section 4.1: a notification is not answered.
		a.ResponseWriter.WriteHeader(http.StatusAccepted)
	case unknown:
		// The answer to a request is a JSON document with status 200, an error too.
		writeError(a.ResponseWriter, http.StatusOK, a.to.ID, methodNotFound, methodNotFoundText+a.to.Method)
	default:
		writeError(a.ResponseWriter, a.refused, a.to.ID, invalidRequest, reason)
	}
}

// writeError answers with an error of the protocol. A nil id is null: the message
// that is answered could not be read.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, code int, text string) {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	writeJSON(w, status, struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{code, text}})
}
