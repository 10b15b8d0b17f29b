package live

import (
	"cmp"
	"context"
	"slices"
)

// rowEvents makes the events of a subscription to rows.
type rowEvents[T, E any] struct {
	snapshot         func() E
	created, changed func(row *T) E
	deleted          func(id string) E
}

// rowFeed is the feed of the rows of one owner: a snapshot, then every change. A row that is
// created and deleted before the reader receives the first event causes no event.
//
// The reader gets the snapshot without rows, and reads them by its own query, page by page. So the
// feed needs only the versions of the rows.
type rowFeed[T, E any] struct {
	engine *engine
	source rowSource[T]
	events rowEvents[T, E]
	load   func(ctx context.Context) (*ownedRows[T], error)

	// base are the rows at the time when the reader had last received everything; nil before the
	// snapshot. since has the versions of the rows that the reader has received after that, by id;
	// the version of a deleted row is empty.
	base  *ownedRows[T]
	since map[string]string
	// offered are the changes of the last read that the reader has not received.
	offered []rowChange[T]
}

// rowChange is a new or changed row; without a version it is a deletion, and with rows it is the
// snapshot.
type rowChange[T any] struct {
	id, version string
	state       *rowState[T]
	rows        *ownedRows[T]
}

// subscribeToRows subscribes to the rows of an owner, which all subscriptions of the process share.
func subscribeToRows[T, E any](
	ctx context.Context, e *engine, reads *sharedReads[*ownedRows[T]], source rowSource[T], events rowEvents[T, E],
) <-chan E {
	ctx, cancel := context.WithCancel(ctx)
	shared := reads.subscribe(ctx, e, source.topic, source.load)
	return subscribe(ctx, e, shared.changes, &rowFeed[T, E]{
		engine: e, source: source, events: events, load: shared.value,
	}, cancel)
}

// read returns the events since the last read: the differences between what the reader has (base
// and since) and the newest rows.
func (f *rowFeed[T, E]) read(ctx context.Context) ([]E, bool, error) {
	rows, err := f.load(ctx)
	if err != nil {
		return nil, false, err
	}
	if f.base == nil {
		f.offered = []rowChange[T]{{rows: rows}}
		return []E{f.events.snapshot()}, false, nil
	}
	changes, more := f.changes(rows)
	if len(changes) == 0 {
		f.base, f.since = rows, nil
		return nil, false, nil
	}
	if err := f.readMissing(ctx, changes); err != nil {
		return nil, false, err
	}
	f.offered = f.offered[:0]
	var events []E
	for _, change := range changes {
		switch current := f.version(change.id); {
		case change.version == "":
			events = append(events, f.events.deleted(change.id))
		case change.state == nil:
			more = true // it was deleted in the meantime, or is too large for this read
			continue
		case change.version == current: // readMissing found the version that the reader has
			continue
		case current == "":
			events = append(events, f.events.created(change.state.row))
		default:
			events = append(events, f.events.changed(change.state.row))
		}
		f.offered = append(f.offered, change)
	}
	return events, more, nil
}

// version returns the version of a row that the reader has; empty for none.
func (f *rowFeed[T, E]) version(id string) string {
	if version, ok := f.since[id]; ok {
		return version
	}
	return f.base.byID[id]
}

// changes returns up to feedBatch changes that the reader does not have: deleted rows in
// the order of their ids, then the others in the order of their creation.
func (f *rowFeed[T, E]) changes(rows *ownedRows[T]) (changes []rowChange[T], more bool) {
	if rows == f.base && len(f.since) == 0 {
		return nil, false
	}
	deleted := func(id, version string) {
		if _, ok := rows.byID[id]; !ok && version != "" {
			changes = append(changes, rowChange[T]{id: id})
		}
	}
	for id := range f.base.byID {
		deleted(id, f.version(id))
	}
	for id, version := range f.since {
		if _, ok := f.base.byID[id]; !ok {
			deleted(id, version)
		}
	}
	slices.SortFunc(changes, func(a, b rowChange[T]) int { return cmp.Compare(a.id, b.id) })
	for _, v := range rows.versions {
		if f.version(v.ID) != v.Version {
			changes = append(changes, rowChange[T]{id: v.ID, version: v.Version, state: rows.recentState(v.ID, v.Version)})
		}
	}
	return changes[:min(len(changes), feedBatch)], len(changes) > feedBatch
}

// readMissing reads the states that are no longer among the recent ones.
func (f *rowFeed[T, E]) readMissing(ctx context.Context, changes []rowChange[T]) error {
	var missing []string
	for _, change := range changes {
		if change.version != "" && change.state == nil {
			missing = append(missing, change.id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := f.engine.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer f.engine.slots.Release(1)
	states, err := f.source.states(ctx, missing)
	for i := range states {
		at := slices.IndexFunc(changes, func(c rowChange[T]) bool { return c.id == states[i].id })
		changes[at].state, changes[at].version = &states[i], states[i].version
	}
	return err
}

// markDelivered implements feed. A feed of rows has no last item.
func (f *rowFeed[T, E]) markDelivered(E) bool {
	change := f.offered[0]
	f.offered = f.offered[1:]
	switch {
	case change.rows != nil:
		f.base = change.rows
	case f.since == nil:
		f.since = map[string]string{change.id: change.version}
	default:
		f.since[change.id] = change.version
	}
	return false
}
