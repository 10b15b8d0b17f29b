package limits

// The limits of a GraphQL document. Real documents stay far below them, including the
// introspection query of explorers.
//
// Each limit is checked as early as it can be:
//
//	MaxDocument, MaxRepeats                     on the text, before it is parsed
//	MaxTokens                                   by the parser
//	MaxDepth, MaxAliases, MaxAlias, MaxFields   on the document, after validation
//	maxComplexity                               on the operation with its variables
//	model.MaxResponse                           while the response is built (ResponseSizeLimit)
const (
	// MaxDocument is the maximum size of the text in bytes. The caches below keep the texts.
	MaxDocument = 32 << 10
	// MaxTokens limits the time of validation: 8,000 tokens can take seconds.
	MaxTokens = 2000
	// MaxRepeats is the maximum number of times that a document has the same name. The
	// time of validation is quadratic in the fields with one name: 1,990 take 200 ms.
	MaxRepeats = 400
	// MaxDepth is the maximum nesting of fields.
	MaxDepth = 20
	// MaxAliases is the maximum number of aliased fields.
	MaxAliases = 30
	// MaxAlias is the maximum length of an alias, in bytes: it is repeated for every
	// element of its list.
	MaxAlias = 100
	// MaxFields is the maximum number of fields after fragments are expanded.
	MaxFields = 5000
	// maxComplexity is the maximum number of fields in the response, as complexity
	// estimates it. A page of 50 spaces with 50 entities each has 30,000.
	maxComplexity = 50_000
)

// The sizes of the caches, in documents. A parsed document has a few hundred kilobytes at
// worst, the text of a persisted document MaxDocument.
const (
	QueryCache     = 256
	PersistedCache = 1000
)
