package mcp

import (
	"strings"

	"portico/graph/view"
	"portico/model"
)

// pageInput asks for one page of a list.
type pageInput struct {
	Limit  *pageSize `json:"limit,omitempty" jsonschema:"How many items the page has: 50 by default, at most 200."`
	Cursor *string   `json:"cursor,omitempty" jsonschema:"nextCursor of the page before; leave it out for the first page."`
}

// size returns the limit as resolvers take it.
func (in pageInput) size() *int { return (*int)(in.Limit) }

// messageAnswer answers tools that only do something.
type messageAnswer struct{ view.Notice }

func newMessage(text string) messageAnswer { return messageAnswer{view.Notice{Message: text}} }

func (a messageAnswer) summary() string { return a.Message }

// noInput is for tools without arguments.
type noInput struct{}

// maxPage is how many bytes the rows of a page have in the answer, which is under
// model.MaxAnswer with what stands around them.
const maxPage = 12 << 20

// fit returns the page, or the beginning of it that an answer has room for. The
// SDK writes <, > and & with six bytes each, so a page may take more than it has.
func fit[T interface{ Cursor() string }](page *model.Connection[T], texts func(T) []string) *model.Connection[T] {
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
