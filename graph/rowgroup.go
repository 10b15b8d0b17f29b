package graph

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// rowGroups remembers which rows of a response were read as one page. A field of a row that needs a
// query is then read for all rows of the page in one query: the owners of 50 spaces are one query
// instead of 50.
//
// It does what a dataloader does, without waiting for other fields: the rows of a page are known
// when the page was read.
type rowGroups struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = rowGroups{}

// pageIndex has the page of each row of a response. Most responses need no page, so it records
// which rows were read together, and makes the pages when the first one is needed.
type pageIndex struct {
	mu    sync.Mutex
	read  []pageRows    // the rows without a page yet, in the order of reading
	pages map[any]*page // by the pointer to the row; nil until the first page is needed
}

// page has the rows that were read together, and the fields that were read for them.
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

// MutateOperationContext implements graphql.OperationContextMutator. It wraps the middleware of the
// operation once. A graphql.FieldInterceptor would look up the index, and allocate, for each of
// thousands of fields.
func (g rowGroups) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	index, resolve := &pageIndex{}, op.ResolverMiddleware
	op.Stats.SetExtension(g.ExtensionName(), index)
	op.ResolverMiddleware = func(ctx context.Context, next graphql.Resolver) (any, error) {
		value, err := resolve(ctx, next)
		if err == nil && hasRows(value) {
			var found pageRows
			found.add(value)
			index.record(found)
		}
		return value, err
	}
	return nil
}

// InterceptResponse implements graphql.ResponseInterceptor. It clears the index, because each event
// of a subscription has other pages.
func (rowGroups) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if index := pageIndexOf(ctx); index != nil {
		index.mu.Lock()
		index.read, index.pages = nil, nil
		index.mu.Unlock()
	}
	return next(ctx)
}

func pageIndexOf(ctx context.Context) *pageIndex {
	if !graphql.HasOperationContext(ctx) {
		return nil
	}
	index, _ := graphql.GetOperationContext(ctx).Stats.GetExtension(rowGroups{}.ExtensionName()).(*pageIndex)
	return index
}

// record records rows that were read together.
func (index *pageIndex) record(found pageRows) {
	index.mu.Lock()
	defer index.mu.Unlock()
	index.read = append(index.read, found)
}

// makePages makes pages of the recorded rows, one for each type. A row that has a page keeps it.
// The caller holds the lock.
func (index *pageIndex) makePages() {
	if index.pages == nil {
		index.pages = map[any]*page{}
	}
	for _, found := range index.read {
		recordPage(index.pages, found.users)
		recordPage(index.pages, found.spaces)
		recordPage(index.pages, found.entities)
		recordPage(index.pages, found.files)
		recordPage(index.pages, found.jobs)
	}
	index.read = nil
}

func recordPage[T any](pages map[any]*page, rows []*T) {
	p := &page{}
	var added []*T
	for _, row := range rows {
		if row != nil && pages[row] == nil {
			pages[row] = p
			added = append(added, row)
		}
	}
	p.rows = added
}

// page returns the page of the row; nil for a row without a page.
func (index *pageIndex) page(row any) *page {
	index.mu.Lock()
	defer index.mu.Unlock()
	index.makePages()
	return index.pages[row]
}

// fieldKey returns the name of a field with its arguments. A document may select a field twice with
// different arguments.
func fieldKey(name string, args ...any) string {
	// Arguments were decoded from JSON, so they can be encoded.
	text, _ := json.Marshal(args)
	return name + string(text)
}

// errLoadPanicked is the error of a field in the other rows of a page if reading it panics.
var errLoadPanicked = errors.New("reading the field of the page panicked")

// loadField returns a field of the row. It calls load once for all rows of the page of the row, and
// only for the row where it has no page. load returns the values by row; a row without a value has
// the zero value. The values of all rows are a page too.
//
// once.Do makes the other rows wait for the first. The first one's ctx is the ctx of the operation,
// so the values of all rows end with it.
func loadField[T, V any](
	ctx context.Context, row *T, key string, load func(ctx context.Context, rows []*T) (map[*T]V, error),
) (V, error) {
	index := pageIndexOf(ctx)
	var found *page
	if index != nil {
		found = index.page(row)
	}
	if found == nil {
		values, err := load(ctx, []*T{row})
		return values[row], err
	}
	stored, _ := found.fields.LoadOrStore(key, &pageField{})
	field, _ := stored.(*pageField)
	field.once.Do(func() {
		field.err = errLoadPanicked // replaced unless load panics: Do then counts as done
		all, _ := found.rows.([]*T)
		values, err := load(ctx, all)
		field.values, field.err = values, err
		var next pageRows
		for _, row := range all {
			next.add(values[row])
		}
		index.record(next)
	})
	values, _ := field.values.(map[*T]V)
	return values[row], field.err
}

// loadByKey returns the values of rows, by row. load returns the values by the keys of the rows;
// loadByKey passes each key once.
func loadByKey[T, V any](rows []*T, key func(*T) string, load func(keys []string) (map[string]V, error)) (map[*T]V, error) {
	keys := make([]string, 0, len(rows))
	for _, row := range rows {
		keys = append(keys, key(row))
	}
	slices.Sort(keys)
	found, err := load(slices.Compact(keys))
	values := make(map[*T]V, len(rows))
	for _, row := range rows {
		values[row] = found[key(row)]
	}
	return values, err
}
