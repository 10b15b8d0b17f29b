package graph

import (
	"testing"

	"portico/model"
)

// TestPages holds the rules of limit and cursor for every list.
func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	lists := map[string]func(first *int, after *string) error{
		"spaces": func(first *int, after *string) error {
			_, err := w.Query().Spaces(w.alice.ctx, nil, first, after)
			return err
		},
		"publicSpaces": func(first *int, after *string) error {
			_, err := w.Query().PublicSpaces(w.alice.ctx, nil, first, after)
			return err
		},
		"spaces of a user": func(first *int, after *string) error {
			_, err := w.Resolver.User().Spaces(w.alice.ctx, &model.Profile{ID: w.bob.id}, first, after)
			return err
		},
		"notifications": func(first *int, after *string) error {
			_, err := w.Query().Notifications(w.alice.ctx, first, after)
			return err
		},
		"entities of the caller": func(first *int, after *string) error {
			_, err := w.OwnedEntities(w.alice.ctx, space.ID, first, after)
			return err
		},
		"files": func(first *int, after *string) error {
			_, err := w.Query().Files(w.alice.ctx, first, after)
			return err
		},
		"entities": func(first *int, after *string) error {
			_, err := w.Resolver.Space().Entities(w.alice.ctx, space, first, after)
			return err
		},
	}
	for name, list := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, list(nil, nil))
			check(t, list(ptr(201), ptr("")))
			for _, first := range []int{0, -1} {
				checkError(t, list(&first, nil), model.CodeInvalid, "limit must be a whole number of at least 1")
			}
			for _, cursor := range []string{"x", "???", "MQ", "\x00"} {
				checkError(t, list(nil, &cursor), model.CodeInvalid, "cursor is not one that this server gave out")
			}
		})
	}
}
