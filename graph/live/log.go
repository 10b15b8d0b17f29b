package live

import (
	"cmp"
	"slices"

	"portico/db"
	"portico/model"
)

// maxLogBytes is the maximum size in bytes of the entities' JSON that a log keeps for slow
// subscribers. A state over it is dropped, and read again when a subscriber needs it.
const maxLogBytes = 4 << 20

// spaceLog has the changes of a space and its entities, in the order in which subscribers receive
// them. It keeps only the newest state of each object, with at most two records: one for its
// creation and one for its last change. A slow subscriber misses the states in between, and the log
// does not grow with the changes of one entity.
//
// A position in the log is the sequence number of a record. The log has no lock: its
// broadcaster has.
type spaceLog struct {
	last    uint64 // the sequence number of the last record
	records []logRecord
	// entries are all current entities by id, with and without records. Their versions show which
	// entities the next read must fetch.
	entries map[string]*logEntry
	space   *logEntry // the last change of the space itself; nil before the first
	bytes   int       // of the entities' JSON in entries
}

// logRecord is the record of a creation or a change. Subscribers skip it when its entry has a newer
// record.
type logRecord struct {
	sequence uint64
	entry    *logEntry
}

// logEntry is a space or an entity in the log. An entity that is deleted and created again
// has a new entry.
type logEntry struct {
	entityID string // empty for the space itself
	version  string
	created  uint64 // sequence number of its creation; 0 for an entity that is older than the log
	changed  uint64 // sequence number of its last change or deletion
	deleted  bool
	size     int // of the JSON in the events
	// onCreate is the event for subscribers that do not have the entity, and onChange the event for
	// the others. Both are nil after the state was dropped.
	onCreate, onChange *Event
}

// reset sets the entries of a new log to the current entities. The log has no records, because
// subscribers that start now have these versions.
func (l *spaceLog) reset(versions []db.EntityVersion) {
	l.entries = make(map[string]*logEntry, len(versions))
	for _, v := range versions {
		l.entries[v.EntityID] = &logEntry{entityID: v.EntityID, version: v.Version}
	}
}

// outdated returns the ids of the entities that have another version than in the log.
func (l *spaceLog) outdated(versions []db.EntityVersion) []string {
	var ids []string
	for _, v := range versions {
		if entry := l.entries[v.EntityID]; entry == nil || entry.version != v.Version {
			ids = append(ids, v.EntityID)
		}
	}
	return ids
}

// add appends the newest record of an entry.
func (l *spaceLog) add(entry *logEntry) {
	l.last++
	entry.changed = l.last
	l.records = append(l.records, logRecord{l.last, entry})
}

// changeSpace appends a change of the space itself.
func (l *spaceLog) changeSpace(space *model.Space) {
	if l.space == nil {
		l.space = &logEntry{}
	}
	l.space.onChange = newEvent(&model.SpaceChanged{Space: space})
	l.add(l.space)
}

// deleteMissing appends the deletion of each entity that is not among the versions, in the
// order of their ids.
func (l *spaceLog) deleteMissing(space *model.Space, versions []db.EntityVersion) {
	for _, id := range l.missing(versions) {
		entry := l.entries[id]
		delete(l.entries, id)
		l.bytes -= entry.size
		entry.deleted, entry.size, entry.onCreate = true, 0, nil
		entry.onChange = newEvent(&model.EntityDeleted{Space: space, EntityID: id})
		l.add(entry)
	}
}

// missing returns the sorted ids of the entities in the log that are not among the versions.
func (l *spaceLog) missing(versions []db.EntityVersion) []string {
	present := make(map[string]struct{}, len(versions))
	for _, v := range versions {
		present[v.EntityID] = struct{}{}
	}
	var ids []string
	for id := range l.entries {
		if _, ok := present[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// change appends the newest state of an entity.
func (l *spaceLog) change(space *model.Space, entity *db.VersionedEntity) {
	entry := l.entries[entity.EntityID]
	isNew := entry == nil
	if isNew {
		entry = &logEntry{entityID: entity.EntityID}
		l.entries[entity.EntityID] = entry
	}
	l.setState(entry, space, entity)
	l.add(entry)
	if isNew {
		entry.created = entry.changed
	}
}

// setState stores the events with a state of the entity.
//
// Both events have the space as it was at this read, so their space is never newer than their
// entity.
func (l *spaceLog) setState(entry *logEntry, space *model.Space, entity *db.VersionedEntity) {
	l.bytes -= entry.size
	entry.version, entry.size = entity.RowVersion, len(entity.Data)+len(entity.State)
	l.bytes += entry.size
	if entity.EntityID == model.RoomInfoID {
		entry.onChange = newEvent(&model.RoomChanged{Space: space, Room: &entity.Entity})
		entry.onCreate = entry.onChange
		return
	}
	entry.onCreate = newEvent(&model.EntityCreated{Space: space, Entity: &entity.Entity})
	entry.onChange = newEvent(&model.EntityChanged{Space: space, Entity: &entity.Entity})
}

// dropState removes the events with the state of an entity.
func (l *spaceLog) dropState(entry *logEntry) {
	l.bytes -= entry.size
	entry.size, entry.onCreate, entry.onChange = 0, nil, nil
}

// trim removes the records up to the position that all subscribers have passed, and drops the
// oldest states over maxLogBytes.
//
// A record is removed when every subscriber has passed it, or when its entry has a newer one.
func (l *spaceLog) trim(passed uint64) {
	for _, record := range l.records {
		entry := record.entry
		if entry.changed == record.sequence && entry.size > 0 && (record.sequence <= passed || l.bytes > maxLogBytes) {
			l.dropState(entry)
		}
	}
	l.records = slices.DeleteFunc(l.records, func(r logRecord) bool {
		return r.sequence <= passed || (r.sequence != r.entry.changed && r.sequence != r.entry.created)
	})
}

// after returns the records whose sequence is greater, by a binary search.
func (l *spaceLog) after(position uint64) []logRecord {
	i, _ := slices.BinarySearchFunc(l.records, position+1, func(r logRecord, sequence uint64) int {
		return cmp.Compare(r.sequence, sequence)
	})
	return l.records[i:]
}
