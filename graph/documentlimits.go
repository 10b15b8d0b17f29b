package graph

// The limits of a GraphQL document. Real documents stay far below them, including the
// introspection query of explorers.
//
// Each limit is checked as early as it can be:
//
//	maxDocument, maxRepeats                     on the text, before it is parsed
//	maxTokens                                   by the parser
//	maxDepth, maxAliases, maxAlias, maxFields   on the document, after validation
//	maxComplexity                               on the operation with its variables
//	model.MaxResponse                           while the response is built (responseSizeLimit)
const (
	// maxDocument is the maximum size of the text in bytes. The caches below keep the texts.
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
	// maxComplexity is the maximum number of fields in the response, as complexity
	// estimates it. A page of 50 spaces with 50 entities each has 30,000.
	maxComplexity = 50_000
)

// The sizes of the caches, in documents. A parsed document has a few hundred kilobytes at
// worst, the text of a persisted document maxDocument.
const (
	queryCache     = 256
	persistedCache = 1000
)
