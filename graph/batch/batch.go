// Package batch remembers which rows of a response were read as one page. A field of a row that needs a
// query is then read for all rows of the page in one query: the owners of 50 spaces are one query
// instead of 50.
//
// It does what a dataloader does, without waiting for other fields: the rows of a page are known
// when the page was read.
package batch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
)

// index has the page of each row of a response. Most responses need no page, so it records
// which rows were read together, and makes the pages when the first one is needed.
type index struct {
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

// indexKey is the key of the *index in a context.
type indexKey struct{}

// With returns the context of a response, which has no pages yet. Each event of a subscription is a
// response of its own.
func With(ctx context.Context) context.Context { return context.WithValue(ctx, indexKey{}, &index{}) }

func indexOf(ctx context.Context) *index {
	i, _ := ctx.Value(indexKey{}).(*index)
	return i
}

// Record records the rows in the value of a field. Most fields return something else, and cost one type
// switch.
func Record(ctx context.Context, value any) {
	if !hasRows(value) {
		return
	}
	if i := indexOf(ctx); i != nil {
		var found pageRows
		found.add(value)
		i.record(found)
	}
}

// record records rows that were read together.
func (i *index) record(found pageRows) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.read = append(i.read, found)
}

// makePages makes pages of the recorded rows, one for each type. A row that has a page keeps it.
// The caller holds the lock.
func (i *index) makePages() {
	if i.pages == nil {
		i.pages = map[any]*page{}
	}
	for _, found := range i.read {
		recordPage(i.pages, found.users)
		recordPage(i.pages, found.spaces)
		recordPage(i.pages, found.entities)
		recordPage(i.pages, found.files)
		recordPage(i.pages, found.jobs)
	}
	i.read = nil
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
func (i *index) page(row any) *page {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.makePages()
	return i.pages[row]
}

// Key returns the name of a field with its arguments. A document may select a field twice with
// different arguments.
func Key(name string, args ...any) string {
	// Arguments were decoded from JSON, so they can be encoded.
	text, _ := json.Marshal(args)
	return name + string(text)
}

// errLoadPanicked is the error of a field in the other rows of a page if reading it panics.
var errLoadPanicked = errors.New("reading the field of the page panicked")

// Load returns a field of the row. It calls load once for all rows of the page of the row, and
// only for the row where it has no page. load returns the values by row; a row without a value has
// the zero value. The values of all rows are a page too.
//
// once.Do makes the other rows wait for the first. The first one's ctx is the ctx of the operation,
// so the values of all rows end with it.
func Load[T, V any](
	ctx context.Context, row *T, key string, load func(ctx context.Context, rows []*T) (map[*T]V, error),
) (V, error) {
	i := indexOf(ctx)
	var found *page
	if i != nil {
		found = i.page(row)
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
		i.record(next)
	})
	values, _ := field.values.(map[*T]V)
	return values[row], field.err
}

// ByKey returns the values of rows, by row. load returns the values by the keys of the rows;
// ByKey passes each key once.
func ByKey[T, V any](rows []*T, key func(*T) string, load func(keys []string) (map[string]V, error)) (map[*T]V, error) {
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
