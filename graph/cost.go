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

// cost refuses documents whose complexity is over maxComplexity. It is gqlgen's
// complexity limit, but for equal fields under several aliases: the second costs
// four times as much as the first, the third nine times. They read nothing new and
// make the answer as many times larger, so no client has a use for many.
type cost struct{ schema graphql.ExecutableSchema }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = (*cost)(nil)

const codeComplexity = "COMPLEXITY_LIMIT_EXCEEDED"

// ExtensionName implements graphql.HandlerExtension.
func (*cost) ExtensionName() string { return "ComplexityLimit" }

// Validate implements graphql.HandlerExtension.
func (c *cost) Validate(schema graphql.ExecutableSchema) error {
	c.schema = schema
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator.
func (c *cost) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	bill := bill{ctx: ctx, schema: c.schema, variables: op.Variables}
	complexity := bill.selections(op.Operation.SelectionSet, newPaid())
	if complexity <= maxComplexity {
		return nil
	}
	err := gqlerror.Errorf("operation has complexity %d, which exceeds the limit of %d", complexity, maxComplexity)
	errcode.Set(err, codeComplexity)
	return err
}

// bill sums up what an operation costs.
type bill struct {
	ctx       context.Context //nolint:containedctx // of one call
	schema    graphql.ExecutableSchema
	variables map[string]any
}

// paid is what was met below one name of the answer, through whichever fragments.
type paid struct {
	aliases map[string][]string // of equal fields, by their name and arguments
	below   map[string]*paid    // by alias
}

func newPaid() *paid { return &paid{aliases: map[string][]string{}, below: map[string]*paid{}} }

// times returns how many aliases the field has had up to this one.
func (p *paid) times(field *ast.Field) int {
	name := signature(field)
	if i := slices.Index(p.aliases[name], field.Alias); i >= 0 {
		return i + 1
	}
	p.aliases[name] = append(p.aliases[name], field.Alias)
	return len(p.aliases[name])
}

// child returns what was met below a field. Fields of the same alias are one field.
func (p *paid) child(alias string) *paid {
	if p.below[alias] == nil {
		p.below[alias] = newPaid()
	}
	return p.below[alias]
}

// signature is the same for equal fields: their name and arguments, as written.
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

func (b bill) selections(set ast.SelectionSet, met *paid) int {
	total := 0
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			total = plus(total, b.field(s, met))
		case *ast.InlineFragment:
			total = plus(total, b.selections(s.SelectionSet, met))
		case *ast.FragmentSpread:
			total = plus(total, b.selections(s.Definition.SelectionSet, met))
		}
	}
	return total
}

// field prices one field. The schema is free, as it is in gqlgen: depth and fields
// bound it.
func (b bill) field(f *ast.Field, met *paid) int {
	if f.Definition.Type.Name() == "__Schema" {
		return 0
	}
	child := b.selections(f.SelectionSet, met.child(f.Alias))
	price, ok := b.schema.Complexity(b.ctx, f.ObjectDefinition.Name, f.Name, child, f.ArgumentMap(b.variables))
	if !ok || price < 1 {
		price = plus(1, child)
	}
	times := met.times(f)
	if price > math.MaxInt/(times*times) {
		return math.MaxInt
	}
	return price * times * times
}

// plus adds up to the largest number.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
