package model

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"time"
	"unicode/utf8"
)

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

// RoomInfoNotDeletable is the refusal of a deletion of RoomInfo.
const RoomInfoNotDeletable = "RoomInfo cannot be deleted"

// NewRoomInfo returns the internal entity of a space. Its type never changes.
func NewRoomInfo(spaceID string, data Object) *Entity {
	return NewEntity(spaceID, RoomInfoID, TypeSimple, data)
}

// EntityNotFound is the text that API section 7 fixes.
const EntityNotFound = "Entity not found"

// Entity is an object in a space, such as a model, a gate or media.
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
	// Version increases with every change of the entity.
	Version int
}

// ID returns an id that is unique among the entities of all spaces.
func (e *Entity) ID() string { return e.SpaceID + "/" + e.EntityID }

// Cursor returns the entity's cursor in lists.
func (e *Entity) Cursor() string { return Cursor(e.Sequence) }

// IsGate reports whether the rules of gates apply to the entity.
func (e *Entity) IsGate() bool { return isGateType(e.Type) }

func isGateType(entityType string) bool {
	return entityType == TypeGate || entityType == TypeDynamicGate
}

// EntityConnection is one page of entities in the order of their creation.
type EntityConnection Connection[*Entity]

// Edges returns the entities with their cursors.
func (c *EntityConnection) Edges() []EntityEdge {
	return edgesOf[*Entity, EntityEdge](c.Nodes, c.Order)
}

// EntityEdge is an entity with its cursor.
type EntityEdge Edge[*Entity]

// CreateEntity is the input of createEntity, which updates the entity if the id exists in
// the space.
type CreateEntity struct {
	SpaceID     string
	ResourceKey *string // a file of the caller
	EntityID    *string // generated if nil
	Type        *string
	Data        Object
	// MustBeNew refuses an id that another entity of the space has.
	MustBeNew bool
	// LockToken is for the context of the request, see WithLockToken.
	LockToken *string
}

var entityID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// checkEntityID refuses an id that cannot be part of a URL's path. Clients resolve . and ..
// before they send a request: DELETE .../entities/.. would delete the space.
func checkEntityID(id string) error {
	if id == "." || id == ".." {
		return InvalidField("entity_id", "must not be . or ..")
	}
	if !entityID.MatchString(id) {
		return InvalidField("entity_id", "must have 1 to 128 letters, digits, dots, underscores or hyphens")
	}
	return nil
}

// Validate validates everything that does not depend on the space.
func (in CreateEntity) Validate() error {
	if in.EntityID != nil {
		if err := checkEntityID(*in.EntityID); err != nil {
			return err
		}
	}
	if in.Type != nil {
		if *in.Type == "" {
			return InvalidField("entity_type", "must not be empty")
		}
		if err := checkName("entity_type", *in.Type, 128); err != nil {
			return err
		}
	}
	return checkData("entity_data", in.Data)
}

// UpdateEntity is the input of updateEntity. Data replaces fields of the entity's data.
type UpdateEntity struct {
	SpaceID  string
	EntityID string
	Data     Object
	// ExpectedVersion refuses the change when the entity has another version; nil accepts
	// every version.
	ExpectedVersion *int
}

// Validate refuses missing data, and data that cannot be stored or merged (checkData).
func (in UpdateEntity) Validate() error {
	if in.Data == nil {
		return InvalidField("entity_data", "is required and must be an object")
	}
	return checkData("entity_data", in.Data)
}

// checkData refuses data that could not be stored and returned unchanged, and a dynamicGate
// that could not be merged. The errors name field.
func checkData(field string, data Object) error {
	if err := checkObject(field, data); err != nil {
		return err
	}
	if !data.mayContain(fieldDynamicGate) {
		return nil
	}
	gate, ok := data.Fields()[fieldDynamicGate]
	if ok && rawKind(gate) != "object" && rawKind(gate) != "null" {
		return InvalidField(field+".dynamicGate", "must be an object")
	}
	return nil
}

// vector is an {x, y, z} of numbers.
type vector struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z"`
}

// DefaultData returns the default entity_data of an entity made from the file. It rotates splats so
// that the direction that the file declares as up is up, and otherwise by 180 degrees about z,
// because their y axis points down.
func (f *File) DefaultData() Object {
	rotation := vector{}
	if f.IsSplat() {
		rotation.Z = 180
		if up := f.up(); up != nil {
			rotation = upright(*up)
		}
	}
	return NewObject(struct {
		Scale    [3]float64 `json:"scale"`
		Rotation vector     `json:"rotation"`
		Position [3]float64 `json:"position"`
	}{Scale: [3]float64{1, 1, 1}, Rotation: rotation})
}

// up returns the direction that the file declares as up; nil for none.
func (f *File) up() *[3]float64 {
	if f.Facts == nil {
		return f.DeclaredUp
	}
	return f.Facts.Up
}

// MayDeclareUp reports whether the file is not inspected yet and may declare its up at its start.
func (f *File) MayDeclareUp() bool {
	return f.Facts == nil && extensionOf(f.ResourceKey).name == ".ply"
}

// upright returns the rotation, in degrees about x, then y, then z, that turns a direction to y. It
// is a tilt about x and one about z, after half a turn about z for a direction that is nearer to -y.
func upright(up [3]float64) vector {
	turn := 0.0
	if up[1] < 0 {
		up[0], up[1], turn = -up[0], -up[1], 180
	}
	degrees := func(y, x float64) float64 { return math.Round(math.Atan2(y, x)*180/math.Pi*1e6) / 1e6 }
	x, z := -degrees(up[2], up[1]), degrees(up[0], math.Hypot(up[1], up[2]))
	if turn != 0 {
		x = -x
	}
	return vector{X: x + 0, Z: z + turn} // 0 instead of -0
}

// GLBURL returns the glbUrl of entity_data, or "".
func (o Object) GLBURL() string { return text(o.Fields()["glbUrl"]) }

// NewGLBURL returns entity_data with the public address of a file as glbUrl.
func NewGLBURL(address string) Object {
	return NewObject(map[string]string{"glbUrl": address})
}

// CreatedEntity is the result of createEntity.
type CreatedEntity struct {
	Entity *Entity
	// Created is false if an entity with the id existed and was updated.
	Created bool
	// Warning is the warning about the file that the entity shows; nil for none.
	Warning *string
}

// NewEntity returns a new entity with version 1, whose times are the current time.
func NewEntity(spaceID, entityID, entityType string, data Object) *Entity {
	now := Now()
	return &Entity{
		SpaceID: spaceID, EntityID: entityID, Type: entityType, Data: data.OrEmpty(),
		State: Object("{}"), CreatedAt: now, ChangedAt: now, Version: 1,
	}
}

// IsStaticGate reports whether the type or the id of the input is a static gate's.
func (in CreateEntity) IsStaticGate() bool {
	return (in.Type != nil && *in.Type == TypeGate) || (in.EntityID != nil && IsStaticGateID(*in.EntityID))
}

// IsPlain reports whether the input is stored as it was sent, because it neither refers to a file
// nor is a gate.
func (in CreateEntity) IsPlain() bool {
	return (in.ResourceKey == nil || *in.ResourceKey == "") && !in.IsStaticGate() &&
		(in.Type == nil || *in.Type != TypeDynamicGate)
}

// Entity returns the entity that the input describes. If file is not nil, the defaults of the file
// apply to fields that the input omits.
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

// AsUpdate returns the input as an update of the existing entity with the same id.
func (in CreateEntity) AsUpdate() UpdateEntity {
	return UpdateEntity{SpaceID: in.SpaceID, EntityID: *in.EntityID, Data: in.Data.OrEmpty()}
}

// Key implements Sortable.
func (e *Entity) Key(field OrderField) (int64, string) {
	if field == OrderByChange {
		return e.Sequence, e.ChangedAt.UTC().Format(time.RFC3339Nano)
	}
	return e.Sequence, ""
}

// EntityFile returns the entity as a file: JSON, indented by two spaces, with the id, type and data.
func (e *Entity) EntityFile() []byte {
	content := struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Data Object `json:"data"`
	}{e.EntityID, e.Type, e.Data.OrEmpty()}
	var b bytes.Buffer
	if err := json.Indent(&b, NewObject(content), "", "  "); err != nil {
		panic("model: the file of an entity: " + err.Error()) // its data was validated when it was stored
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// WorkspaceFile returns the entity as the file of a workspace of the space: EntityFile with tokens
// instead of the addresses of the space's files, and for RoomInfo with the settings of the space.
// The tokens are by their addresses.
func (e *Entity) WorkspaceFile(space *Space, tokens map[string]string) []byte {
	shown := *e
	shown.Data = e.Data.OrEmpty()
	if len(tokens) > 0 {
		shown.Data = shown.Data.replaceStrings(func(text string) (string, bool) {
			token, ok := tokens[text]
			return token, ok
		})
	}
	if e.EntityID == RoomInfoID {
		shown.Data = shown.Data.With(newRoomSettings(space))
	}
	return shown.EntityFile()
}

// ParseEntityFile reads the file of the entity with this id.
func ParseEntityFile(spaceID, id string, content []byte) (*Entity, error) {
	if !utf8.Valid(content) {
		return nil, Invalidf("The file must be valid UTF-8")
	}
	object, err := ParseObject(content)
	if err != nil {
		return nil, Invalidf("The file must be a JSON object")
	}
	if err := CheckSurrogates("The file", object); err != nil {
		return nil, err
	}
	if id == RoomInfoID && !isEntityFile(object) {
		return NewRoomInfo(spaceID, object), checkData("entity_data", object)
	}
	var file struct {
		ID   *string `json:"id"`
		Type *string `json:"type"`
		Data Object  `json:"data"`
	}
	if err := Decode(object, "", &file); err != nil {
		return nil, err
	}
	if file.ID != nil && *file.ID != id {
		return nil, InvalidField("id", "must be the name of the file without .json")
	}
	if file.Type == nil && id != RoomInfoID {
		return nil, InvalidField("type", "is required")
	}
	if file.Data == nil {
		return nil, InvalidField("data", "is required and must be an object")
	}
	if id == RoomInfoID {
		return NewRoomInfo(spaceID, file.Data), checkData("entity_data", file.Data)
	}
	in := CreateEntity{SpaceID: spaceID, EntityID: &id, Type: file.Type, Data: file.Data}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return completeFile(in)
}

// completeFile returns the entity of a valid file, and adds the defaults of fields that gates may
// omit.
func completeFile(in CreateEntity) (*Entity, error) {
	entity := in.Entity(nil)
	if !entity.IsGate() {
		if IsStaticGateID(entity.EntityID) {
			return nil, Invalidf(GateNotCreatable)
		}
		return entity, nil
	}
	entity.Data = FillPlatform(entity.Data)
	if entity.Type == TypeDynamicGate {
		entity.Data = CompleteGate(entity.Data)
	}
	return entity, ValidateGate(entity.Type, entity.Data)
}

// isEntityFile reports whether the file of the room is like the file of any entity. Older clients
// send only the data of the room, and new ones may leave out the id or the type.
func isEntityFile(file Object) bool {
	fields := file.Fields()
	if text(fields["id"]) == RoomInfoID {
		return true
	}
	for name := range fields {
		if name != "id" && name != "type" && name != "data" {
			return false
		}
	}
	return rawKind(fields["data"]) == "object"
}
