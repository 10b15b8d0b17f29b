package graph

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// complexityLimit refuses documents whose complexity exceeds maxComplexity. It differs
// from gqlgen's own limit in one point: equal fields under several aliases cost more each
// time, the second four times as much as the first, the third nine times. Such aliases
// read nothing new but multiply the size of the answer, so no client needs many.
type complexityLimit struct{ schema graphql.ExecutableSchema }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = (*complexityLimit)(nil)

const codeComplexity = "COMPLEXITY_LIMIT_EXCEEDED"

// ExtensionName implements graphql.HandlerExtension.
func (*complexityLimit) ExtensionName() string { return "ComplexityLimit" }

// Validate implements graphql.HandlerExtension.
func (l *complexityLimit) Validate(schema graphql.ExecutableSchema) error {
	l.schema = schema
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator.
func (l *complexityLimit) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	sum := complexitySum{ctx: ctx, schema: l.schema, variables: op.Variables}
	complexity := sum.selections(op.Operation.SelectionSet, newAliasTree())
	if complexity <= maxComplexity {
		return nil
	}
	err := gqlerror.Errorf("operation has complexity %d, which exceeds the limit of %d", complexity, maxComplexity)
	errcode.Set(err, codeComplexity)
	return err
}

// complexitySum adds up the complexity of an operation.
type complexitySum struct {
	ctx       context.Context //nolint:containedctx // of one call
	schema    graphql.ExecutableSchema
	variables map[string]any
}

// aliasTree records the aliases below one field of the answer. Fragments that select the
// same field share a node.
type aliasTree struct {
	aliases  map[string][]string   // of equal fields, by signature
	children map[string]*aliasTree // by alias
}

func newAliasTree() *aliasTree {
	return &aliasTree{aliases: map[string][]string{}, children: map[string]*aliasTree{}}
}

// count records the alias of the field and returns how many aliases equal fields have had
// up to this one.
func (t *aliasTree) count(field *ast.Field) int {
	key := signature(field)
	if i := slices.Index(t.aliases[key], field.Alias); i >= 0 {
		return i + 1
	}
	t.aliases[key] = append(t.aliases[key], field.Alias)
	return len(t.aliases[key])
}

// child returns the tree below a field. Fields with the same alias are one field.
func (t *aliasTree) child(alias string) *aliasTree {
	if t.children[alias] == nil {
		t.children[alias] = newAliasTree()
	}
	return t.children[alias]
}

// signature returns the name and arguments of a field, as written: it is the same for
// equal fields.
func signature(field *ast.Field) string {
	if len(field.Arguments) == 0 {
		return field.Name
	}
	arguments := make([]string, len(field.Arguments))
	for i, argument := range field.Arguments {
		arguments[i] = argument.Name + ":" + argument.Value.String()
	}
	slices.Sort(arguments)
	return field.Name + "(" + strings.Join(arguments, ",") + ")"
}

func (s complexitySum) selections(set ast.SelectionSet, tree *aliasTree) int {
	total := 0
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			total = addSaturated(total, s.field(selection, tree))
		case *ast.InlineFragment:
			total = addSaturated(total, s.selections(selection.SelectionSet, tree))
		case *ast.FragmentSpread:
			total = addSaturated(total, s.selections(selection.Definition.SelectionSet, tree))
		}
	}
	return total
}

// field returns the complexity of one field. The schema itself is free, as in gqlgen: the
// limits on depth and fields bound it.
func (s complexitySum) field(f *ast.Field, tree *aliasTree) int {
	if f.Definition.Type.Name() == "__Schema" {
		return 0
	}
	child := s.selections(f.SelectionSet, tree.child(f.Alias))
	complexity, ok := s.schema.Complexity(s.ctx, f.ObjectDefinition.Name, f.Name, child, f.ArgumentMap(s.variables))
	if !ok || complexity < 1 {
		complexity = addSaturated(1, child)
	}
	aliases := tree.count(f)
	if complexity > math.MaxInt/(aliases*aliases) {
		return math.MaxInt
	}
	return complexity * aliases * aliases
}

// addSaturated returns a + b, or the maximum integer when the sum is larger.
func addSaturated(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
