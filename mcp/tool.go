package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

// tool is a tool as clients see it, with the function that runs it.
type tool struct {
	listing *sdk.Tool // in the answer to tools/list
	// operations returns the operations of GraphQL that a call equals, in whose scopes
	// it counts (contract, Rate limits).
	operations func(arguments json.RawMessage) []string
	// longRunning tools are canceled when the key is revoked; the others have answered
	// by then.
	longRunning bool
	run         func(ctx context.Context, arguments json.RawMessage, p *progress) (answer, error)
}

// answer is the structured result of a tool. It has the fields of REST's answer.
type answer interface {
	// summary returns one line about what happened, for people, and for agents that read
	// the data only when they must.
	summary() string
}

// effect is what a tool does to the account. Clients decide by it whether to ask their
// user first.
type effect int

const (
	readsOnly effect = iota
	creates          // something new, and changes nothing that exists
	updates          // what exists; repeating the call changes nothing more
	upserts          // creates, or updates what exists
	downloads        // creates, from an address on the internet
)

// annotations returns the effect in the words of MCP (2025-06-18, Tool annotations).
func (e effect) annotations(title string) *sdk.ToolAnnotations {
	destructive, open := e == updates || e == upserts, e == downloads
	return &sdk.ToolAnnotations{
		Title: title, ReadOnlyHint: e == readsOnly, IdempotentHint: e == readsOnly || e == updates,
		DestructiveHint: &destructive, OpenWorldHint: &open,
	}
}

// toolSpec is what a tool is made from, besides its function.
type toolSpec struct {
	name, title string
	effect      effect
	description string // for agents, which choose a tool by it
	// operations are the operations of GraphQL that a call equals.
	operations []string
	// countsAs returns the operation instead, if it depends on the arguments. These are
	// zero if they cannot be read.
	countsAs func(in any) string
	examples map[string][]any // by argument; agents copy them where a schema is vague
}

// newTool returns a tool that takes In and answers Out. Its schemas come from these types,
// and the descriptions in them from the tags of the fields.
func newTool[In any, Out answer](c toolSpec, run func(context.Context, In, *progress) (Out, error)) tool {
	input, output := inputSchema[In](c.examples), outputSchema[Out]()
	return tool{
		longRunning: true,
		operations: func(arguments json.RawMessage) []string {
			if c.countsAs == nil {
				return c.operations
			}
			var in In
			if decode(arguments, input, &in) != nil {
				in = *new(In) // run returns the error
			}
			return []string{c.countsAs(in)}
		},
		listing: &sdk.Tool{
			Name: c.name, Title: c.title, Description: c.description, Annotations: c.effect.annotations(c.title),
			InputSchema: input, OutputSchema: output,
		},
		run: func(ctx context.Context, arguments json.RawMessage, p *progress) (answer, error) {
			var in In
			if err := decode(arguments, input, &in); err != nil {
				return nil, err
			}
			return run(ctx, in, p)
		},
	}
}

// newQuickTool returns a tool that answers at once, and so reports no progress.
func newQuickTool[In any, Out answer](c toolSpec, run func(context.Context, In) (Out, error)) tool {
	t := newTool(c, func(ctx context.Context, in In, _ *progress) (Out, error) { return run(ctx, in) })
	t.longRunning = false
	return t
}

// handle returns the tool in the form that the SDK calls. The SDK's typed form would
// decode numbers into floats, and lose digits of client JSON.
func (d *door) handle(t tool) sdk.ToolHandler {
	return func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, err := d.call(ctx, t, request.Params.Arguments, newProgress(request))
		if err != nil {
			d.logInternal(ctx, err, "tool", t.listing.Name)
			return errorResult(model.AsError(err)), nil
		}
		return newResult(answer)
	}
}

// call counts and runs a tool. A panic ends the call and not the process: the SDK runs
// tools in goroutines of its own, where net/http does not recover.
func (d *door) call(ctx context.Context, t tool, arguments json.RawMessage, p *progress) (_ answer, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	if err := d.take(ctx, t.operations(arguments)...); err != nil {
		return nil, err
	}
	if !t.longRunning {
		return t.run(ctx, arguments, p)
	}
	ctx, stop := d.Keys.Watch(ctx, model.CallerFrom(ctx).KeyID)
	defer stop()
	result, err := t.run(ctx, arguments, p)
	// The caller learns that the key is revoked, not that a context was canceled.
	if cause := context.Cause(ctx); err != nil && model.CodeOf(cause) == model.CodeUnauthenticated {
		err = cause
	}
	return result, err
}
