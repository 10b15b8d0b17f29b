package limits

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"portico/model"
)

// ShapeLimit refuses documents that are longer or deeper, or have more aliases, than a
// client needs. gqlgen has no such limits. It must run before the extensions that walk or
// keep the document: fragments that each spread the next one twice multiply the fields
// exponentially.
type ShapeLimit struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
} = ShapeLimit{}

// ExtensionName implements graphql.HandlerExtension.
func (ShapeLimit) ExtensionName() string { return "ShapeLimit" }

// Validate implements graphql.HandlerExtension.
func (ShapeLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator: it
// runs before the document is parsed.
func (ShapeLimit) MutateOperationParameters(_ context.Context, params *graphql.RawParams) *gqlerror.Error {
	if len(params.Query) > MaxDocument {
		return limitExceeded("The document is longer than %d bytes; send data as variables", MaxDocument)
	}
	if hasManyRepeats(params.Query) {
		return limitExceeded("The document has one name more than %d times", MaxRepeats)
	}
	return nil
}

// hasManyRepeats reports whether the text has a name more than MaxRepeats times. Texts that
// are too short for that are not read.
//
// The lexer is the parser's own, so a name in a comment or a string does not count.
func hasManyRepeats(query string) bool {
	if len(query) <= 2*MaxRepeats { // a letter and a blank each
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
		if counts[token.Value]++; counts[token.Value] > MaxRepeats {
			return true
		}
	}
}

// MutateOperationContext implements graphql.OperationContextMutator: it runs
// after validation and before the operation does.
func (ShapeLimit) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	shape := DocumentShape{Aliases: map[*ast.Field]struct{}{}}
	shape.Selections(op.Operation.SelectionSet, 1)
	switch {
	case shape.depth > MaxDepth:
		return limitExceeded("The document is nested deeper than %d fields", MaxDepth)
	case shape.Fields > MaxFields:
		return limitExceeded("The document has more than %d fields, counted through its fragments", MaxFields)
	case shape.aliasLength > MaxAlias:
		return limitExceeded("An alias is longer than %d bytes", MaxAlias)
	case len(shape.Aliases) > MaxAliases:
		return limitExceeded("The document has more than %d aliases", MaxAliases)
	}
	return nil
}

// limitExceeded returns a refusal with our code.
func limitExceeded(format string, limit int) *gqlerror.Error {
	err := gqlerror.Errorf(format, limit)
	err.Extensions = map[string]any{"code": model.CodeInvalid.GraphQLConstant()}
	return err
}

// DocumentShape measures a document.
type DocumentShape struct {
	depth       int
	Fields      int // and fragment spreads: each costs a step of the walk too
	Aliases     map[*ast.Field]struct{}
	aliasLength int // of the longest alias, in bytes
}

// exceeded reports whether a limit is exceeded already, so that the walk can stop.
func (s *DocumentShape) exceeded() bool { return s.depth > MaxDepth || s.Fields > MaxFields }

// Selections walks a selection set. It follows a fragment each time that the fragment is
// spread, as the executor does; validation has refused recursive fragments.
//
// The walk stops at the first limit, so a document of fragments that multiply costs at most
// MaxFields steps.
func (s *DocumentShape) Selections(set ast.SelectionSet, depth int) {
	s.depth = max(s.depth, depth)
	for _, selection := range set {
		if s.Fields++; s.exceeded() {
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			s.field(selection, depth)
		case *ast.InlineFragment:
			s.Selections(selection.SelectionSet, depth)
		case *ast.FragmentSpread:
			s.Selections(selection.Definition.SelectionSet, depth)
		}
	}
}

func (s *DocumentShape) field(f *ast.Field, depth int) {
	if f.Alias != f.Name {
		s.Aliases[f] = struct{}{}
		s.aliasLength = max(s.aliasLength, len(f.Alias))
	}
	if len(f.SelectionSet) > 0 {
		s.Selections(f.SelectionSet, depth+1)
	}
}
