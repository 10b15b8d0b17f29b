package limits

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// ComplexityLimit refuses documents whose complexity exceeds maxComplexity. It differs
// from gqlgen's own limit in two points. First, equal fields under several aliases cost more each
// time, the second four times as much as the first, the third nine times: such aliases read
// nothing new but multiply the size of the response, so no client needs many. Second, it reads the
// arguments of lists only, because reading arguments takes most of the time.
//
// The complexity of a field is 1 plus the complexity of its selections. A list counts its selections
// once for each row that the page may have. So the limit bounds the size of the response before
// anything is read.
type ComplexityLimit struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = ComplexityLimit{}

// CodeComplexity is the code of a document whose response would be too large.
const CodeComplexity = "COMPLEXITY_LIMIT_EXCEEDED"

// ExtensionName implements graphql.HandlerExtension.
func (ComplexityLimit) ExtensionName() string { return "ComplexityLimit" }

// Validate implements graphql.HandlerExtension.
func (ComplexityLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
//
// It runs after validation, so every field has a definition.
func (ComplexityLimit) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	complexity := ComplexitySum{Variables: op.Variables}.Selections(op.Operation.SelectionSet, &AliasTree{})
	if complexity <= maxComplexity {
		return nil
	}
	err := gqlerror.Errorf("operation has complexity %d, which exceeds the limit of %d", complexity, maxComplexity)
	errcode.Set(err, CodeComplexity)
	return err
}

// ComplexitySum adds up the complexity of an operation with these variables.
type ComplexitySum struct{ Variables map[string]any }

// AliasTree records the fields that were counted below one field of the response. Fragments that
// select the same field share a node. Documents have few fields on one level, so slices are faster
// than maps here.
type AliasTree struct {
	fields   []countedField
	children []aliasBranch
}

// countedField is a field, and the number of aliases that equal fields had up to its own.
type countedField struct {
	field   *ast.Field
	aliases int
}

// aliasBranch is the tree below the field with this alias.
type aliasBranch struct {
	alias string
	tree  *AliasTree
}

// count records the alias of the field and returns the number of aliases that equal fields have had
// up to this one. The same field without an alias is the first one, and costs its plain complexity.
func (t *AliasTree) count(field *ast.Field) int {
	aliases := 1
	for _, counted := range t.fields {
		if !isEqual(counted.field, field) {
			continue
		}
		if counted.field.Alias == field.Alias {
			return counted.aliases
		}
		aliases++
	}
	t.fields = append(t.fields, countedField{field, aliases})
	return aliases
}

// isEqual reports whether two fields have the same name and arguments.
func isEqual(a, b *ast.Field) bool {
	return a.Name == b.Name && len(a.Arguments) == len(b.Arguments) &&
		(len(a.Arguments) == 0 || signature(a) == signature(b))
}

// child returns the tree below a field. Fields with the same alias are one field.
func (t *AliasTree) child(alias string) *AliasTree {
	for _, branch := range t.children {
		if branch.alias == alias {
			return branch.tree
		}
	}
	tree := &AliasTree{}
	t.children = append(t.children, aliasBranch{alias, tree})
	return tree
}

// signature returns the name and arguments of a field as they are in the document. It is the same
// for equal fields.
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

// Selections returns the complexity of a selection set. The tree has what was counted already.
func (s ComplexitySum) Selections(set ast.SelectionSet, tree *AliasTree) int {
	total := 0
	tree.fields = slices.Grow(tree.fields, len(set))
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			total = addSaturated(total, s.field(selection, tree))
		case *ast.InlineFragment:
			total = addSaturated(total, s.Selections(selection.SelectionSet, tree))
		case *ast.FragmentSpread:
			total = addSaturated(total, s.Selections(selection.Definition.SelectionSet, tree))
		}
	}
	return total
}

// field returns the complexity of one field. The schema itself is free, as in gqlgen: the
// limits on depth and fields bound it.
func (s ComplexitySum) field(f *ast.Field, tree *AliasTree) int {
	if f.Definition.Type.Name() == "__Schema" {
		return 0
	}
	child := 0
	if len(f.SelectionSet) > 0 {
		child = s.Selections(f.SelectionSet, tree.child(f.Alias))
	}
	complexity := s.weight(f, child)
	aliases := tree.count(f)
	return multiplySaturated(complexity, aliases*aliases)
}

// weight returns the complexity of a field whose selections have the complexity child. In a
// list it counts once for each element that the list may have.
func (s ComplexitySum) weight(f *ast.Field, child int) int {
	switch {
	case IsConnection(f):
		arguments := f.ArgumentMap(s.Variables)
		child = multiplySaturated(child, pageSizeOf(arguments["first"], arguments["last"]))
	case f.Name == "nodes" && f.ObjectDefinition.Name == "Query":
		// A list of one may be written without brackets.
		if ids, isList := f.ArgumentMap(s.Variables)["ids"].([]any); isList {
			child = multiplySaturated(child, len(ids))
		}
	}
	return addSaturated(1, child)
}

// IsConnection reports whether the field is a list that is read page by page.
func IsConnection(f *ast.Field) bool {
	return f.Definition != nil && strings.HasSuffix(f.Definition.Type.Name(), "Connection")
}

// pageSizeOf returns the maximum size of a page with these arguments. A client that asks for more
// than model.MaxPageSize gets a page of that size.
func pageSizeOf(first, last any) int {
	if last != nil {
		first = last
	}
	size, err := graphql.UnmarshalInt(first)
	if first == nil || err != nil { // the resolver refuses a value that is not a number
		return model.DefaultPageSize
	}
	return max(1, min(size, model.MaxPageSize))
}

// addSaturated returns a + b, or the maximum integer when the sum is larger. The sums are of
// untrusted input: an overflow would make an expensive document cheap.
func addSaturated(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// multiplySaturated returns a * b, or the maximum integer when the product is larger.
func multiplySaturated(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}
