package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

// isUndeclared reports whether a method belongs to a capability that the server
// does not declare. The SDK answers those all the same, with empty lists.
func isUndeclared(method string) bool {
	for _, capability := range []string{"prompts/", "resources/", "logging/", "completion/"} {
		if strings.HasPrefix(method, capability) {
			return true
		}
	}
	return false
}

// statusOfUnknown returns the status of the answer to a method that is not there:
// 404 in the protocol's version that has no sessions, and that of every answer
// before it.
func statusOfUnknown(r *http.Request) int {
	if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" { // versions are dates
		return http.StatusNotFound
	}
	return http.StatusOK
}

// declaredOnly is the middleware that does not know such methods in a batch.
func declaredOnly(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if isUndeclared(method) {
			return nil, &jsonrpc.Error{Code: methodNotFound, Message: methodNotFoundText + method}
		}
		return next(ctx, method, request)
	}
}

// fault returns what is wrong with a body that the SDK would take; "" for nothing,
// also where the SDK finds something.
func fault(body []byte) string {
	var batch []json.RawMessage
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return faultOf(body)
	}
	if json.Unmarshal(body, &batch) != nil {
		return ""
	}
	for _, one := range batch {
		// MCP 2025-03-26, Lifecycle: what is agreed on must be known before.
		if peek(one).Method == "initialize" {
			return "initialize must not be part of a batch"
		}
		if text := faultOf(one); text != "" {
			return text
		}
	}
	return ""
}

// faultOf refuses a message that is neither a request nor an answer to one
// (JSON-RPC 2.0 sections 4 and 5). The SDK takes it for an empty answer.
func faultOf(body []byte) string {
	object, err := model.ParseObject(body)
	if err != nil {
		return ""
	}
	fields := object.Fields()
	_, id := fields["id"]
	_, result := fields["result"]
	_, failure := fields["error"]
	if _, method := fields["method"]; method || (id && result != failure) {
		return ""
	}
	return "The message has neither a method nor a result or an error"
}
