package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"portico/model"
)

// shapeLimit refuses documents that are longer or deeper, or have more aliases, than a
// client needs. gqlgen has no such limits. It must run before the extensions that walk or
// keep the document: fragments that each spread the next one twice multiply the fields
// exponentially.
type shapeLimit struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
} = shapeLimit{}

// ExtensionName implements graphql.HandlerExtension.
func (shapeLimit) ExtensionName() string { return "ShapeLimit" }

// Validate implements graphql.HandlerExtension.
func (shapeLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator: it
// runs before the document is parsed.
func (shapeLimit) MutateOperationParameters(_ context.Context, params *graphql.RawParams) *gqlerror.Error {
	if len(params.Query) > maxDocument {
		return limitExceeded("The document is longer than %d bytes; send data as variables", maxDocument)
	}
	if hasManyRepeats(params.Query) {
		return limitExceeded("The document has one name more than %d times", maxRepeats)
	}
	return nil
}

// hasManyRepeats reports whether the text has a name more than maxRepeats times. Texts that
// are too short for that are not read.
//
// The lexer is the parser's own, so a name in a comment or a string does not count.
func hasManyRepeats(query string) bool {
	if len(query) <= 2*maxRepeats { // a letter and a blank each
		return false
	}
	tokens, counts := lexer.New(&ast.Source{Input: query}), map[string]int{}
	for {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF { // the parser reports errors
			return false
		}
		if token.Kind != lexer.Name {
			continue
		}
		if counts[token.Value]++; counts[token.Value] > maxRepeats {
			return true
		}
	}
}

// MutateOperationContext implements graphql.OperationContextMutator: it runs
// after validation and before the operation does.
func (shapeLimit) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	shape := documentShape{aliases: map[*ast.Field]struct{}{}}
	shape.selections(op.Operation.SelectionSet, 1)
	switch {
	case shape.depth > maxDepth:
		return limitExceeded("The document is nested deeper than %d fields", maxDepth)
	case shape.fields > maxFields:
		return limitExceeded("The document has more than %d fields, counted through its fragments", maxFields)
	case shape.aliasLength > maxAlias:
		return limitExceeded("An alias is longer than %d bytes", maxAlias)
	case len(shape.aliases) > maxAliases:
		return limitExceeded("The document has more than %d aliases", maxAliases)
	}
	return nil
}

// limitExceeded returns a refusal with our code.
func limitExceeded(format string, limit int) *gqlerror.Error {
	err := gqlerror.Errorf(format, limit)
	err.Extensions = map[string]any{"code": model.CodeInvalid.GraphQLConstant()}
	return err
}

// documentShape measures a document.
type documentShape struct {
	depth       int
	fields      int // and fragment spreads: each costs a step of the walk too
	aliases     map[*ast.Field]struct{}
	aliasLength int // of the longest alias, in bytes
}

// exceeded reports whether a limit is exceeded already, so that the walk can stop.
func (s *documentShape) exceeded() bool { return s.depth > maxDepth || s.fields > maxFields }

// selections walks a selection set. It follows a fragment each time that the fragment is
// spread, as the executor does; validation has refused recursive fragments.
//
// The walk stops at the first limit, so a document of fragments that multiply costs at most
// maxFields steps.
func (s *documentShape) selections(set ast.SelectionSet, depth int) {
	s.depth = max(s.depth, depth)
	for _, selection := range set {
		if s.fields++; s.exceeded() {
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			s.field(selection, depth)
		case *ast.InlineFragment:
			s.selections(selection.SelectionSet, depth)
		case *ast.FragmentSpread:
			s.selections(selection.Definition.SelectionSet, depth)
		}
	}
}

func (s *documentShape) field(f *ast.Field, depth int) {
	if f.Alias != f.Name {
		s.aliases[f] = struct{}{}
		s.aliasLength = max(s.aliasLength, len(f.Alias))
	}
	if len(f.SelectionSet) > 0 {
		s.selections(f.SelectionSet, depth+1)
	}
}
