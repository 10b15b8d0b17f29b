package graph_test

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"portico/graph/door"
	"portico/model"
)

// TestConnections_are_counted_for_their_total checks that a list is counted only for a client that
// selects its totalCount, however the document selects it.
func TestConnections_are_counted_for_their_total(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	w.space(w.alice, model.SpaceInfinite)
	for document, counted := range map[string]bool{
		`{ spaces { totalCount } }`:                                                      true,
		`{ spaces { nodes { id } size: totalCount } }`:                                   true,
		`{ spaces { ... on SpaceConnection { totalCount } } }`:                           true,
		`{ spaces { ... { ...size } } } fragment size on SpaceConnection { totalCount }`: true,
		`{ spaces { nodes { id } totalCount @include(if: true) } }`:                      true,
		`{ spaces { nodes { id } totalCount @include(if: false) } }`:                     false,
		`{ spaces { nodes { id title } pageInfo { hasNextPage } } }`:                     false,
		`{ spaces { nodes { entities { totalCount } } } }`:                               false,
		`{ spaces(filter: {text: "space"}) { nodes { id } } }`:                           false,
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			if got := w.totalRead(t, document) > 0; got != counted {
				t.Errorf("counted: got %t, want %t", got, counted)
			}
		})
	}
}

// totalRead executes alice's query of spaces and returns the total that the resolver read for it.
func (w *world) totalRead(t *testing.T, document string) (total int) {
	t.Helper()
	execute := executor.New(door.NewExecutableSchema(door.Config{Resolvers: door.Resolvers(w.Resolver)}))
	execute.AroundFields(func(ctx context.Context, next graphql.Resolver) (any, error) {
		value, err := next(ctx)
		if spaces, ok := value.(*model.SpaceConnection); ok {
			total = spaces.TotalCount
		}
		return value, err
	})
	ctx := graphql.StartOperationTrace(w.alice.ctx)
	operation, failed := execute.CreateOperationContext(ctx, &graphql.RawParams{Query: document})
	if failed != nil {
		t.Fatal(failed)
	}
	respond, ctx := execute.DispatchOperation(ctx, operation)
	if response := respond(ctx); len(response.Errors) > 0 {
		t.Fatal(response.Errors)
	}
	return total
}
