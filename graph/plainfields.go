package graph

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// maxCollected is how many selections of an execution collectedFields remembers. Most documents
// have fewer; gqlgen remembers the others.
const maxCollected = 8

// collectedFields are the fields of selections, which are collected again for each element of a
// list.
type collectedFields struct {
	mu    sync.Mutex
	sets  [maxCollected]collectedSelection
	count int
}

// collectedSelection has the fields of a selection; nil if the selection is not plain.
type collectedSelection struct {
	selection ast.SelectionSet
	fields    []graphql.CollectedField
}

// collectFields returns the selected fields of an object, as graphql.CollectFields does. Most
// selections are plain: a list of fields, without fragments and conditions. Nothing has to be
// merged for them, or looked up by type.
func (ec *executionContext) collectFields(sel ast.SelectionSet, implementors []string) []graphql.CollectedField {
	if ec.meter != nil && len(sel) > 0 {
		if fields := ec.collected.of(sel); fields != nil {
			return fields
		}
	}
	return graphql.CollectFields(ec.OperationContext, sel, implementors)
}

// of returns the fields of a plain selection, and nil for other selections.
func (c *collectedFields) of(sel ast.SelectionSet) []graphql.CollectedField {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, set := range c.sets[:c.count] {
		if &set.selection[0] == &sel[0] && len(set.selection) == len(sel) {
			return set.fields
		}
	}
	if c.count == maxCollected {
		return nil
	}
	set := collectedSelection{sel, plainFields(sel)}
	c.sets[c.count] = set
	c.count++
	return set.fields
}

// plainFields returns the fields of a selection; nil if it has fragments, conditions, or two fields
// with one name in the response.
func plainFields(sel ast.SelectionSet) []graphql.CollectedField {
	fields := make([]graphql.CollectedField, len(sel))
	names := object{fields: fields}
	for i, selection := range sel {
		field, ok := selection.(*ast.Field)
		if !ok || len(field.Directives) > 0 {
			return nil
		}
		fields[i] = graphql.CollectedField{Field: field, Selections: field.SelectionSet, IsNonDeferrable: true}
		if names.repeats(i) {
			return nil
		}
	}
	return fields
}

// deferredFields returns the sets in which gqlgen's functions of objects collect fields for @defer:
// none, because the schema does not have it.
func (ec *executionContext) deferredFields() (*graphql.FieldSet, map[string]*graphql.FieldSetView) {
	if ec.meter != nil {
		return nil, nil
	}
	return graphql.NewFieldSet(nil), map[string]*graphql.FieldSetView{}
}

// decodeArgument decodes an argument of a field, as graphql.ProcessArgField does. Only an error
// needs the path of the argument, so the argument is then decoded again, in a context with the
// path.
func decodeArgument[T any](
	ctx context.Context, ec *executionContext, rawArgs map[string]any, name string, decode func(context.Context, any) (T, error),
) (T, error) {
	if value, ok := rawArgs[name]; ok && ec.meter != nil {
		if decoded, err := decode(ctx, value); err == nil {
			return decoded, nil
		}
	}
	return graphql.ProcessArgField(ctx, rawArgs, name, decode)
}
