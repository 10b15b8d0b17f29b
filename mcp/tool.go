package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

// tool is a tool as clients see it and what it does.
type tool struct {
	card *sdk.Tool
	// operations returns the operations of GraphQL that a call equals: it counts in
	// their scopes (contract, Rate limits).
	operations func(arguments json.RawMessage) []string
	// lasting tools end when the key is revoked; the others have answered by then.
	lasting bool
	run     func(ctx context.Context, arguments json.RawMessage, p *progress) (answer, error)
}

// answer is the structured result of a tool. It has the fields of REST's answer.
type answer interface {
	// summary says in one line what happened, for people and agents that read on
	// only when they have to.
	summary() string
}

// effect says what a tool does to the account, which clients ask their user by.
type effect int

const (
	reads   effect = iota
	adds           // only ever something new
	changes        // what is there; again with the same arguments changes nothing more
	puts           // adds, or changes what is there
	fetches        // adds, from somewhere on the internet
)

func (e effect) annotations(title string) *sdk.ToolAnnotations {
	destructive, open := e == changes || e == puts, e == fetches
	return &sdk.ToolAnnotations{
		Title: title, ReadOnlyHint: e == reads, IdempotentHint: e == reads || e == changes,
		DestructiveHint: &destructive, OpenWorldHint: &open,
	}
}

// card is what a tool is introduced by.
type card struct {
	name, title string
	effect      effect
	description string
	operations  []string
	// countsAs returns the operation in place of operations where it depends on the
	// arguments, which are zero where they cannot be read.
	countsAs func(in any) string
	examples map[string][]any // of arguments that need one
}

// newTool returns a tool whose schemas are those of its types: the descriptions
// stand in the fields' tags.
func newTool[In any, Out answer](c card, run func(context.Context, In, *progress) (Out, error)) tool {
	input, output := inputSchema[In](c.examples), outputSchema[Out]()
	return tool{
		lasting: true,
		operations: func(arguments json.RawMessage) []string {
			if c.countsAs == nil {
				return c.operations
			}
			var in In
			if decode(arguments, input, &in) != nil {
				in = *new(In) // run says what is wrong
			}
			return []string{c.countsAs(in)}
		},
		card: &sdk.Tool{
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

// quick makes a tool of what takes no time and so has no progress.
func quick[In any, Out answer](c card, run func(context.Context, In) (Out, error)) tool {
	t := newTool(c, func(ctx context.Context, in In, _ *progress) (Out, error) { return run(ctx, in) })
	t.lasting = false
	return t
}

// handle returns the tool in the form that the SDK calls. Its own typed form
// would read numbers into floats on the way.
func (d *door) handle(t tool) sdk.ToolHandler {
	return func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, err := d.call(ctx, t, request.Params.Arguments, newProgress(request))
		if err != nil {
			d.logInternal(ctx, err, "tool", t.card.Name)
			return failed(model.AsError(err)), nil
		}
		return succeeded(answer)
	}
}

// call runs a tool. A panic ends the call and not the process: the SDK runs
// tools beside the request, where net/http does not catch it.
func (d *door) call(ctx context.Context, t tool, arguments json.RawMessage, p *progress) (_ answer, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	if err := d.take(ctx, t.operations(arguments)...); err != nil {
		return nil, err
	}
	if !t.lasting {
		return t.run(ctx, arguments, p)
	}
	ctx, stop := d.Keys.Watch(ctx, model.CallerFrom(ctx).KeyID)
	defer stop()
	result, err := t.run(ctx, arguments, p)
	if cause := context.Cause(ctx); err != nil && model.CodeOf(cause) == model.CodeUnauthenticated {
		err = cause
	}
	return result, err
}
