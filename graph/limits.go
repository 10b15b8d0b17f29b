package graph

import (
	"portico/graph/schema"
	"portico/model"
)

// The limits of a GraphQL document. Real documents stay far below them, including the
// introspection query of explorers.
const (
	// maxDocument is the maximum size of the text, in bytes: the caches below keep texts.
	maxDocument = 32 << 10
	// maxTokens limits the time of validation: 8,000 tokens can take seconds.
	maxTokens = 2000
	// maxRepeats is the maximum number of times that a document has the same name. The
	// time of validation is quadratic in the fields with one name: 1,990 take 200 ms.
	maxRepeats = 400
	// maxDepth is the maximum nesting of fields.
	maxDepth = 20
	// maxAliases is the maximum number of aliased fields.
	maxAliases = 30
	// maxAlias is the maximum length of an alias, in bytes: it is repeated for every
	// element of its list.
	maxAlias = 100
	// maxFields is the maximum number of fields after fragments are expanded.
	maxFields = 5000
	// maxComplexity is the maximum number of fields in the answer, as complexity
	// estimates it. A page of 50 spaces with 50 entities each has 30,000.
	maxComplexity = 50_000
)

// The sizes of the caches, in documents. A parsed document has a few hundred kilobytes at
// worst, the text of a persisted document maxDocument.
const (
	queryCache     = 256
	persistedCache = 1000
)

// complexity returns the weights of lists: the fields of an element count once for each
// element that the page may have.
func complexity() ComplexityRoot {
	var c ComplexityRoot
	c.Query.Nodes = func(child int, ids []string) int { return 1 + child*len(ids) }
	c.Query.Spaces = func(child int, _ *model.SpaceFilter, _ *schema.SpaceOrder, first *int, _ *string, last *int, _ *string) int {
		return listComplexity(child, first, last)
	}
	c.Query.PublicSpaces, c.SpacesSnapshot.Spaces = c.Query.Spaces, c.Query.Spaces
	c.Query.Notifications = pageComplexity
	c.User.SecurityEvents, c.User.Spaces, c.File.UsedBy = pageComplexity, pageComplexity, pageComplexity
	c.Query.Files = func(child int, _ *model.FileFilter, _ *schema.FileOrder, first *int, _ *string, last *int, _ *string) int {
		return listComplexity(child, first, last)
	}
	c.FilesSnapshot.Files = c.Query.Files
	c.Query.Jobs = func(child int, _ *model.JobFilter, first *int, _ *string, last *int, _ *string) int {
		return listComplexity(child, first, last)
	}
	c.Space.Entities = func(child int, _ *model.EntityFilter, _ *schema.EntityOrder, first *int, _ *string, last *int, _ *string) int {
		return listComplexity(child, first, last)
	}
	return c
}

// listComplexity returns the complexity of a list. It cannot overflow: a document has at
// most maxFields fields, and lists nest only once.
func listComplexity(child int, first, last *int) int {
	if last != nil {
		first = last
	}
	size := model.DefaultPageSize
	if first != nil {
		size = max(1, min(*first, model.MaxPageSize))
	}
	return 1 + child*size
}

// pageComplexity is listComplexity for a list without filter and order.
func pageComplexity(child int, first *int, _ *string, last *int, _ *string) int {
	return listComplexity(child, first, last)
}
