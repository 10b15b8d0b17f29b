package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/limit"
	"portico/model"
)

// Each of these patterns stored more than the account may have: history keeps a state of its own
// for each door, for more entities than it looks back for, and for each new id.
func TestWrites_of_an_account_are_limited_in_bytes(t *testing.T) {
	t.Parallel()
	const maxKiB, bytes = 400, 60_000
	for name, write := range map[string]func(w *world, space *model.Space, i int) error{
		"one entity through alternating doors": func(w *world, space *model.Space, i int) error {
			door := []string{model.DoorREST, model.DoorGraphQL, model.DoorMCP}[i%3]
			ctx := model.WithOrigin(w.alice.ctx, model.Origin{Door: door})
			_, err := w.Mutation().UpdateEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "0", Data: model.Object(fmt.Sprintf(`{"n":%d}`, i))})
			return err
		},
		"many entities": func(w *world, space *model.Space, i int) error {
			_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr(fmt.Sprint(i % 2)), Data: largeData(i, bytes)})
			return err
		},
		"new ids, which are deleted": func(w *world, space *model.Space, i int) error {
			_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr(fmt.Sprint("new", i)), Data: largeData(i, bytes)})
			if err == nil {
				_, err = w.Mutation().DeleteEntity(w.alice.ctx, space.ID, fmt.Sprint("new", i))
			}
			return err
		},
		"dry runs": func(w *world, space *model.Space, i int) error {
			_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{SpaceID: space.ID, DryRun: true, Puts: []model.FilePut{{
				Path: "space/entities/a.json", Content: []byte(`{"id":"a","type":"Simple","data":` + string(largeData(i, bytes)) + `}`),
			}}})
			return err
		},
		"settings": func(w *world, space *model.Space, i int) error {
			_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, Data: largeData(i, bytes)})
			return err
		},
		"changes that are over the quota": func(w *world, space *model.Space, i int) error {
			w.exec("UPDATE users SET quota = 1")
			_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("0"), Data: largeData(i, bytes+1000)})
			if model.CodeOf(err) == model.CodeQuotaExceeded {
				return nil
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.makeRoom()
			space := w.space(w.alice, model.SpaceInfinite)
			for i := range 2 {
				_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr(fmt.Sprint(i)), Data: largeData(0, bytes)})
				check(t, err)
			}
			var err error
			w.options.Limiter, err = limit.New(limit.Options{Limits: map[limit.Scope]int{limit.Written: maxKiB}})
			check(t, err)
			t.Cleanup(func() { check(t, w.options.Limiter.Close()) })
			w.assemble()
			count := 0
			for err == nil && count < 100 {
				if err = write(w, space, count+1); err == nil {
					count++
				}
			}
			if most := maxKiB<<10/bytes + 1; count > most || model.CodeOf(err) != model.CodeRateLimited || model.AsError(err).RetryAfter == 0 {
				t.Errorf("got %d changes and then %v, want at most %d and a refusal for a while", count, err, most)
			}
			var stored int
			w.scan(&stored, "SELECT coalesce(sum(octet_length(before::text)), 0) FROM changes")
			if stored > maxKiB<<10+2*bytes {
				t.Errorf("stored states: got %d bytes, want at most %d", stored, maxKiB<<10+2*bytes)
			}
		})
	}
}

// largeData returns data of about this size, which differs for each number.
func largeData(number, bytes int) model.Object {
	return model.Object(fmt.Sprintf(`{"n":%d,"text":%q}`, number, strings.Repeat("x", bytes)))
}
