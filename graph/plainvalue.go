package graph

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// object is an object whose fields have been resolved.
type object struct {
	fields []graphql.CollectedField
	values []graphql.Marshaler
}

// MarshalGQL implements graphql.Marshaler. Names need no escape (GraphQL specification section
// 2.1.9, "Names").
func (o object) MarshalGQL(w io.Writer) {
	separator := "{\""
	for i := range o.fields {
		if o.repeats(i) {
			continue
		}
		_, _ = io.WriteString(w, separator)
		_, _ = io.WriteString(w, o.fields[i].Alias)
		_, _ = io.WriteString(w, "\":")
		o.values[i].MarshalGQL(w)
		separator = ",\""
	}
	if len(o.fields) == 0 {
		_, _ = io.WriteString(w, "{")
	}
	_, _ = io.WriteString(w, "}")
}

// repeats reports whether a field before field i has the same name in the response: fragments on
// different interfaces select one field twice.
func (o object) repeats(i int) bool {
	for j := range i {
		if o.fields[j].Alias == o.fields[i].Alias {
			return true
		}
	}
	return false
}

// encodeList encodes the elements of the list of the field in ctx, as
// graphql.MarshalSliceConcurrently does. If no field of the elements calls a resolver, there is
// nothing to wait for: they are encoded one after another, because a goroutine for each would take
// longer than its element.
func (ec *executionContext) encodeList(
	ctx context.Context, sel ast.SelectionSet, length int, workers int64, omitPanicHandler bool, //nolint:unparam // workers is set in gqlgen.yml
	encode func(ctx context.Context, i int) graphql.Marshaler,
) graphql.Array {
	search := resolverSearch{left: maxSearch}
	if ec.meter == nil || length < 2 || search.find(ctx, graphql.GetFieldContext(ctx), sel) {
		return graphql.MarshalSliceConcurrently(ctx, length, workers, omitPanicHandler, encode)
	}
	list, failed := make(graphql.Array, length), false
	for i := range length {
		element := graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &i})
		if err := ctx.Err(); err != nil {
			graphql.AddError(element, err)
			return nil
		}
		failed = !encodeElement(element, &list[i], i, encode) || failed
	}
	if failed {
		return nil
	}
	return list
}

// encodeElement encodes an element of a list. It returns false after a panic, which it adds to the
// errors of the response.
func encodeElement(ctx context.Context, to *graphql.Marshaler, i int, encode func(context.Context, int) graphql.Marshaler) (ok bool) {
	defer func() {
		if value := recover(); value != nil {
			graphql.AddError(ctx, graphql.Recover(ctx, value))
			ok = false
		}
	}()
	*to = encode(ctx, i)
	return true
}

// maxSearch is how many fields and fragments of an element are searched for resolvers. Documents
// may repeat thousands by fragments.
const maxSearch = 50

// resolverSearch searches the selected fields of a list's elements for one that calls a resolver.
type resolverSearch struct{ left int } // the fields and fragments that may still be looked at

// find reports whether a selected field of parent's object calls a resolver, or may call one. A
// field with arguments, or of an interface or a union, may call one.
func (s *resolverSearch) find(ctx context.Context, parent *graphql.FieldContext, sel ast.SelectionSet) bool {
	for _, selection := range sel {
		if s.left--; s.left < 0 {
			return true
		}
		found := false
		switch selected := selection.(type) {
		case *ast.Field:
			found = s.findBelow(ctx, parent, selected)
		case *ast.InlineFragment:
			found = s.find(ctx, parent, selected.SelectionSet)
		case *ast.FragmentSpread:
			found = s.find(ctx, parent, selected.Definition.SelectionSet)
		}
		if found {
			return true
		}
	}
	return false
}

// findBelow is find for a field and its selections.
func (s *resolverSearch) findBelow(ctx context.Context, parent *graphql.FieldContext, field *ast.Field) bool {
	if field.Name == typename {
		return false
	}
	if parent.Child == nil || len(field.Definition.Arguments) > 0 {
		return true
	}
	child, err := parent.Child(ctx, graphql.CollectedField{Field: field, Selections: field.SelectionSet})
	return err != nil || child.IsResolver || s.find(ctx, child, field.SelectionSet)
}
