package mcp

import (
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

// isUndeclared reports whether a method belongs to a capability that the server does not have. The
// SDK would respond to such methods with empty lists.
//
// Contract: methods of capabilities that are not declared get -32601.
func isUndeclared(method string) bool {
	for _, capability := range []string{"prompts/", "resources/", "logging/", "completion/"} {
		if strings.HasPrefix(method, capability) {
			return true
		}
	}
	return false
}

// unknownMethodStatus returns the status of the response to an unknown method: 404 in the versions
// of the protocol without sessions, and 200 in older versions, where every response has this
// status.
func unknownMethodStatus(r *http.Request) int {
	if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" { // versions are dates
		return http.StatusNotFound
	}
	return http.StatusOK
}

// refuseUndeclared is a middleware that refuses undeclared methods in a batch. door.serve refuses
// them in single messages.
func refuseUndeclared(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if isUndeclared(method) {
			return nil, &jsonrpc.Error{Code: methodNotFound, Message: methodNotFoundText + method}
		}
		return next(ctx, method, request)
	}
}

// messageFault returns the reason to refuse a message that is neither a request nor a response
// (JSON-RPC 2.0 sections 4 and 5), or "". The SDK treats such a message as an empty response.
func messageFault(body []byte) string {
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
