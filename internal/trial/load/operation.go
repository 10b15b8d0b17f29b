package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// operation is one of the five operations. Their order is the order of a round: create
// makes the entities that delete deletes.
type operation string

const (
	opGet    operation = "get"
	opCreate operation = "create"
	opList   operation = "list 200"
	opUpdate operation = "merge-update"
	opDelete operation = "delete"
)

// operations returns all operations, in the order of a round.
func operations() []operation {
	return []operation{opGet, opCreate, opList, opUpdate, opDelete}
}

// pageSize is the number of entities in a list.
const pageSize = 200

// entity is the entity in a response. Both doors have the same names.
type entity struct {
	ID      string          `json:"entity_id"`
	Type    string          `json:"entity_type"`
	Data    json.RawMessage `json:"entity_data"`
	State   json.RawMessage `json:"entity_state"`
	Created string          `json:"created_date"`
	Changed string          `json:"change_date"`
}

// page is a response's list.
type page struct {
	Entities []entity `json:"entities"`
	Total    int      `json:"total"`
}

// checkResponse decodes the response to an operation on the sample entity and compares it
// with what was stored. read unwraps the response of the door.
//
// What is compared depends on what the response shows:
//
//	get               the whole record: state and times too
//	create, update    id, type and data; an update has changed the revision
//	list              the ids in their order, and each whole record
//	delete            nothing here: the reader of the door has done it
func checkResponse(op operation, body []byte, read func(operation, []byte) (json.RawMessage, error)) error {
	found, err := read(op, body)
	if err != nil {
		return err
	}
	switch op {
	case opDelete:
		return nil // read has compared the whole response
	case opList:
		return checkPage(found)
	}
	var e entity
	if err := json.Unmarshal(found, &e); err != nil {
		return err
	}
	if e.ID != sampleID {
		return fmt.Errorf("entity_id is %q, want %q", e.ID, sampleID)
	}
	if op == opGet {
		return checkRecord(e)
	}
	return checkData(e, op == opUpdate)
}

// checkPage compares a page with the seeded list, entity by entity.
func checkPage(found json.RawMessage) error {
	var p page
	if err := json.Unmarshal(found, &p); err != nil {
		return err
	}
	if len(p.Entities) != pageSize || p.Total != pageSize {
		return fmt.Errorf("%d entities of %d, want %d", len(p.Entities), p.Total, pageSize)
	}
	for i, e := range p.Entities {
		if want := listID(i); e.ID != want {
			return fmt.Errorf("entity %d is %q, want %q", i, e.ID, want)
		}
		if err := checkRecord(e); err != nil {
			return err
		}
	}
	return nil
}

// checkRecord compares an entity with the sample.
func checkRecord(e entity) error {
	if string(e.State) != "{}" || e.Created != seedTime || e.Changed != seedTime {
		return fmt.Errorf("state %s, created %s, changed %s; want {} and %s", e.State, e.Created, e.Changed, seedTime)
	}
	return checkData(e, false)
}

// checkData compares type and data. An update has changed the revision.
func checkData(e entity, updated bool) error {
	if e.Type != entityType {
		return fmt.Errorf("entity_type is %q, want %q", e.Type, entityType)
	}
	var got, want map[string]any
	if err := errors.Join(json.Unmarshal(e.Data, &got), json.Unmarshal([]byte(document), &want)); err != nil {
		return err
	}
	if updated {
		// The decoded response has float64 for numbers, so the expected value needs one too.
		want["revision"] = json.Number(sampleRevision)
		want["revision"], _ = want["revision"].(json.Number).Float64() // digits: cannot fail
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("entity_data is %s, want %v", e.Data, want)
	}
	return nil
}
