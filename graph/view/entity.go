package view

import "portico/model"

// Entity is an entity that was changed (API section 4, Entities).
type Entity struct {
	EntityID   string `json:"entity_id" jsonschema:"The entity's id, unique within its space."`
	EntityType string `json:"entity_type" jsonschema:"UserModelEntity (made from a file), Simple, Gate (static), DynamicGate, or a type of a client's own."`
	// EntityData is copied as it is stored, because decoding it would change its numbers.
	EntityData model.Object `json:"entity_data" jsonschema:"What the entity is: position, rotation, scale, glbUrl, content of a gate, and fields of clients' own."`
}

// CreatedEntity is an entity that was created, or updated because the id existed.
type CreatedEntity struct {
	Entity
	// Warning is the reason why a new entity will show nothing; nil if it will show something.
	Warning *string `json:"warning,omitempty" jsonschema:"Why the entity will show nothing; omitted if it will show something."`
}

// EntityRecord is an entity with its dates, and with the state that the runtime stores and clients
// cannot set.
type EntityRecord struct {
	Entity
	EntityState model.Object `json:"entity_state" jsonschema:"The runtime state of the entity, which updates do not change."`
	CreatedDate model.Time   `json:"created_date" jsonschema:"When the entity was made."`
	ChangeDate  model.Time   `json:"change_date" jsonschema:"When the entity was last changed."`
}

// EntityList is one page of a space's entities, in the order of their creation.
type EntityList struct {
	Entities []EntityRecord `json:"entities" jsonschema:"The entities of this page, oldest first."`
	Page
}

// NewEntity returns the response to a change of an entity.
func NewEntity(e *model.Entity) Entity {
	return Entity{EntityID: e.EntityID, EntityType: e.Type, EntityData: e.Data.OrEmpty()}
}

// NewEntityRecord returns an entity as the routes and tools that read it show it.
func NewEntityRecord(e *model.Entity) EntityRecord {
	return EntityRecord{
		Entity: NewEntity(e), EntityState: e.State.OrEmpty(), CreatedDate: e.CreatedAt, ChangeDate: e.ChangedAt,
	}
}

// NewEntityList returns the response of a list of entities.
func NewEntityList(page *model.Connection[*model.Entity]) EntityList {
	entities := make([]EntityRecord, len(page.Nodes))
	for i, entity := range page.Nodes {
		entities[i] = NewEntityRecord(entity)
	}
	return EntityList{entities, NewPage(len(entities), page.TotalCount, page.PageInfo)}
}
