package graph_test

import (
	"context"
	"testing"

	"portico/model"
)

// pageOf returns the arguments of a page from the start of a list or after a cursor.
func pageOf(first *int, after *string) model.ConnectionArgs {
	return model.ConnectionArgs{First: first, After: after}
}

func TestPages_refuse_invalid_limits_and_cursors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	lists := map[string]func(first *int, after *string) error{
		"spaces": func(first *int, after *string) error {
			_, err := w.Query().Spaces(w.alice.ctx, nil, first, after)
			return err
		},
		"publicSpaces": func(first *int, after *string) error {
			_, err := w.PublicSpaces(w.alice.ctx, model.SpaceFilter{}, pageOf(first, after))
			return err
		},
		"spaces of a user": func(first *int, after *string) error {
			_, err := w.PublicSpacesOf(w.alice.ctx, w.bob.id, pageOf(first, after))
			return err
		},
		"notifications": func(first *int, after *string) error {
			_, err := w.Notifications(w.alice.ctx, pageOf(first, after))
			return err
		},
		"entities of the caller": func(first *int, after *string) error {
			_, err := w.Query().OwnedEntities(w.alice.ctx, space.ID, first, after)
			return err
		},
		"files": func(first *int, after *string) error {
			_, err := w.Query().Files(w.alice.ctx, first, after)
			return err
		},
		"entities": func(first *int, after *string) error {
			_, err := w.entitiesIn(w.alice.ctx, space, pageOf(first, after))
			return err
		},
	}
	for name, list := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, list(nil, nil))
			check(t, list(ptr(200), ptr("")))
			for _, cursor := range []string{"x", "???", "MQ", "\x00"} {
				checkError(t, list(nil, &cursor), model.CodeInvalid, "")
			}
			for _, first := range []int{0, -1} {
				checkError(t, list(&first, nil), model.CodeInvalid, "")
			}
		})
	}
}

func (w *world) entitiesIn(ctx context.Context, space *model.Space, args model.Pager) (*model.EntityConnection, error) {
	pages, err := w.EntitiesOf(ctx, []*model.Space{space}, model.EntityFilter{}, args)
	return pages[space], err
}
