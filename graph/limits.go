package graph

import "portico/model"

// What a GraphQL document may have at most. Real ones stay far below, that of an
// explorer which asks for the whole schema included.
const (
	// maxDocument bounds the text, in bytes. Texts are kept in the caches below.
	maxDocument = 32 << 10
	// maxTokens keeps validation, which is quadratic in them, at milliseconds:
	// 8,000 cost seconds.
	maxTokens = 2000
	// maxDepth is how deep fields may nest.
	maxDepth = 20
	// maxAliases is how many fields may be asked for under another name.
	maxAliases = 30
	// maxAlias is how many bytes an alias may have: each is written as often as the
	// list has elements that it is in.
	maxAlias = 100
	// maxFields is how many fields fragments may make of the document.
	maxFields = 5000
	// maxComplexity is how many fields the answer may have, as complexity
	// reckons them. A page of 50 spaces with all of 50 entities each has 30,000.
	maxComplexity = 50_000
)

// The sizes of the caches, in documents. A parsed document takes some hundred
// kilobytes at worst, the text of a persisted one maxDocument.
const (
	queryCache     = 256
	persistedCache = 1000
)

// complexity weighs the lists: what is asked of an element counts once for each
// element that the page may have.
func complexity() ComplexityRoot {
	var c ComplexityRoot
	c.Query.Spaces = func(child int, _ *string, first *int, _ *string) int { return weigh(child, first) }
	c.Query.PublicSpaces = func(child int, _ *string, first *int, _ *string) int { return weigh(child, first) }
	c.Query.Notifications = func(child int, first *int, _ *string) int { return weigh(child, first) }
	c.Viewer.SecurityEvents = func(child int, first *int, _ *string) int { return weigh(child, first) }
	c.Query.Files = func(child int, first *int, _ *string) int { return weigh(child, first) }
	c.Query.Jobs = func(child int) int { return weigh(child, nil) }
	c.Space.Entities = func(child int, first *int, _ *string) int { return weigh(child, first) }
	c.User.Spaces = func(child int, first *int, _ *string) int { return weigh(child, first) }
	return c
}

// weigh is the complexity of a list. The numbers stay small: a document has at
// most maxFields fields, and no list has more than one other in it.
func weigh(child int, first *int) int {
	size := model.DefaultPageSize
	if first != nil {
		size = max(1, min(*first, model.MaxPageSize))
	}
	return 1 + child*size
}
