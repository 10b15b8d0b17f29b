package batch

import (
	"context"
	"testing"

	"portico/model"
)

// Every row of a page gets an error if reading its field panics, and none gets an empty value.
func TestLoad_fails_for_all_rows_after_a_panic(t *testing.T) {
	t.Parallel()
	ctx := With(t.Context())
	spaces := []*model.Space{{ID: "a"}, {ID: "b"}}
	Record(ctx, &model.SpaceConnection{Nodes: spaces})
	load := func(context.Context, []*model.Space) (map[*model.Space]int, error) { panic("broken") }
	func() {
		defer func() { _ = recover() }() // gqlgen turns it into an internal error
		_, _ = Load(ctx, spaces[0], "owner", load)
	}()
	if got, err := Load(ctx, spaces[1], "owner", load); err == nil {
		t.Errorf("second row: got %d, want an error", got)
	}
}
