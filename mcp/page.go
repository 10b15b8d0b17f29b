package mcp

import (
	"strings"

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

// maxPage is the maximum size of the rows of a page in bytes. It is less than model.MaxResponse, so
// that the rest of the response fits.
const maxPage = 12 << 20

// truncatePage returns the page, or as many of its first rows as fit into a response. The SDK
// encodes each <, > and & in six bytes, so the page in the response may be larger.
//
// A page always has its first row, so that a list cannot get stuck.
func truncatePage[T interface{ Cursor() string }](page *model.Connection[T], texts func(T) []string) *model.Connection[T] {
	size := 0
	for i, row := range page.Nodes {
		for _, text := range texts(row) {
			size += len(text) + 5*(strings.Count(text, "<")+strings.Count(text, ">")+strings.Count(text, "&"))
		}
		if i > 0 && size > maxPage {
			return model.NewPage(page.Nodes[:i], true, page.TotalCount)
		}
	}
	return page
}
