package live

import (
	"context"
	"slices"
	"time"

	"portico/db"
)

// ownedRows are the rows of one owner at one time, such as the files of an account: the versions of
// all rows, and the states of the rows that changed last. It is immutable.
type ownedRows[T any] struct {
	versions []db.RowVersion   // oldest row first
	byID     map[string]string // the same versions, by id
	recent   []rowState[T]     // up to maxLogBytes, oldest change first
}

// rowState is a row at a version.
type rowState[T any] struct {
	id, version string
	row         *T
	size        int // about the number of bytes
}

// rowSource reads the rows of one owner.
//
// A source reads twice: the versions of all rows, which are small, and then the states that
// changed.
type rowSource[T any] struct {
	topic    db.Topic // is announced when a row is added, changed or deleted
	versions func(ctx context.Context) ([]db.RowVersion, error)
	// states returns rows that exist. It may stop after feedBytes, but returns at least one.
	states func(ctx context.Context, ids []string) ([]rowState[T], error)
}

// load implements loader. It reads all versions, and the states of up to feedBatch rows that have
// changed since before. It leaves out the other changes, which the next load reads.
//
// It is called by one goroutine at a time (sharedRead). Versions that are not fetched keep their
// old value in the result, so that the next load finds them changed again.
func (s rowSource[T]) load(ctx context.Context, before *ownedRows[T]) (_ *ownedRows[T], again time.Duration, err error) {
	versions, err := s.versions(ctx)
	if err != nil || before == nil {
		return newOwnedRows[T](versions, nil), 0, err
	}
	var changed []string
	for _, v := range versions {
		if before.byID[v.ID] != v.Version {
			changed = append(changed, v.ID)
		}
	}
	if len(changed) == 0 && len(versions) == len(before.versions) {
		return before, 0, nil
	}
	var fetched []rowState[T]
	if len(changed) > 0 {
		if fetched, err = s.states(ctx, changed[:min(len(changed), feedBatch)]); err != nil {
			return nil, 0, err
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
	if len(fetched) < len(changed) {
		again = moreInterval
	}
	return newOwnedRows(now, before.withRecent(fetched)), again, nil
}

func newOwnedRows[T any](versions []db.RowVersion, recent []rowState[T]) *ownedRows[T] {
	r := &ownedRows[T]{versions: versions, byID: make(map[string]string, len(versions)), recent: recent}
	for _, v := range versions {
		r.byID[v.ID] = v.Version
	}
	return r
}

// withRecent returns the recent states with the newer ones, without the oldest ones over
// maxLogBytes.
func (r *ownedRows[T]) withRecent(newer []rowState[T]) []rowState[T] {
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

// recentState returns this version of the row from recent; nil for none.
func (r *ownedRows[T]) recentState(id, version string) *rowState[T] {
	for i := range r.recent {
		if r.recent[i].id == id && r.recent[i].version == version {
			return &r.recent[i]
		}
	}
	return nil
}
