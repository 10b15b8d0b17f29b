package graph

import (
	"context"
	"slices"

	"portico/db"
)

// ownedRows are the rows of one owner, such as the files of an account, at one time: the
// versions of all, and the states of those that changed lately. It does not change.
type ownedRows[T any] struct {
	versions []db.RowVersion   // oldest row first
	byID     map[string]string // the same
	recent   []rowState[T]     // up to maxLogBytes, the last change last
}

// rowState is a row at a version.
type rowState[T any] struct {
	id, version string
	row         *T
	size        int // in bytes, about
}

// rowSource reads the rows of one owner.
type rowSource[T any] struct {
	topic    db.Topic // announced when a row is added, changes or is deleted
	versions func(ctx context.Context) ([]db.RowVersion, error)
	// states returns rows that exist. It may stop after feedBytes, but returns at least one.
	states func(ctx context.Context, ids []string) ([]rowState[T], error)
}

// load is a loader. It reads all versions, and the states of up to feedBatch rows that
// have changed since before. The other changes are not yet in what it returns.
func (s rowSource[T]) load(ctx context.Context, before *ownedRows[T]) (_ *ownedRows[T], more bool, err error) {
	versions, err := s.versions(ctx)
	if err != nil || before == nil {
		return newOwnedRows[T](versions, nil), false, err
	}
	var changed []string
	for _, v := range versions {
		if before.byID[v.ID] != v.Version {
			changed = append(changed, v.ID)
		}
	}
	if len(changed) == 0 && len(versions) == len(before.versions) {
		return before, false, nil
	}
	var fetched []rowState[T]
	if len(changed) > 0 {
		if fetched, err = s.states(ctx, changed[:min(len(changed), feedBatch)]); err != nil {
			return nil, false, err
		}
	}
	known := map[string]string{}
	for _, state := range fetched {
		known[state.id] = state.version
	}
	now := make([]db.RowVersion, 0, len(versions))
	for _, v := range versions {
		if version, ok := known[v.ID]; ok {
			now = append(now, db.RowVersion{ID: v.ID, Version: version})
		} else if version, ok := before.byID[v.ID]; ok {
			now = append(now, db.RowVersion{ID: v.ID, Version: version})
		}
	}
	return newOwnedRows(now, before.keep(fetched)), len(fetched) < len(changed), nil
}

func newOwnedRows[T any](versions []db.RowVersion, recent []rowState[T]) *ownedRows[T] {
	r := &ownedRows[T]{versions: versions, byID: make(map[string]string, len(versions)), recent: recent}
	for _, v := range versions {
		r.byID[v.ID] = v.Version
	}
	return r
}

// keep returns the recent states with the newer ones, without the oldest beyond
// maxLogBytes.
func (r *ownedRows[T]) keep(newer []rowState[T]) []rowState[T] {
	outdated := func(old rowState[T]) bool {
		return slices.ContainsFunc(newer, func(s rowState[T]) bool { return s.id == old.id })
	}
	all := append(slices.DeleteFunc(slices.Clone(r.recent), outdated), newer...)
	first, size := len(all), 0
	for first > 0 && size+all[first-1].size <= maxLogBytes {
		first--
		size += all[first].size
	}
	return all[first:]
}

// state returns a recent state of the row; nil for none.
func (r *ownedRows[T]) state(id, version string) *rowState[T] {
	for i := range r.recent {
		if r.recent[i].id == id && r.recent[i].version == version {
			return &r.recent[i]
		}
	}
	return nil
}
