package graph

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// rowGroups remembers which rows of an answer were read as one page, so that a field of a
// row that needs a query is read for all rows of the page at once. Without it, the owners
// of 50 spaces would be 50 queries.
type rowGroups struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
	graphql.FieldInterceptor
} = rowGroups{}

// pageIndex has the page of each row of an answer.
type pageIndex struct {
	mu    sync.Mutex
	pages map[any]*page // by the pointer to the row
}

// page is the rows that were read together, and the fields that were read for them.
type page struct {
	rows   any // []*T
	fields sync.Map
}

// pageField is one field of all rows of a page.
type pageField struct {
	once   sync.Once
	values any // map[*T]V
	err    error
}

// ExtensionName implements graphql.HandlerExtension.
func (rowGroups) ExtensionName() string { return "RowGroups" }

// Validate implements graphql.HandlerExtension.
func (rowGroups) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (g rowGroups) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	op.Stats.SetExtension(g.ExtensionName(), &pageIndex{pages: map[any]*page{}})
	return nil
}

// InterceptResponse implements graphql.ResponseInterceptor. Each event of a subscription
// has pages of its own.
func (rowGroups) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if index := pageIndexOf(ctx); index != nil {
		index.mu.Lock()
		index.pages = map[any]*page{}
		index.mu.Unlock()
	}
	return next(ctx)
}

// InterceptField implements graphql.FieldInterceptor. It records the rows of pages.
func (rowGroups) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	value, err := next(ctx)
	index := pageIndexOf(ctx)
	if err != nil || index == nil {
		return value, err
	}
	switch found := value.(type) {
	case *model.SpaceConnection:
		record(index, found.Nodes)
	case *model.EntityConnection:
		record(index, found.Nodes)
	case *model.FileConnection:
		record(index, found.Nodes)
	case *model.JobConnection:
		record(index, found.Nodes)
	case []*model.Entity:
		record(index, found)
	}
	return value, nil
}

func pageIndexOf(ctx context.Context) *pageIndex {
	if !graphql.HasOperationContext(ctx) {
		return nil
	}
	index, _ := graphql.GetOperationContext(ctx).Stats.GetExtension(rowGroups{}.ExtensionName()).(*pageIndex)
	return index
}

// record records the rows of one page.
func record[T any](index *pageIndex, rows []*T) {
	index.mu.Lock()
	defer index.mu.Unlock()
	p := &page{rows: rows}
	for _, row := range rows {
		index.pages[row] = p
	}
}

// ofRow returns a field of the row. It calls load once for all rows of the row's page, and
// for the row alone where it is on no page. load returns the values by row; a row without
// a value has the zero value.
func ofRow[T, V any](
	ctx context.Context, row *T, field string, load func(ctx context.Context, rows []*T) (map[*T]V, error),
) (V, error) {
	var found *page
	if index := pageIndexOf(ctx); index != nil {
		index.mu.Lock()
		found = index.pages[row]
		index.mu.Unlock()
	}
	rows := []*T{row}
	if found == nil {
		values, err := load(ctx, rows)
		return values[row], err
	}
	if all, ok := found.rows.([]*T); ok {
		rows = all
	}
	stored, _ := found.fields.LoadOrStore(field, &pageField{})
	of, _ := stored.(*pageField)
	of.once.Do(func() { of.values, of.err = load(ctx, rows) })
	values, _ := of.values.(map[*T]V)
	return values[row], of.err
}
