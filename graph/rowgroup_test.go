package graph

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// Every row of a page gets an error if reading its field panics, and none gets an empty value.
func TestLoadField_fails_for_all_rows_after_a_panic(t *testing.T) {
	t.Parallel()
	op, group := &graphql.OperationContext{}, rowGroups{}
	if err := group.MutateOperationContext(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	ctx := graphql.WithOperationContext(t.Context(), op)
	spaces := []*model.Space{{ID: "a"}, {ID: "b"}}
	pageIndexOf(ctx).record(pageRows{spaces: spaces})
	load := func(context.Context, []*model.Space) (map[*model.Space]int, error) { panic("broken") }
	func() {
		defer func() { _ = recover() }() // gqlgen turns it into an internal error
		_, _ = loadField(ctx, spaces[0], "owner", load)
	}()
	if got, err := loadField(ctx, spaces[1], "owner", load); err == nil {
		t.Errorf("second row: got %d, want an error", got)
	}
}
