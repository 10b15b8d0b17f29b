package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

// tool is the description of a tool, and the function that runs it.
type tool struct {
	listing *sdk.Tool // in the response to tools/list
	// operations returns the operations of GraphQL with the same effect as a call. The call
	// counts in their scopes.
	operations func(arguments json.RawMessage) []string
	// longRunning means that a call is canceled when the key is revoked. Other calls end soon
	// enough.
	longRunning bool
	run         func(ctx context.Context, arguments json.RawMessage, p *progress) (output, error)
}

// output is the structured result of a tool. It has the fields of REST's response.
type output interface {
	// summary returns one line about what happened, for people, and for agents that read
	// the data only when they must.
	summary() string
}

// effect is how a tool changes the account. Clients use it to decide whether they ask their user
// before a call.
type effect int

const (
	readsOnly effect = iota
	creates          // creates an object, and changes no other
	updates          // changes or deletes an object; a second call has no further effect
	upserts          // creates or updates an object
	downloads        // creates an object from an address on the internet
)

// annotations returns the effect in the words of MCP (2025-06-18, Tool annotations).
func (e effect) annotations(title string) *sdk.ToolAnnotations {
	destructive, open := e == updates || e == upserts, e == downloads
	return &sdk.ToolAnnotations{
		Title: title, ReadOnlyHint: e == readsOnly, IdempotentHint: e == readsOnly || e == updates,
		DestructiveHint: &destructive, OpenWorldHint: &open,
	}
}

// toolSpec has the arguments of newTool.
type toolSpec struct {
	name, title string
	effect      effect
	description string // for agents, which choose a tool by it
	// operations are the operations of GraphQL with the same effect as a call. They are not used if
	// the input is an operationInput.
	operations []string
	examples   map[string][]any // by argument, for agents
}

// operationInput is the input of a tool whose operation depends on the arguments.
type operationInput interface {
	// operation returns the operation. The input is the zero value if the arguments cannot be
	// decoded.
	operation() string
}

// newTool returns a tool with the arguments In and the output Out. These types determine its
// schemas, and the tags of their fields the descriptions in the schemas.
func newTool[In any, Out output](spec toolSpec, run func(context.Context, In, *progress) (Out, error)) tool {
	accepted, returned := inputSchema[In](spec.examples), outputSchema[Out]()
	return tool{
		longRunning: true,
		operations: func(arguments json.RawMessage) []string {
			var in In
			limited, ok := any(&in).(operationInput)
			if !ok {
				return spec.operations
			}
			if decode(arguments, accepted, &in) != nil {
				in = *new(In) // run returns the error
			}
			return []string{limited.operation()}
		},
		listing: &sdk.Tool{
			Name: spec.name, Title: spec.title, Description: spec.description, Annotations: spec.effect.annotations(spec.title),
			InputSchema: accepted, OutputSchema: returned,
		},
		run: func(ctx context.Context, arguments json.RawMessage, p *progress) (output, error) {
			var in In
			if err := decode(arguments, accepted, &in); err != nil {
				return nil, err
			}
			return run(ctx, in, p)
		},
	}
}

// newQuickTool returns a tool that is not longRunning, and reports no progress.
func newQuickTool[In any, Out output](spec toolSpec, run func(context.Context, In) (Out, error)) tool {
	t := newTool(spec, func(ctx context.Context, in In, _ *progress) (Out, error) { return run(ctx, in) })
	t.longRunning = false
	return t
}

// handle returns the handler of the tool for the SDK. A typed handler of the SDK would decode
// numbers as floats, and lose digits of the JSON of clients.
func (d *door) handle(t tool) sdk.ToolHandler {
	return func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		result, err := d.call(ctx, t, request.Params.Arguments, newProgress(request))
		if err != nil {
			d.logFault(ctx, err, "tool", t.listing.Name)
			return errorResult(model.AsError(err)), nil
		}
		return newResult(result)
	}
}

// call counts and runs a tool. It recovers from a panic, because the SDK runs tools in other
// goroutines than net/http, where a panic would end the process.
func (d *door) call(ctx context.Context, t tool, arguments json.RawMessage, p *progress) (_ output, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	if err := d.countOperations(ctx, t.operations(arguments)); err != nil {
		return nil, err
	}
	if !t.longRunning {
		return t.run(ctx, arguments, p)
	}
	if outer, ok := ctx.Value(requestKey{}).(*httpRequest); ok && p.isWanted() { // the response is a stream
		defer outer.reply.keepAlive(d.keepAlive)()
	}
	ctx, stop := model.CallerFrom(ctx).Watch(ctx)
	defer stop()
	result, err := t.run(ctx, arguments, p)
	// The client sees that the key is revoked, not that a context was canceled.
	if cause := context.Cause(ctx); err != nil && model.CodeOf(cause) == model.CodeUnauthenticated {
		err = cause
	}
	return result, err
}
