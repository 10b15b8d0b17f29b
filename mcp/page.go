package mcp

import (
	"portico/graph/view"
	"portico/model"
)

// pageInput selects one page of a list.
type pageInput struct {
	Limit  *pageSize `json:"limit,omitempty" jsonschema:"How many items the page has: 50 by default, at most 200."`
	Cursor *string   `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page; leave it out for the first page."`
}

func (in pageInput) size() *int { return (*int)(in.Limit) }

// args returns the page as an argument of a resolver.
func (in pageInput) args() model.PageArgs {
	args := model.PageArgs{Limit: in.size()}
	if in.Cursor != nil {
		args.Cursor = *in.Cursor
	}
	return args
}

// messageOutput is the output of tools that return no data.
type messageOutput struct{ view.Notice }

func newMessage(text string) messageOutput { return messageOutput{view.Notice{Message: text}} }

func (o messageOutput) summary() string { return o.Message }

// noInput is the input of tools without arguments.
type noInput struct{}
