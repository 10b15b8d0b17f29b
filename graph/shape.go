package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// shape refuses documents that are longer or deeper, or have more aliases, than
// a client needs. gqlgen has no such limits itself. It must stand before the
// extensions that walk or keep the document: a dozen fragments that spread the
// next one twice make more fields than anybody can count.
type shape struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
} = shape{}

// ExtensionName implements graphql.HandlerExtension.
func (shape) ExtensionName() string { return "ShapeLimit" }

// Validate implements graphql.HandlerExtension.
func (shape) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator: it
// runs before the document is parsed.
func (shape) MutateOperationParameters(_ context.Context, params *graphql.RawParams) *gqlerror.Error {
	if len(params.Query) > maxDocument {
		return limitExceeded("The document is longer than %d bytes; send data as variables", maxDocument)
	}
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator: it runs
// after validation and before the operation does.
func (shape) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	m := measure{aliases: map[*ast.Field]struct{}{}}
	m.selections(op.Operation.SelectionSet, 1)
	switch {
	case m.depth > maxDepth:
		return limitExceeded("The document is nested deeper than %d fields", maxDepth)
	case m.fields > maxFields:
		return limitExceeded("The document has more than %d fields, counted through its fragments", maxFields)
	case m.alias > maxAlias:
		return limitExceeded("An alias is longer than %d bytes", maxAlias)
	case len(m.aliases) > maxAliases:
		return limitExceeded("The document has more than %d aliases", maxAliases)
	}
	return nil
}

// limitExceeded returns a refusal in the form that clients know errors in.
func limitExceeded(format string, limit int) *gqlerror.Error {
	err := gqlerror.Errorf(format, limit)
	err.Extensions = map[string]any{"code": string(model.CodeInvalid)}
	return err
}

// measure finds how much a document asks for.
type measure struct {
	depth   int
	fields  int // and spreads, which cost a step each as well
	aliases map[*ast.Field]struct{}
	alias   int // the longest, in bytes
}

// exceeded tells that there is no need to look further.
func (m *measure) exceeded() bool { return m.depth > maxDepth || m.fields > maxFields }

// selections walks a selection set. Fragments are followed each time that they
// are spread, as the executor does; validation has refused those that contain
// themselves.
func (m *measure) selections(set ast.SelectionSet, depth int) {
	m.depth = max(m.depth, depth)
	for _, selection := range set {
		if m.fields++; m.exceeded() {
			return
		}
		switch s := selection.(type) {
		case *ast.Field:
			m.field(s, depth)
		case *ast.InlineFragment:
			m.selections(s.SelectionSet, depth)
		case *ast.FragmentSpread:
			m.selections(s.Definition.SelectionSet, depth)
		}
	}
}

func (m *measure) field(f *ast.Field, depth int) {
	if f.Alias != f.Name {
		m.aliases[f] = struct{}{}
		m.alias = max(m.alias, len(f.Alias))
	}
	if len(f.SelectionSet) > 0 {
		m.selections(f.SelectionSet, depth+1)
	}
}
