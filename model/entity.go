package model

import "regexp"

// The entity types that the API names. Others are free for clients to use.
const (
	TypeUserModel   = "UserModelEntity" // made from a file
	TypeSimple      = "Simple"          // the default without a file
	TypeGate        = "Gate"            // one of a hub's seven static gates
	TypeDynamicGate = "DynamicGate"
)

// RoomInfoID is the internal entity of every space: not listed, not counted,
// not deletable.
const RoomInfoID = "RoomInfo"

// EntityNotFound is the text that API section 7 fixes.
const EntityNotFound = "Entity not found"

// Entity is an object in a space: a model, a gate, media.
type Entity struct {
	SpaceID  string `bun:",pk"`
	EntityID string `bun:",pk"`
	// Sequence orders the entities of a space by creation.
	Sequence  int64 `bun:",nullzero"`
	Type      string
	Data      Object // entity_data: what clients set
	State     Object // entity_state: runtime state, kept by updates
	CreatedAt Time
	ChangedAt Time
}

// ID returns the id that is the entity's own among all spaces' entities.
func (e *Entity) ID() string { return e.SpaceID + "/" + e.EntityID }

// Cursor returns the entity's place in lists.
func (e *Entity) Cursor() string { return Cursor(e.Sequence) }

// IsGate reports whether the rules of gates hold for the entity.
func (e *Entity) IsGate() bool { return e.Type == TypeGate || e.Type == TypeDynamicGate }

// EntityConnection is one page of entities in the order of their creation.
type EntityConnection Connection[*Entity]

// Edges returns the entities with their cursors.
func (c *EntityConnection) Edges() []EntityEdge { return edgesOf[*Entity, EntityEdge](c.Nodes) }

// EntityEdge is an entity in a page.
type EntityEdge Edge[*Entity]

// CreateEntity is the input of createEntity, which updates the entity where
// the space has one with this id already.
type CreateEntity struct {
	SpaceID     string
	ResourceKey *string // a file of the caller
	EntityID    *string // made when nil
	Type        *string
	Data        Object
}

var entityID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// checkEntityID refuses an id that cannot stand in a path. Clients take . and ..
// out of paths before they send them: DELETE .../entities/.. would delete the
// space.
func checkEntityID(id string) error {
	if id == "." || id == ".." {
		return Invalidf("entity_id must not be . or ..")
	}
	if !entityID.MatchString(id) {
		return Invalidf("entity_id must have 1 to 128 letters, digits, dots, underscores or hyphens")
	}
	return nil
}

// Validate checks the input as far as it can be without the space.
func (in CreateEntity) Validate() error {
	if in.EntityID != nil {
		if err := checkEntityID(*in.EntityID); err != nil {
			return err
		}
	}
	if in.Type != nil {
		if *in.Type == "" {
			return Invalidf("entity_type must not be empty")
		}
		if err := checkText("entity_type", *in.Type, 128); err != nil {
			return err
		}
	}
	return checkData(in.Data)
}

// UpdateEntity is the input of updateEntity: Data is laid over the entity's.
type UpdateEntity struct {
	SpaceID  string
	EntityID string
	Data     Object
}

// Validate checks the input.
func (in UpdateEntity) Validate() error {
	if in.Data == nil {
		return Invalidf("entity_data is required and must be an object")
	}
	return checkData(in.Data)
}

// checkData refuses what could not be stored and answered again, and a
// dynamicGate that could not be merged.
func checkData(data Object) error {
	if err := checkObject("entity_data", data); err != nil {
		return err
	}
	if !data.mayHave(fieldDynamicGate) {
		return nil
	}
	gate, ok := data.Fields()[fieldDynamicGate]
	if ok && rawKind(gate) != "object" && rawKind(gate) != "null" {
		return Invalidf("entity_data.dynamicGate must be an object")
	}
	return nil
}

// vector is an {x, y, z} of numbers.
type vector struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z"`
}

// DefaultData returns the entity_data of a new entity made from the file: a
// splat is turned upright by half a turn about z.
func (f *File) DefaultData() Object {
	rotation := vector{}
	if f.IsSplat() {
		rotation.Z = 180
	}
	return NewObject(struct {
		Scale    [3]float64 `json:"scale"`
		Rotation vector     `json:"rotation"`
		Position [3]float64 `json:"position"`
	}{Scale: [3]float64{1, 1, 1}, Rotation: rotation})
}

// GLBURL returns the glbUrl of entity_data; empty without one.
func (o Object) GLBURL() string { return text(o.Fields()["glbUrl"]) }

// GLBURL returns the entity_data that points at a file's public address.
func GLBURL(address string) Object {
	return NewObject(map[string]string{"glbUrl": address})
}

// CreatedEntity is the answer to createEntity.
type CreatedEntity struct {
	Entity *Entity
	// Created is false when an entity with the id was there and was updated.
	Created bool
	// Warning is the warning about the file that the entity shows; nil for none.
	Warning *string
}

// NewEntity returns an entity that is made now.
func NewEntity(spaceID, entityID, entityType string, data Object) *Entity {
	now := Now()
	return &Entity{
		SpaceID: spaceID, EntityID: entityID, Type: entityType, Data: data.OrEmpty(),
		State: Object("{}"), CreatedAt: now, ChangedAt: now,
	}
}

// IsStaticGate reports whether the input speaks of a static gate, by its type or
// its id.
func (in CreateEntity) IsStaticGate() bool {
	return (in.Type != nil && *in.Type == TypeGate) || (in.EntityID != nil && IsStaticGateID(*in.EntityID))
}

// IsPlain reports whether the input names no file and no gate: it is stored as it
// was sent.
func (in CreateEntity) IsPlain() bool {
	return (in.ResourceKey == nil || *in.ResourceKey == "") && !in.IsStaticGate() &&
		(in.Type == nil || *in.Type != TypeDynamicGate)
}

// Entity returns the entity that the input describes, made from the file where
// there is one: the file's defaults lie under what was sent.
func (in CreateEntity) Entity(file *File) *Entity {
	id, kind, data := NewUUID(), TypeSimple, in.Data
	if in.Type != nil {
		kind = *in.Type
	}
	if file != nil {
		id, kind, data = NewModelID(), TypeUserModel, file.DefaultData().With(in.Data)
	}
	if in.EntityID != nil {
		id = *in.EntityID
	}
	return NewEntity(in.SpaceID, id, kind, data)
}

// Update returns the input as one that changes the entity with its id.
func (in CreateEntity) Update() UpdateEntity {
	return UpdateEntity{SpaceID: in.SpaceID, EntityID: *in.EntityID, Data: in.Data.OrEmpty()}
}
